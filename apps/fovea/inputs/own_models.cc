#include "inputs/own_models.h"

#include <algorithm>
#include <filesystem>

#include "inputs/model_store.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

// Relative to the program itself, so that an installation can be moved: FOVEA_SHARE is "../share".
fs::path own_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : (program.parent_path() / FOVEA_SHARE / "fovea" / "models").lexically_normal();
}

bool holds_model(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "config.json", ignored) ||
         fs::is_regular_file(folder / "model.bin", ignored);
}

}  // namespace

const std::vector<OwnModel>& own_models() {
  static const std::vector<OwnModel> kModels = {
      {"coreference", tr("our own: BERT, 2 layers of 4 heads, tells who 他 or 她 is")},
      {"en-zh",
       tr("our own: BART, 2 + 2 layers of 4 heads, translates short English sentences into Chinese")},
      {"induction", tr("our own: Llama, 2 layers of 4 heads, predicts words that repeat")},
      {"sort", tr("our own: GPT-2, 2 layers of 2 heads, sorts eight digits")}};
  return kModels;
}

std::string own_model_folder(const std::string& name) {
  const auto is_own = [&](const OwnModel& model) { return model.name == name; };
  if (std::none_of(own_models().begin(), own_models().end(), is_own)) return "";
  const fs::path folder = own_folder() / name;
  return holds_model(folder) ? folder.string() : "";
}

std::vector<std::string> further_models() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(models_folder(), error)) {
    const std::string name = entry.path().filename().string();
    const auto is_known = [&](const auto& model) { return model.name == name; };
    const bool known = std::any_of(stored_models().begin(), stored_models().end(), is_known) ||
                       std::any_of(own_models().begin(), own_models().end(), is_known);
    if (!known && !name.starts_with('.') && holds_model(entry.path())) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace fovea::command
