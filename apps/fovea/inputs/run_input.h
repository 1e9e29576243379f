// The run that a command looks at: weights of a file, --q and --k, --model with a text, or --capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/language.h"
#include "fovea/run.h"
#include "inputs/model_input.h"
#include "inputs/score_arguments.h"
#include "inputs/weights_input.h"
#include "options.h"

namespace fovea::command {

// A run, and the kind of attention that is looked at.
struct OpenRun {
  Run run;
  AttentionKind kind = AttentionKind::encoder;

  const LayerView& layer(Index index = 0) const { return run.layer(kind, index); }
  Index layers() const { return run.layers(kind); }
  std::vector<std::string> query_labels(Index batch) const { return run.query_labels(kind, batch); }
  std::vector<std::string> key_labels(Index batch) const { return run.key_labels(kind, batch); }
};

class RunInput {
 public:
  void declare(OptionList& options);
  // Are there queries and keys, a model or a kept run, instead of a file of weights?
  bool computed() const { return q_ || k_ || model_ || capture_; }
  bool takes_texts() const { return model_.has_value(); }  // the words of the command line are texts
  // Throws UsageError: --k without --q, --scale without either, several sources, a model without a text.
  // `words`: how many there are on the command line that are no options.
  void check(std::size_t words) const;

  // `words`: a file that holds weights, or what the model is to read; none with --q or --capture. A mask
  // that was asked for hides more than the model's own; of stored weights it tells what is visible. Names
  // of tokens that were given replace the run's. Standard error tells, in this language, what the model did
  // not know or read. `value_norms`: of a model, the run can tell what heads pass on.
  OpenRun load(const std::vector<std::string>& words, Language language, bool value_norms = false) const;
  OpenRun of_weights(AttentionWeights weights) const;  // that are there already

  Mask mask() const { return scores_.mask(); }
  const TokenInput& tokens() const { return weights_.tokens(); }

 private:
  Run from_files() const;
  OpenRun of_run(Run run) const;
  AttentionKind kind_of(const Run& run) const;

  WeightsInput weights_;
  std::optional<std::string> q_, k_, model_, capture_;
  LoadArguments load_;
  std::string kind_;
  ScoreArguments scores_;
};

}  // namespace fovea::command
