// Any bytes as valid UTF-8, with the way back to the original.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Replaces what is not UTF-8 by U+FFFD, one for each truncated sequence or single byte, as Python's
// errors="replace" and Rust's from_utf8_lossy do.
std::string repair_utf8(std::string_view bytes);

// A view of the original where it is valid, a repaired copy where not. The original must outlive it.
class ValidText {
 public:
  explicit ValidText(std::string_view original);
  ValidText(const ValidText&) = delete;
  ValidText& operator=(const ValidText&) = delete;

  std::string_view text() const { return text_; }

  // Where byte `at` of text() comes from; `at` is the beginning of a code point, or the end.
  std::uint32_t original_byte(std::uint32_t at) const;

 private:
  struct Place {
    std::uint32_t here, original;
  };
  std::string_view text_;
  std::string repaired_;
  std::vector<Place> places_;  // where each repair begins and ends
};

// Counts code points up to a byte; fast when asked for places near each other.
class CharacterCounter {
 public:
  explicit CharacterCounter(std::string_view text) : text_(text) {}
  std::uint32_t characters_before(std::uint32_t byte);

 private:
  std::string_view text_;
  std::uint32_t byte_ = 0, characters_ = 0;
};

}  // namespace fovea
