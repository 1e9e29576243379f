// Which pairs of tokens to merge, most frequent first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fovea/shape.h"

namespace fovea {

struct LearnedPair {
  std::int32_t left = 0, right = 0, result = 0;
};

struct BytePairs {
  std::vector<std::string> tokens;  // by id, spelled in GPT-2's characters
  std::vector<LearnedPair> merges;  // in the order in which they are made
};

// `words` and how often each was seen, as bytes. `tokens` are those that are there before: the special ones
// and, from `first_byte` on, the 256 bytes in the order of their characters. Of pairs that are equally
// frequent the one with the smaller ids is taken, as the trainer of the library `tokenizers` does.
BytePairs train_byte_pairs(const std::map<std::string, Index>& words, std::vector<std::string> tokens,
                           std::size_t first_byte, Index vocabulary, Index min_count);

}  // namespace fovea
