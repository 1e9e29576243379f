// Cutting pieces into smaller ones at matches of something.
#pragma once

#include <vector>

#include "text/files/json_field.h"
#include "text/steps/pre_tokenizer.h"
#include "text/unicode/unicode.h"

namespace fovea {

// What becomes of a match: "the-final--countdown" at "-" gives
enum class SplitBehavior {
  removed,               // the final countdown
  isolated,              // the - final - - countdown
  merged_with_previous,  // the- final- - countdown
  merged_with_next,      // the -final - -countdown
  contiguous,            // the - final -- countdown
};

SplitBehavior read_split_behavior(const JsonField& json);

struct Stretch {
  ByteSpan span;
  bool is_match = false;
};

// Appends the pieces that a piece becomes; the stretches cover it, in order.
void append_pieces(const std::vector<Stretch>& stretches, SplitBehavior behavior,
                   std::vector<ByteSpan>& pieces);

// Replaces every piece by those that `cut(bytes, piece, out)` appends to `out`.
template <typename Cut>
void cut_pieces(SplitText& split, const Cut& cut) {
  const std::string_view bytes = split.text.bytes();
  std::vector<ByteSpan> pieces;
  pieces.reserve(bytes.size() / 4 + split.pieces.size());
  for (const ByteSpan& piece : split.pieces) cut(bytes, piece, pieces);
  split.pieces.swap(pieces);
}

// Splits at characters: each one that `matches` is a match of its own.
template <typename Matches>
void split_at_characters(SplitText& split, SplitBehavior behavior, const Matches& matches) {
  std::vector<Stretch> stretches;
  cut_pieces(split, [&](std::string_view bytes, ByteSpan piece, std::vector<ByteSpan>& pieces) {
    stretches.clear();
    std::uint32_t begin = piece.begin;
    for (std::size_t at = piece.begin; at < piece.end;) {
      const auto here = static_cast<std::uint32_t>(at);
      if (!matches(next_code_point(bytes, at))) continue;
      if (begin < here) stretches.push_back({{begin, here}, false});
      begin = static_cast<std::uint32_t>(at);
      stretches.push_back({{here, begin}, true});
    }
    if (begin < piece.end) stretches.push_back({{begin, piece.end}, false});
    append_pieces(stretches, behavior, pieces);
  });
}

}  // namespace fovea
