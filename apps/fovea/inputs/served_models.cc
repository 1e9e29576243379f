#include "inputs/served_models.h"

#include <algorithm>
#include <filesystem>

#include "fovea/error.h"
#include "fovea/model.h"
#include "inputs/model_store.h"
#include "inputs/own_models.h"

namespace fovea::command {

std::vector<explorer::ServedModel> served_models(const std::optional<std::string>& named) {
  std::vector<explorer::ServedModel> models;
  if (named) {
    const std::string folder = model_folder(*named);
    models.push_back({inspect_model(folder).name, folder});
  }
  for (const StoredModel& stored : stored_models()) {
    const auto same = [&](const explorer::ServedModel& model) { return model.id == stored.name; };
    if (std::any_of(models.begin(), models.end(), same)) continue;
    models.push_back({stored.name, is_stored(stored) ? model_folder(stored.name) : ""});
  }
  for (const OwnModel& own : own_models()) {
    const auto same = [&](const explorer::ServedModel& model) { return model.id == own.name; };
    const std::string folder = own_model_folder(own.name);
    if (!folder.empty() && std::none_of(models.begin(), models.end(), same)) {
      models.push_back({own.name, folder});
    }
  }
  return models;
}

std::string chosen_model(const std::vector<explorer::ServedModel>& models) {
  for (const explorer::ServedModel& model : models) {
    if (!model.folder.empty()) return model.id;
  }
  throw Error("[explorer] no model installed; use fovea model get minilm, or --model FOLDER");
}

}  // namespace fovea::command
