#include "inputs/model_input.h"

#include <fmt/core.h>

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

void LoadArguments::declare(OptionList& options) {
  declare_weights(options, weights, "--weights");
  options.choice("--precision", {"float32", "bf16"}, precision,
                 tr("bf16: compute the model with factors rounded to bfloat16, summed in float32 "
                    "(fovea info tells by what); relative error about 0.5 %; default: float32"));
}

void LoadArguments::check(const std::optional<std::string>& model) const {
  if (weights && !model) throw UsageError("--weights needs --model");
  if (given() && !model) throw UsageError("--precision needs --model");
}

ModelOptions LoadArguments::options() const {
  const FloatType type = weights.value_or(FloatType::float32);
  if (precision == "float32") return {.weights = type};
  if (type != FloatType::float32 && type != FloatType::bfloat16) {
    throw UsageError(
        fmt::format("--precision bf16 keeps the model's weights as bfloat16, got {}", to_string(type)));
  }
  return {.weights = type, .precision = Precision::bfloat16};
}

TextModel load_model_folder(const std::string& folder, const LoadArguments& load) {
  Model model = load_model(folder, load.options());
  return TextModel(std::move(model), Tokenizer::load(folder));
}

TextModel load_named_model(const std::string& name_or_folder, const LoadArguments& load) {
  return load_model_folder(model_folder(name_or_folder), load);
}

Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   const LoadArguments& load, bool value_norms) {
  const TextModel loaded = load_named_model(model, load);
  Run run = loaded.read(texts_of_arguments(arguments)).run;
  print_reading_notes(run.readings(), language);
  if (value_norms) add_value_norms(loaded.model(), run);
  return run;
}

}  // namespace fovea::command
