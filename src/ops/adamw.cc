#include "ops/adamw.h"

namespace fovea {
inline namespace internal {

void adamw_step(const AdamWStep& step, const std::vector<ParameterRange>& ranges) {
  kernels::adamw_step(step, ranges);
}

double sum_of_squares(const float* x, const std::vector<ParameterRange>& ranges) {
  return kernels::sum_of_squares(x, ranges);
}

}  // namespace internal
}  // namespace fovea
