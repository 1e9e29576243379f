// --mask, --scale, --softcap, --alibi: how scores come about, the same in every command that computes them.
#pragma once

#include <optional>
#include <string>

#include "fovea/attention.h"
#include "options.h"

namespace fovea::command {

class ScoreArguments {
 public:
  void declare(OptionList& options);
  void check() const;  // throws UsageError, before files are read
  // `heads`: of the queries, for ALiBi's slopes.
  AttentionOptions attention_options(Index heads) const;
  Mask mask() const;  // it also tells which keys of given weights are visible
  bool given() const { return mask_ || change_scores(); }
  bool change_scores() const { return scale_ || softcap_ || alibi_; }

 private:
  std::optional<std::string> mask_;
  std::optional<double> scale_, softcap_;
  bool alibi_ = false;
};

}  // namespace fovea::command
