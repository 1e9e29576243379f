#include "text/unicode/aligned_text.h"

#include <algorithm>

#include "core/fail.h"
#include "io/messages.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

// Writes the UTF-8 form of c to the four bytes at `out`, and returns its length.
std::size_t write_utf8(char32_t c, char* out) {
  const auto put = [&](std::size_t i, char32_t bits) {
    out[i] = static_cast<char>(static_cast<unsigned char>(bits));
  };
  if (c < 0x80) {
    put(0, c);
    return 1;
  }
  if (c < 0x800) {
    put(0, 0xC0u | c >> 6);
    put(1, 0x80u | (c & 0x3Fu));
    return 2;
  }
  if (c < 0x10000) {
    put(0, 0xE0u | c >> 12);
    put(1, 0x80u | (c >> 6 & 0x3Fu));
    put(2, 0x80u | (c & 0x3Fu));
    return 3;
  }
  put(0, 0xF0u | c >> 18);
  put(1, 0x80u | (c >> 12 & 0x3Fu));
  put(2, 0x80u | (c >> 6 & 0x3Fu));
  put(3, 0x80u | (c & 0x3Fu));
  return 4;
}

std::size_t utf8_length(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

}  // namespace

ByteSpan AlignedText::origin(std::uint32_t begin, std::uint32_t end) const {
  if (changed_) return {origins_[begin].begin, origins_[end - 1].end};
  while (begin > 0 && is_continuation(view_[begin])) --begin;  // a token may be a part of a code point
  while (end < view_.size() && is_continuation(view_[end])) ++end;
  return {begin_ + begin, begin_ + end};
}

AlignedText AlignedText::part(std::uint32_t begin, std::uint32_t end) const {
  AlignedText result(changed_ ? view_ : view_.substr(begin, end - begin), begin_ + begin);
  if (!changed_) return result;
  result.changed_ = true;
  result.text_ = text_.substr(begin, end - begin);
  result.origins_.assign(origins_.begin() + begin, origins_.begin() + end);
  return result;
}

AlignedCharacters AlignedText::characters() const {
  const std::string_view text = bytes();
  AlignedCharacters characters;
  characters.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t value = next_code_point(text, at);
    const auto begin = static_cast<std::uint32_t>(from), end = static_cast<std::uint32_t>(at);
    characters.push_back({value, changed_ ? origins_[from] : ByteSpan{begin_ + begin, begin_ + end}});
  }
  return characters;
}

void AlignedText::check_growth(std::size_t characters) const {
  // A byte may become 6 characters (U+FDFA has three, and decomposes into 18), a line break "<newline>".
  constexpr std::size_t kPerByte = 16, kMore = 1024;
  constexpr std::size_t kMost = std::size_t{1} << 30;  // places have 32 bits, characters up to 4 bytes
  const std::size_t most = std::min(kPerByte * view_.size() + kMore, kMost);
  if (characters <= most) return;
  fail("[tokenizer] normalisation expands a text of {} bytes to more than {} characters, the limit",
       grouped(view_.size()), grouped(most));
}

void AlignedText::assign(const AlignedCharacters& characters) {
  check_growth(characters.size());
  std::size_t size = 0;
  for (const AlignedCharacter& each : characters) size += utf8_length(each.value);
  changed_ = true;
  text_.resize(size + 3);  // room to write four bytes at the last place
  origins_.resize(size);
  char* out = text_.data();
  ByteSpan* origin = origins_.data();
  for (const AlignedCharacter& each : characters) {
    const std::size_t length = write_utf8(each.value, out);
    out += length;
    for (std::size_t i = 0; i < length; ++i) *origin++ = each.origin;
  }
  text_.resize(size);
}

void make_lower_case(AlignedCharacters& characters) {
  constexpr char32_t kDottedI = 0x130, kDot = 0x307;  // İ, the only one that becomes two
  const auto dotted = [](const AlignedCharacter& each) { return each.value == kDottedI; };
  const auto dots = std::count_if(characters.begin(), characters.end(), dotted);
  if (dots > 0) {
    AlignedCharacters longer;
    longer.reserve(characters.size() + static_cast<std::size_t>(dots));
    for (const AlignedCharacter& each : characters) {
      longer.push_back(each);
      if (dotted(each)) longer.push_back({kDot, each.origin});
    }
    characters.swap(longer);
  }
  for (AlignedCharacter& each : characters) each.value = lower_case(each.value);
}

}  // namespace fovea
