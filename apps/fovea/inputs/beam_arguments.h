// --beams, --length-penalty and --early-end.
#pragma once

#include <optional>

#include "fovea/generation.h"
#include "options.h"

namespace fovea::command {

class BeamArguments {
 public:
  void declare(OptionList& options);
  // Throws UsageError for numbers out of range, and for what makes no sense without beams.
  void check() const;
  bool searches() const { return beams_.value_or(1) > 1; }
  void apply(GenerationOptions& options) const;

 private:
  std::optional<Index> beams_;
  std::optional<double> length_penalty_;
  bool early_end_ = false;
};

}  // namespace fovea::command
