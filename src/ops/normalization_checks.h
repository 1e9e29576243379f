// What norms, and their gradients, expect of their shapes.
#pragma once

#include "core/fail.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

inline void check_width(const char* op, const char* name, const Shape& x, const Shape& parameter) {
  if (x.rank() >= 1 && parameter.rank() == 1 && parameter[0] == x.back()) return;
  fail("[{}] x is {}, {} is {}: expected one value per feature", op, x.to_string(), name,
       parameter.to_string());
}

inline void check_rows(const char* op, const char* name, const Shape& x, const ConstView& other) {
  if (x.rank() == 2 && other.shape() == x && other.is_contiguous()) return;
  fail("[{}] x is {}, {} is {}: expected [rows, E], contiguous", op, x.to_string(), name,
       other.shape().to_string());
}

}  // namespace internal
}  // namespace fovea
