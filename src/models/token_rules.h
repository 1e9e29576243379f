// What a model must write, and must not.
#pragma once

#include <vector>

#include "fovea/generation.h"

namespace fovea {

// The rules that a model's files state, in the order of transformers: forbidden sequences, then the token
// that must come first, then the one that must come last.
class TokenRules {
 public:
  // `prompt`: tokens that the decoder reads before the first of its own.
  TokenRules(const ModelConfig& config, const GenerationOptions& options, Index prompt);

  Index limit() const { return limit_; }  // of new tokens; no more than the model's length has room for
  const std::vector<Index>& ends() const { return ends_; }
  bool is_end(Index id) const;

  // scores [V] of the token that follows `written`, prompt included: −∞ for what must not come. A token
  // that must come has the score 0, the logarithm of 1.
  void apply(const std::vector<Index>& written, float* scores) const;

 private:
  void force(Index id, float* scores) const;

  const ModelConfig& config_;
  std::vector<Index> ends_;
  Index prompt_, limit_;
};

}  // namespace fovea
