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

// How a model is loaded.
struct LoadArguments {
  std::optional<FloatType> weights;   // the type in which they are kept; none: float32
  std::string precision = "float32";  // of products; or "bf16"

  void declare(OptionList& options);  // --weights and --precision
  bool given() const { return weights || precision != "float32"; }
  // Throws UsageError for either without a model.
  void check(const std::optional<std::string>& model) const;
  // Throws UsageError for what does not go together.
  ModelOptions options() const;
};
// Where --weights means something else.
void declare_weights(OptionList& options, std::optional<FloatType>& weights, const std::string& name);

// A name (fovea model list) or a folder.
TextModel load_named_model(const std::string& name_or_folder, const LoadArguments& load = {});
// What reads a folder, for the explorer.
TextModel load_model_folder(const std::string& folder, const LoadArguments& load);

// Runs the model on texts given as arguments (text_argument.h), with a note on what it did not know or
// read.
Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   const LoadArguments& load = {}, bool value_norms = false);

}  // namespace fovea::command
