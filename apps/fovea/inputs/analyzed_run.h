// What `fovea analyze` measures: one sequence of a run, with the heads that were chosen.
#pragma once

#include <string>
#include <vector>

#include "inputs/run_input.h"

namespace fovea::command {

struct AnalyzedRun {
  Run run;  // of one kind and one sequence
  AttentionKind kind = AttentionKind::encoder;
  std::vector<HeadChoice> heads;  // those that were chosen, or all
  bool chosen = false;            // were they?
  Index batch = 1, entry = 0;     // which of the sequences it is

  Index queries() const { return run.layer(kind, 0).queries(); }
  std::vector<std::string> tokens() const { return run.query_tokens(kind); }
  std::vector<UnknownToken> unknown() const {
    const std::vector<TokenSequence>& queries = run.tokens(kind).queries;
    return queries.empty() ? std::vector<UnknownToken>{} : queries.front().unknown;
  }
  std::vector<std::string> labels() const { return run.query_labels(kind); }
};

// "I love AI" through four heads of width 1, X and W as in the worked example: weights [1, 1, 4, 3, 3].
AttentionWeights i_love_ai_weights(const Mask& mask);

}  // namespace fovea::command
