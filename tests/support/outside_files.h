// Files that are no part of the project: published models and shared data. A test that does not find its
// files is skipped with one line, "needs WHAT: COMMAND", which scripts/run_tests repeats after the last
// test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fovea::testing {

// A folder of test data: in $FOVEA_SHARED_DATA, or in ../shared/data beside the project; "" where it is
// absent.
inline std::string shared_data(const std::string& name) {
  const char* given = std::getenv("FOVEA_SHARED_DATA");
  const std::filesystem::path project = std::filesystem::path(FOVEA_TEST_DATA) / "../..";
  const std::filesystem::path folder =
      given != nullptr && *given != '\0' ? given : project / "../shared/data";
  return std::filesystem::exists(folder / name) ? (folder / name).string() : "";
}

inline std::string needs_shared_data(const std::string& name) {
  return "needs " + name + " of ../shared/data: FOVEA_SHARED_DATA=FOLDER make test";
}

// Where `fovea model get` puts a model, "" where it is absent.
inline std::string cached_model(const std::string& name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path path = cache != nullptr && *cache == '/' ? cache : "";
  if (path.empty() && home != nullptr) path = std::filesystem::path(home) / ".cache";
  path = path / "fovea" / "models" / name;
  return std::filesystem::exists(path) ? path.string() : "";
}

inline std::string needs_model(const std::string& name) {
  return "needs the model " + name + ": make run ARGS=\"model get " + name + "\"";
}

}  // namespace fovea::testing
