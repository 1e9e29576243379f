// --similarity, --rollout and --flow of `fovea analyze`: what is about several heads or layers.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "inputs/analyze_input.h"

namespace fovea::command {

class AnalyzeViews {
 public:
  void declare(OptionList& options);
  void check() const;  // throws UsageError
  bool any() const { return similarity_ || rollout_ || flow_; }

  void print(const Context& context, const AnalyzeSource& source, const RenderOptions& render) const;
  std::string json(const AnalyzeSource& source) const;

 private:
  bool similarity_ = false;
  std::optional<Index> rows_;
  std::optional<std::string> rollout_, flow_;
};

}  // namespace fovea::command
