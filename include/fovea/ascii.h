// Letters of ASCII: for endings of file names, headers of HTTP, names in files. Not for words of people.
#pragma once

#include <string>

#include "fovea/api.h"

namespace fovea {

constexpr char ascii_lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A to Z become a to z; every other byte stays, so that UTF-8 stays valid.
FOVEA_API std::string ascii_lower_case(std::string text);

}  // namespace fovea
