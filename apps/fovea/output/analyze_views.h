// --similarity, --rollout and --flow of `fovea analyze`: what is about several heads or layers.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "command.h"
#include "fovea/head_similarity.h"
#include "inputs/analyzed_run.h"

namespace fovea::command {

class AnalyzeViews {
 public:
  void declare(OptionList& options);
  void check() const;  // throws UsageError
  bool any() const { return similarity_ || rollout_ || flow_; }

  void print(const Context& context, const AnalyzedRun& source, const RenderOptions& render,
             const std::stop_token& stop) const;
  std::string json(const AnalyzedRun& source, const std::stop_token& stop) const;

 private:
  HeadSimilarity similarity(const AnalyzedRun& source, const std::stop_token& stop) const;

  bool similarity_ = false;
  std::optional<Index> rows_;
  std::optional<std::string> rollout_, flow_;
};

}  // namespace fovea::command
