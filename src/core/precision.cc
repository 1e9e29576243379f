#include "fovea/precision.h"

namespace fovea {

const char* to_string(Precision precision) {
  return precision == Precision::bfloat16 ? "bfloat16" : "float32";
}

}  // namespace fovea
