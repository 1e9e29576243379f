// From `--model M TEXT [TEXT2]` to a run of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/capture.h"
#include "fovea/model.h"
#include "fovea/tokenizer.h"
#include "options.h"

namespace fovea::command {

struct LoadedModel {
  Model model;
  Tokenizer tokenizer;
};

void declare_model(OptionList& options, std::optional<std::string>& model);

// A name (fovea model list) or a folder.
LoadedModel load_named_model(const std::string& name_or_folder);

// The tokens of a text, or of a pair. More than the model takes, less `room`, are cut off, with a note on
// standard error.
Encoding encode_for(const LoadedModel& loaded, const std::vector<std::string>& texts, Index room = 0);

// Runs the model on a text, or on a pair, and keeps what its heads did, tokens included. Of an
// encoder-decoder model the second text is what it is made to write; without one it writes by itself.
Capture capture_texts(const LoadedModel& loaded, const std::vector<std::string>& texts);

// The same of a text that was generated: the prompt and the new tokens, in one run.
Capture capture_generation(const LoadedModel& loaded, const Encoding& prompt,
                           const std::vector<Index>& ids);

}  // namespace fovea::command
