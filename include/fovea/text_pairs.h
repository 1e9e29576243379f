// Pairs of texts that mean the same, from files of lines "source TAB target".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/api.h"
#include "fovea/shape.h"

namespace fovea {

struct FOVEA_API TextPair {
  std::string source, target;
  bool operator==(const TextPair&) const = default;
};

struct FOVEA_API TextPairs {
  std::vector<TextPair> pairs;
  std::vector<Index> lines;   // of each pair the number of its line, from 1
  std::vector<Index> broken;  // numbers of lines: no tab, nothing on one side, or not UTF-8
  Index line_count = 0;       // empty lines included
};

// White space around a text is left out, as are further columns and empty lines.
FOVEA_API TextPairs parse_text_pairs(std::string_view text);
FOVEA_API TextPairs load_text_pairs(const std::string& path);  // throws Error if it cannot be read

struct FOVEA_API PairParts {
  std::vector<TextPair> learned, development, test;
};

// Two parts of `held_out` pairs or a few more each, drawn by the seed, that share no side with what is
// learned, nor with each other: neither a source nor a target of theirs is there, be it with other marks
// or capitals. Pairs that hang together with more than eight others, by one side or the other in turn, are
// always learned. Throws Error if there are not enough of the others.
FOVEA_API PairParts split_pairs(const std::vector<TextPair>& pairs, Index held_out, std::uint64_t seed);

}  // namespace fovea
