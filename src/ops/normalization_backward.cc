#include "kernels/normalization_backward.h"

#include "ops/normalization.h"
#include "ops/normalization_checks.h"

namespace fovea {
inline namespace internal {
namespace {

kernels::NormBackwardProblem checked_problem(const char* op, const NormBackward& norm) {
  const Shape& x = norm.x.shape();
  check_rows(op, "x", x, norm.x);
  check_rows(op, "dy", x, norm.dy);
  check_rows(op, "dx", x, norm.dx);
  check_width(op, "weight", x, norm.weight.shape());
  check_width(op, "dweight", x, norm.dweight.shape());
  return {norm.x.data(),       norm.dy.data(), x[0],           x[1],
          norm.weight.data(),  norm.epsilon,   norm.dx.data(), norm.add,
          norm.dweight.data(), nullptr};
}

}  // namespace

void layer_norm_backward(const NormBackward& norm, View dbias) {
  kernels::NormBackwardProblem problem = checked_problem("layer norm", norm);
  check_width("layer norm", "dbias", norm.x.shape(), dbias.shape());
  problem.dbias = dbias.data();
  kernels::layer_norm_backward(problem);
}

void rms_norm_backward(const NormBackward& norm) {
  kernels::rms_norm_backward(checked_problem("rms norm", norm));
}

}  // namespace internal
}  // namespace fovea
