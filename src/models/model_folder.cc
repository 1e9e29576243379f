#include "models/model_folder.h"

#include <algorithm>
#include <filesystem>

#include "core/fail.h"
#include "fovea/render.h"
#include "io/json.h"
#include "models/llama2c.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// Names of the files that end so, in order.
std::vector<std::string> files_ending(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending) && entry.is_regular_file(error)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void refuse_pickle(const fs::path& folder, const std::string& name) {
  fail(
      "[model] {}: {} is a Python pickle, which can run arbitrary code when loaded; convert it once, in "
      "that folder: python -c \"import torch; from safetensors.torch import save_file; save_file({{k: "
      "v.contiguous().clone() for k, v in torch.load('{}', map_location='cpu', "
      "weights_only=True).items()}}, 'model.safetensors')\"",
      folder.string(), name, name);
}

void add_weights(const fs::path& folder, WeightFiles& weights) {
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  if (has("model.safetensors")) return weights.add_safetensors((folder / "model.safetensors").string());
  if (has("model.safetensors.index.json")) {
    return weights.add_sharded((folder / "model.safetensors.index.json").string());
  }
  const std::vector<std::string> others = files_ending(folder, ".safetensors");
  if (others.size() == 1) return weights.add_safetensors((folder / others.front()).string());
  if (others.size() > 1) {
    fail(
        "[model] {}: several weight files ({}), but no model.safetensors and no "
        "model.safetensors.index.json",
        folder.string(), listed(others));
  }
  for (const char* name : {"pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "pytorch_model.pt"}) {
    if (has(name)) refuse_pickle(folder, name);
  }
  fail(
      "[model] {}: no weights found: expected model.safetensors, model.safetensors.index.json with its "
      "files, or one other .safetensors",
      folder.string());
}

// generation_config.json, where there is one, has the last word on how the model writes.
void add_generation(const fs::path& folder, Json& config) {
  const std::string path = (folder / "generation_config.json").string();
  if (!config.is_object() || !fs::exists(path)) return;
  const Json generation = load_json(path);
  if (!generation.is_object()) {
    fail("[model] {}: expected an object, got {}", path, generation.type_name());
  }
  const auto said = [&](const char* name) {
    return generation.contains(name) && !generation[name].is_null();
  };
  for (const char* name : {"eos_token_id", "decoder_start_token_id"}) {
    if (said(name)) config[name] = generation[name];
  }
  for (const char* name : {"forced_bos_token_id", "forced_eos_token_id", "bad_words_ids"}) {
    config.erase(name);
    if (said(name)) config[name] = generation[name];
  }
}

}  // namespace

Json open_model_folder(const std::string& path, WeightFiles& weights) {
  const fs::path folder(path);
  if (!fs::is_directory(folder)) {
    fail("[model] {}: {}", path,
         fs::exists(folder) ? "is a file, expected a model's folder" : "there is no such folder");
  }
  if (fs::exists(folder / "config.json")) {
    Json config = load_json((folder / "config.json").string());
    add_generation(folder, config);
    add_weights(folder, weights);
    return config;
  }
  std::vector<std::string> binaries = files_ending(folder, ".bin");
  std::erase(binaries, "tokenizer.bin");
  if (std::find(binaries.begin(), binaries.end(), "pytorch_model.bin") != binaries.end()) {
    refuse_pickle(folder, "pytorch_model.bin");
  }
  if (binaries.size() == 1) {
    return read_llama2c(weights.add_file((folder / binaries.front()).string(), "llama2.c"), weights);
  }
  fail(
      "[model] {}: no model found here: expected config.json with .safetensors files, or one llama2.c "
      ".bin{}",
      path, binaries.empty() ? "" : "; there are " + listed(binaries));
}

}  // namespace fovea
