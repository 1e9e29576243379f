// From `--model M TEXT [TEXT2]` to a run of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/text_model.h"
#include "options.h"

namespace fovea::command {

void declare_model(OptionList& options, std::optional<std::string>& model);

// A name (fovea model list) or a folder.
TextModel load_named_model(const std::string& name_or_folder);

// Tells on standard error that tokens were cut off, if any were.
void report_cut(Index kept, Index cut);

// Runs the model on texts given as arguments (text_argument.h), with a note if they are too long for it.
Run read_arguments(const std::string& model, const std::vector<std::string>& arguments);

}  // namespace fovea::command
