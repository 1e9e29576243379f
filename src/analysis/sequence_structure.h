// What is known about the tokens behind the rows and columns: kinds, repetitions, blocks.
#pragma once

#include <optional>
#include <vector>

#include "fovea/measures.h"

namespace fovea {

// Keys are ascending everywhere.
struct SequenceStructure {
  bool has_key_tokens = false;
  std::vector<Index> special, punctuation;  // keys of these kinds
  std::vector<Index> resting;               // where heads rest: the first key, and special tokens

  // Keys with the same token as a query: groups[group_of_query[i]]. Empty without tokens. An unknown token
  // is the same as no other: [UNK] stands for another word each time.
  std::vector<Index> group_of_query;
  std::vector<std::vector<Index>> groups;
  bool self = true;  // queries are (the last of) the keys: then key p is the query itself

  std::vector<Index> block_of_key;  // [M]; empty if no blocks are known, or all keys are in one

  Index period = 0;                           // 0: the sequence does not repeat, as far as is known
  Index repeats_from = 0, repeats_until = 0;  // the repeated keys: all but special tokens at both ends
};

// Throws Error if names or segments are not as many as queries or keys, or numbers are negative or too
// large.
SequenceStructure sequence_structure(const MeasureOptions& options, Index n, Index m);

}  // namespace fovea
