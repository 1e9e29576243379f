// From `--model M TEXT [TEXT2]` to a run of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/float_type.h"
#include "fovea/language.h"
#include "fovea/text_model.h"
#include "options.h"

namespace fovea::command {

std::vector<std::string> names_of_models();  // that can be downloaded
void declare_model(OptionList& options, std::optional<std::string>& model);
// The type in which the model's weights are kept; none: float32. `name`: of the option, where --weights
// means something else.
void declare_weights(OptionList& options, std::optional<FloatType>& weights,
                     const std::string& name = "--weights");
// Throws UsageError for a type without a model.
void check_weights(const std::optional<FloatType>& weights, const std::optional<std::string>& model,
                   const std::string& name = "--weights");

// A name (fovea model list) or a folder.
TextModel load_named_model(const std::string& name_or_folder, std::optional<FloatType> weights = {});
// What reads a folder, for the explorer.
TextModel load_model_folder(const std::string& folder, std::optional<FloatType> weights);

// Runs the model on texts given as arguments (text_argument.h), with a note on what it did not know or
// read.
Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   std::optional<FloatType> weights = {}, bool value_norms = false);

}  // namespace fovea::command
