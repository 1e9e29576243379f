#include "fovea/ascii.h"

namespace fovea {

std::string ascii_lower_case(std::string text) {
  for (char& c : text) c = ascii_lower_case(c);
  return text;
}

}  // namespace fovea
