// The account of a sentence or of a ready example, with other options: for `explain` and for diagrams.
#pragma once

#include <optional>
#include <string>

#include "fovea/explain.h"
#include "fovea/words.h"

namespace fovea::command {

struct AccountRequest {
  std::optional<std::string> sentence = {};  // words of the vocabulary; none: the example
  std::optional<std::string> example = {};   // default: i-love-ai
  std::optional<std::string> memory = {};    // cross-attention: keys and values from these words
  std::optional<Mask> mask = {};
  std::optional<Index> heads = {};
  std::optional<Index> seed = {};  // draws W_q, W_k, W_v (and W_o for several heads) as NumPy does
  bool scaled = true;
  bool own_words = false;  // the vocabulary is the caller's: "I love AI" is a sentence of it
};

// Throws UsageError for an example that does not exist, or that the options do not fit; Error for words
// that are unknown.
Account make_account(const AccountRequest& request, const WordVectors& words);

}  // namespace fovea::command
