#include "commands/learn/progress.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "fovea/error.h"
#include "fovea/file.h"
#include "fovea/flat_json.h"
#include "fovea/json_writer.h"

namespace fovea::command {
namespace {

namespace fs = std::filesystem;

void write_ids(JsonWriter& json, const char* key, const std::set<std::string>& ids) {
  json.key(key).strings({ids.begin(), ids.end()});
}

}  // namespace

std::string progress_file() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return (fs::path(data) / "fovea" / "learn.json").string();
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') throw Error("[learn] neither XDG_DATA_HOME nor HOME is set");
  return (fs::path(home) / ".local" / "share" / "fovea" / "learn.json").string();
}

LearnProgress load_progress() {
  const std::string path = progress_file();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  FlatJson kept;
  try {
    kept = load_flat_json(path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; fovea learn reset begins anew", error.what()));
  }
  const auto ids = [&](const char* key) {
    const auto found = kept.find(key);
    return found == kept.end() ? std::set<std::string>()
                               : std::set<std::string>(found->second.begin(), found->second.end());
  };
  return {ids("lessons"), ids("exercises"), ids("questions")};
}

void add_progress(const LearnProgress& done) {
  LearnProgress all = load_progress();
  all.lessons.insert(done.lessons.begin(), done.lessons.end());
  all.exercises.insert(done.exercises.begin(), done.exercises.end());
  all.questions.insert(done.questions.begin(), done.questions.end());
  JsonWriter json;
  json.begin_object();
  write_ids(json, "lessons", all.lessons);
  write_ids(json, "exercises", all.exercises);
  write_ids(json, "questions", all.questions);
  json.end_object();
  const fs::path path = progress_file();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw Error(fmt::format("[learn] {}: {}", path.parent_path().string(), error.message()));
  write_file(path.string(), json.take());
}

void reset_progress() {
  std::error_code error;
  fs::remove(progress_file(), error);
  if (error) throw Error(fmt::format("[learn] {}: {}", progress_file(), error.message()));
}

}  // namespace fovea::command
