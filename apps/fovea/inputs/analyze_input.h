// What `fovea analyze` measures: weights of a file, q and k, a model, or the worked example.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "fovea/head_similarity.h"
#include "fovea/measures_report.h"
#include "fovea/rollout.h"
#include "inputs/head_selection.h"
#include "inputs/query_key_input.h"
#include "inputs/weights_input.h"

namespace fovea::command {

// One run, with the heads that were chosen. Everything is about one sequence.
class AnalyzeSource {
 public:
  virtual ~AnalyzeSource() = default;
  virtual MeasuresReport measure(MeasureOptions options) const = 0;  // tokens are filled in
  virtual std::vector<std::string> head_names() const = 0;           // of the heads compared
  virtual HeadSimilarity similarity(const HeadSimilarityOptions& options) const = 0;
  virtual Matrix rollout(std::optional<Index> position) const = 0;  // one row, or all
  virtual Matrix flow(std::optional<Index> position) const = 0;

  Index queries = 0, keys = 0;
  Index batch = 1, entry = 0;  // which of the sequences
  std::vector<std::string> tokens, key_tokens;
};

// Warnings go to standard error.
std::unique_ptr<AnalyzeSource> weights_source(AttentionWeights weights, const HeadSelection& selection,
                                              const Mask& mask);
std::unique_ptr<AnalyzeSource> query_key_source(QueryKeys run, const HeadSelection& selection,
                                                const TokenInput& tokens);

// "I love AI" through four heads of width 1, X and W as in the worked example: weights [1, 1, 4, 3, 3].
AttentionWeights i_love_ai_weights(const Mask& mask);

}  // namespace fovea::command
