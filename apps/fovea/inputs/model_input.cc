#include "inputs/model_input.h"

#include "fovea/passed_on.h"
#include "inputs/model_store.h"
#include "inputs/text_argument.h"
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

TextModel load_named_model(const std::string& name_or_folder) {
  return TextModel::load(model_folder(name_or_folder));
}

Run read_arguments(const std::string& model, const std::vector<std::string>& arguments, Language language,
                   bool value_norms) {
  const TextModel loaded = load_named_model(model);
  Run run = loaded.read(texts_of_arguments(arguments)).run;
  print_reading_notes(run.readings(), language);
  if (value_norms) add_value_norms(loaded.model(), run);
  return run;
}

}  // namespace fovea::command
