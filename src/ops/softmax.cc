#include "fovea/softmax.h"

#include "core/fail.h"
#include "kernels/softmax.h"
#include "ops/observed_call.h"

namespace fovea {

Tensor softmax(ConstView x, int axis) {
  const int rank = x.shape().rank();
  if (axis < -rank || axis >= rank) {
    fail("[softmax] axis {} is outside shape {}", axis, x.shape().to_string());
  }
  if (axis < 0) axis += rank;
  Tensor result = Tensor::copy_of(x);
  Index outer = 1, inner = 1;
  for (int a = 0; a < axis; ++a) outer *= x.shape()[a];
  for (int a = axis + 1; a < rank; ++a) inner *= x.shape()[a];
  const auto describe = [&] {
    return CallText{fmt::format("x {}", x.shape().to_string()), fmt::format("rows of {}", x.shape()[axis])};
  };
  run_observed("softmax", describe,
               [&] { kernels::softmax_rows(result.data(), outer, x.shape()[axis], inner); });
  return result;
}

}  // namespace fovea
