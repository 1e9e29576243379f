// The two languages people read fovea in.
#pragma once

#include <string>

#include "fovea/api.h"

namespace fovea {

enum class Language { english, chinese };

// One sentence in both languages.
struct FOVEA_API Text {
  std::string en;
  std::string zh;
  const std::string& in(Language language) const { return language == Language::chinese ? zh : en; }
};

}  // namespace fovea
