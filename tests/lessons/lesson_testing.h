// What the tests of the lessons share.
#pragma once

#include <filesystem>
#include <string>

#include "fovea/live.h"

namespace fovea {

inline constexpr Language kBothLanguages[] = {Language::english, Language::chinese};

// Our own models as they stand in the repository.
inline std::string own_lesson_model(const std::string& name) {
  const std::string folder = std::string(FOVEA_TEST_DATA) + "/../../models/" + name;
  return std::filesystem::exists(folder + "/config.json") ? folder : "";
}

}  // namespace fovea
