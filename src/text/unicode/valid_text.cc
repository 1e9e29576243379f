#include "text/unicode/valid_text.h"

#include <algorithm>
#include <cstring>

#include "core/utf8.h"
#include "text/unicode/unicode.h"

namespace fovea {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The bytes at `at` that one U+FFFD stands for: the longest beginning of a valid sequence, at least one.
std::size_t invalid_length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u;
  };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0xC2 || first > 0xF4 || (second & 0xC0u) != 0x80u) return 1;
  if (first < 0xE0) return 1;
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F))
    return 1;  // overlong, surrogate
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 1;
  return first >= 0xF0 && (byte(2) & 0xC0u) == 0x80u ? 3 : 2;
}

// The first byte that is not part of a valid code point.
std::size_t valid_length(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  while (at < bytes.size()) {
    std::uint64_t eight = 0;
    if (at + sizeof eight <= bytes.size()) {
      std::memcpy(&eight, bytes.data() + at, sizeof eight);
      if ((eight & kHighBits) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const CodePoint point = decode_utf8(bytes, at);
    if (!point.valid) break;
    at += point.bytes;
  }
  return at;
}

}  // namespace

std::string repair_utf8(std::string_view bytes) {
  const ValidText valid(bytes);
  return std::string(valid.text());
}

ValidText::ValidText(std::string_view original) : text_(original) {
  std::size_t at = valid_length(original, 0);
  if (at == original.size()) return;
  repaired_.assign(original.substr(0, at));
  const auto note = [&](std::size_t place) {
    places_.push_back({static_cast<std::uint32_t>(repaired_.size()), static_cast<std::uint32_t>(place)});
  };
  while (at < original.size()) {
    note(at);
    repaired_ += kReplacement;
    at += invalid_length(original, at);
    note(at);
    const std::size_t end = valid_length(original, at);
    repaired_.append(original.substr(at, end - at));
    at = end;
  }
  text_ = repaired_;
}

std::uint32_t ValidText::original_byte(std::uint32_t at) const {
  const auto after =
      std::upper_bound(places_.begin(), places_.end(), at,
                       [](std::uint32_t value, const Place& place) { return value < place.here; });
  if (after == places_.begin()) return at;
  const Place& place = *std::prev(after);
  return place.original + (at - place.here);
}

std::uint32_t CharacterCounter::characters_before(std::uint32_t byte) {
  for (; byte_ < byte; ++byte_) characters_ += is_continuation(text_[byte_]) ? 0 : 1;
  for (; byte_ > byte; --byte_) characters_ -= is_continuation(text_[byte_ - 1]) ? 0 : 1;
  return characters_;
}

}  // namespace fovea
