#include "ops/cross_entropy.h"

#include "core/fail.h"
#include "kernels/cross_entropy.h"

namespace fovea {
inline namespace internal {

CrossEntropyResult cross_entropy(View logits, const std::vector<Index>& targets,
                                 const CrossEntropyOptions& options) {
  const Shape& shape = logits.shape();
  const auto rows = static_cast<Index>(targets.size());
  if (shape.rank() != 2 || shape[0] != rows || !logits.is_contiguous()) {
    fail("[cross-entropy] logits are {}, expected [{}, classes], contiguous: one row per target",
         shape.to_string(), rows);
  }
  if (!(options.smoothing >= 0 && options.smoothing < 1)) {
    fail("[cross-entropy] label smoothing is {}, expected 0 ≤ s < 1", options.smoothing);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] >= 0 && targets[i] < shape[1]) continue;
    fail("[cross-entropy] target {} is {}, expected 0 to {}", i, targets[i], shape[1] - 1);
  }
  std::vector<double> losses(targets.size());
  std::vector<std::uint8_t> correct(targets.size());
  kernels::cross_entropy({.logits = logits.data(),
                          .rows = rows,
                          .classes = shape[1],
                          .stride = shape[1],
                          .targets = targets.data(),
                          .smoothing = options.smoothing,
                          .gradient_scale = options.gradient_scale,
                          .gradient = options.gradient,
                          .losses = losses.data(),
                          .correct = correct.data()});
  CrossEntropyResult result;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    result.loss += losses[i];
    result.correct += correct[i];
  }
  return result;
}

}  // namespace internal
}  // namespace fovea
