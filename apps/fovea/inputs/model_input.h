// From `--model M TEXT [TEXT2]` to a run of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/language.h"
#include "fovea/text_model.h"
#include "options.h"

namespace fovea::command {

std::vector<std::string> names_of_models();  // that can be downloaded
void declare_model(OptionList& options, std::optional<std::string>& model);

// A name (fovea model list) or a folder.
TextModel load_named_model(const std::string& name_or_folder);

// Runs the model on texts given as arguments (text_argument.h), with a note on what it did not know or
// read.
Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   bool value_norms = false);

}  // namespace fovea::command
