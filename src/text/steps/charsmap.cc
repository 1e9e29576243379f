// SentencePiece's precompiled character map: a trie over UTF-8 that knows what to replace by what.
#include <algorithm>
#include <optional>

#include "core/fail.h"
#include "core/utf8.h"
#include "io/little_endian.h"
#include "text/steps/normalizer.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// The file holds the size of the trie in bytes, the trie (a double array of 32-bit units, as the library
// Darts writes it), and the replacements, which end with zero bytes. Untrusted: every index is checked.
class Charsmap final : public Normalizer {
 public:
  Charsmap(std::string_view bytes, const std::string& where) {
    if (bytes.size() < sizeof(std::uint32_t))
      fail("{}: the character map has only {} bytes", where, bytes.size());
    const std::size_t trie_bytes = little_endian<std::uint32_t>(bytes, 0);
    bytes.remove_prefix(sizeof(std::uint32_t));
    if (trie_bytes > bytes.size() || trie_bytes % sizeof(std::uint32_t) != 0 || trie_bytes == 0) {
      fail("{}: the character map says that its trie has {} bytes, of {}", where, trie_bytes, bytes.size());
    }
    for (std::size_t at = 0; at < trie_bytes; at += sizeof(std::uint32_t)) {
      units_.push_back(little_endian<std::uint32_t>(bytes, at));
    }
    replacements_ = bytes.substr(trie_bytes);
    for (std::size_t c = 0; c < 128; ++c) {
      const char byte = static_cast<char>(c);
      ascii_changes_[c] = replacement({&byte, 1}).has_value();
    }
  }

  // Each user-perceived character as a whole, if it is short, else each of its code points.
  void apply(AlignedText& text) const override {
    const std::string_view bytes = text.bytes();
    if (!may_change(bytes)) return;
    const AlignedCharacters characters = text.characters();
    AlignedCharacters result;
    result.reserve(characters.size());
    std::size_t byte = 0;
    for (std::size_t first = 0; first < characters.size();) {
      const std::size_t last = grapheme_end(characters, first);
      std::size_t end = byte;
      for (std::size_t i = first; i < last; ++i) next_code_point(bytes, end);
      const auto whole = end - byte < 6 ? replacement(bytes.substr(byte, end - byte)) : std::nullopt;
      if (whole) {
        text.check_growth(result.size() + whole->size());
        put(*whole, characters, first, last, result);
      } else {
        put_each(bytes.substr(byte, end - byte), characters, first, last, text, result);
      }
      first = last;
      byte = end;
    }
    text.assign(result);
  }

 private:
  bool may_change(std::string_view bytes) const {
    return std::any_of(bytes.begin(), bytes.end(), [&](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= 0x80 || ascii_changes_[byte];
    });
  }

  static std::size_t grapheme_end(const AlignedCharacters& characters, std::size_t first) {
    int state = 0;
    std::size_t last = first + 1;
    for (; last < characters.size(); ++last) {
      const char32_t before = characters[last - 1].value, after = characters[last].value;
      if (before < 0x80 && after < 0x80) {
        if (before != '\r' || after != '\n') break;
      } else if (is_grapheme_break(before, after, state)) {
        break;
      }
    }
    return last;
  }

  void put_each(std::string_view bytes, const AlignedCharacters& characters, std::size_t first,
                std::size_t last, const AlignedText& text, AlignedCharacters& result) const {
    std::size_t at = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t from = at;
      next_code_point(bytes, at);
      const auto one = at - from > 1 || ascii_changes_[static_cast<unsigned char>(bytes[from])]
                           ? replacement(bytes.substr(from, at - from))
                           : std::nullopt;
      if (one) {
        text.check_growth(result.size() + one->size());
        put(*one, characters, i, i + 1, result);
      } else {
        result.push_back(characters[i]);
      }
    }
  }

  // The replacement of the characters [first, last): one for one, and what is left of it comes from the
  // last.
  static void put(std::string_view replacement, const AlignedCharacters& characters, std::size_t first,
                  std::size_t last, AlignedCharacters& result) {
    std::size_t from = first;
    for (std::size_t at = 0; at < replacement.size(); ++from) {
      const char32_t value = next_code_point(replacement, at);
      result.push_back({value, characters[std::min(from, last - 1)].origin});
    }
  }

  // What the shortest known beginning of `chunk` is replaced by.
  std::optional<std::string_view> replacement(std::string_view chunk) const {
    const auto offset = [](std::uint32_t unit) {
      return std::size_t{unit >> 10} << ((unit & (1u << 9)) >> 6);
    };
    std::size_t node = offset(units_[0]);
    for (const char c : chunk) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) break;
      node ^= byte;
      if (node >= units_.size()) return std::nullopt;
      const std::uint32_t unit = units_[node];
      if ((unit & (1u << 31 | 0xFFu)) != byte) return std::nullopt;
      node ^= offset(unit);
      if ((unit >> 8 & 1u) == 0) continue;
      if (node >= units_.size()) return std::nullopt;
      return replacement_at(units_[node] & ((1u << 31) - 1));
    }
    return std::nullopt;
  }

  std::optional<std::string_view> replacement_at(std::size_t begin) const {
    if (begin >= replacements_.size()) return std::nullopt;
    const std::size_t end = replacements_.find('\0', begin);
    const auto text =
        std::string_view(replacements_).substr(begin, end == std::string::npos ? end : end - begin);
    if (!is_utf8(text)) return std::nullopt;
    return text;
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  bool ascii_changes_[128];
};

}  // namespace

std::unique_ptr<Normalizer> make_charsmap(std::string_view bytes, const std::string& where) {
  return std::make_unique<Charsmap>(bytes, where);
}

}  // namespace fovea
