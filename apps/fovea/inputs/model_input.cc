#include "inputs/model_input.h"

#include <utility>

#include "fovea/passed_on.h"
#include "inputs/model_store.h"
#include "inputs/text_argument.h"
#include "inputs/type_argument.h"
#include "output/reading_notes.h"

namespace fovea::command {

std::vector<std::string> names_of_models() {
  std::vector<std::string> names;
  for (const StoredModel& model : stored_models()) names.push_back(model.name);
  return names;
}

void declare_model(OptionList& options, std::optional<std::string>& model) {
  options.path("--model", "M", model, tr("a model: its folder, or a name from fovea model list"));
  options.suggest_last(names_of_models());
}

void declare_weights(OptionList& options, std::optional<FloatType>& weights, const std::string& name) {
  declare_type(options, name, weights,
               tr("keep the model's weights as float32, float16, bfloat16 (half the memory) or int8 (a "
                  "quarter); default: float32"));
}

void check_weights(const std::optional<FloatType>& weights, const std::optional<std::string>& model,
                   const std::string& name) {
  if (weights && !model) throw UsageError(name + " needs --model");
}

TextModel load_model_folder(const std::string& folder, std::optional<FloatType> weights) {
  Model model = load_model(folder, {.weights = weights.value_or(FloatType::float32)});
  return TextModel(std::move(model), Tokenizer::load(folder));
}

TextModel load_named_model(const std::string& name_or_folder, std::optional<FloatType> weights) {
  return load_model_folder(model_folder(name_or_folder), weights);
}

Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   std::optional<FloatType> weights, bool value_norms) {
  const TextModel loaded = load_named_model(model, weights);
  Run run = loaded.read(texts_of_arguments(arguments)).run;
  print_reading_notes(run.readings(), language);
  if (value_norms) add_value_norms(loaded.model(), run);
  return run;
}

}  // namespace fovea::command
