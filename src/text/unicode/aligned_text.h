// A text on its way through the normalisers: every byte knows where in the original it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct ByteSpan {
  std::uint32_t begin = 0, end = 0;
};

struct AlignedCharacter {
  char32_t value = 0;
  ByteSpan origin;
};

using AlignedCharacters = std::vector<AlignedCharacter>;

// Valid UTF-8. While nothing has changed it is a view of the original and costs nothing.
class AlignedText {
 public:
  // The part of the original that begins at its byte `begin`; the original must outlive this.
  AlignedText(std::string_view part, std::uint32_t begin) : view_(part), begin_(begin) {}

  std::string_view bytes() const { return changed_ ? std::string_view(text_) : view_; }
  bool empty() const { return bytes().empty(); }

  // The whole code points of the original that the bytes [begin, end) come from, begin < end.
  ByteSpan origin(std::uint32_t begin, std::uint32_t end) const;

  AlignedText part(std::uint32_t begin, std::uint32_t end) const;  // cut at code points

  AlignedCharacters characters() const;
  void assign(const AlignedCharacters& characters);  // throws Error if check_growth does

  // Normalisers come from files, and each of thirty may double what the one before left. Throws Error if a
  // text of this many characters is far more than the original could become by any honest one. Whoever puts
  // in texts of any length asks before the memory is gone.
  void check_growth(std::size_t characters) const;

 private:
  std::string_view view_;  // the original, or the part of it that this was before it changed
  std::uint32_t begin_;
  bool changed_ = false;
  std::string text_;
  std::vector<ByteSpan> origins_;  // one per byte of text_
};

void make_lower_case(AlignedCharacters& characters);

}  // namespace fovea
