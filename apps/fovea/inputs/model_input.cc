#include "inputs/model_input.h"

#include <fmt/core.h>

#include "inputs/model_store.h"
#include "inputs/text_argument.h"
#include "output/output.h"

namespace fovea::command {

void declare_model(OptionList& options, std::optional<std::string>& model) {
  options.path("--model", "M", model, tr("a model: its folder, or a name of fovea model list"));
}

TextModel load_named_model(const std::string& name_or_folder) {
  return TextModel::load(model_folder(name_or_folder));
}

void report_cut(Index kept, Index cut) {
  if (cut == 0) return;
  print_message(fmt::format(
      "fovea: the text was cut to {} tokens, the length the model takes; {} are left out", kept, cut));
}

Run read_arguments(const std::string& model, const std::vector<std::string>& arguments) {
  const TextModel loaded = load_named_model(model);
  TextRun read = loaded.read(texts_of_arguments(arguments));
  report_cut(read.input.ids.shape()[1], read.cut);
  return std::move(read.run);
}

}  // namespace fovea::command
