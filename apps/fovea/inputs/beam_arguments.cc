#include "inputs/beam_arguments.h"

#include <fmt/core.h>

namespace fovea::command {

void BeamArguments::declare(OptionList& options) {
  options.integer("--beams", "N", beams_, 1, 1024,
                  tr("beam search: follow the N most likely texts at once; default: 1"));
  options.number("--length-penalty", "P", length_penalty_,
                 tr("with --beams: a text of n tokens has the score log p / n^P, so that a larger P gives "
                    "longer texts; default: 1"));
  options.flag(
      "--early-end", early_end_,
      tr("with --beams: end as soon as there are N whole texts, even if an open one looks better"));
}

void BeamArguments::check() const {
  if (!searches() && (length_penalty_ || early_end_)) {
    throw UsageError("--length-penalty and --early-end are for --beams 2 or more");
  }
  if (length_penalty_ && !(*length_penalty_ >= -100 && *length_penalty_ <= 100)) {
    throw UsageError(fmt::format("--length-penalty: got {}, expected -100 to 100", *length_penalty_));
  }
}

void BeamArguments::apply(GenerationOptions& options) const {
  options.beams = beams_.value_or(1);
  options.length_penalty = length_penalty_.value_or(1);
  options.early_end = early_end_;
}

}  // namespace fovea::command
