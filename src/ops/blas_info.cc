#include "ops/blas_info.h"

#include <cblas.h>

#include <sstream>

namespace fovea {

std::string blas_config() { return openblas_get_config(); }

std::string blas_version() {
  std::istringstream words(blas_config());
  for (std::string word; words >> word;) {
    if (!word.empty() && word.front() >= '0' && word.front() <= '9') return word;
  }
  return "unknown";
}

}  // namespace fovea
