#include "fovea/float_type.h"

namespace fovea {

const char* to_string(FloatType type) {
  switch (type) {
    case FloatType::float32:
      return "float32";
    case FloatType::float16:
      return "float16";
    case FloatType::bfloat16:
      return "bfloat16";
    case FloatType::int8:
      return "int8";
  }
  return "";
}

}  // namespace fovea
