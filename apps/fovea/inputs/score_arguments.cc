#include "inputs/score_arguments.h"

#include <fmt/core.h>

#include "inputs/mask_argument.h"

namespace fovea::command {

void ScoreArguments::declare(OptionList& options) {
  declare_mask(options, mask_);
  options.number("--scale", "X", scale_, tr("factor for the scores; default: 1/√D"));
  options.number("--softcap", "C", softcap_, tr("C·tanh(score/C); default: off"));
  options.flag("--alibi", alibi_, tr("add ALiBi's distance bias, with the paper's slopes"));
}

void ScoreArguments::check() const {
  if (softcap_ && !(*softcap_ >= 1e-30 && *softcap_ <= 1e30)) {
    throw UsageError(fmt::format("--softcap: got {}, expected 1e-30 to 1e30", *softcap_));
  }
  mask_of(mask_);
}

Mask ScoreArguments::mask() const { return mask_of(mask_); }

AttentionOptions ScoreArguments::attention_options(Index heads) const {
  AttentionOptions options;
  options.mask = mask();
  if (alibi_) options.bias = Bias::alibi(alibi_slopes(heads));
  if (scale_) options.scale = static_cast<float>(*scale_);
  options.softcap = static_cast<float>(softcap_.value_or(0));
  return options;
}

}  // namespace fovea::command
