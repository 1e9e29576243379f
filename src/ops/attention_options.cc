#include "ops/attention_options.h"

#include <cmath>
#include <string_view>

#include "core/fail.h"
#include "mask/bias_node.h"

namespace fovea {

void check_options(const char* op, const AttentionOptions& options, const ScoreExtents& extents) {
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    fail("[{}] dropout is {}, expected 0 ≤ p < 1", op, options.dropout);
  }
  if (options.softcap != 0 && !(options.softcap >= 1e-30f && options.softcap <= 1e30f)) {
    fail("[{}] softcap is {}, expected 0 (off) or 1e-30 .. 1e30", op, options.softcap);
  }
  if (options.scale && !std::isfinite(*options.scale)) {
    fail("[{}] scale is {}, expected a finite number", op, *options.scale);
  }
  if (options.precision == Precision::bfloat16) {
    const bool forward = std::string_view(op) == "attention";
    if (!forward || options.weights || options.dropout > 0) {
      fail("[{}] precision bfloat16 computes the output and log-sum-exp of attention; {} float32", op,
           !forward          ? "this needs"
           : options.weights ? "weights need"
                             : "dropout needs");
    }
  }
  if (!options.mask.is_none()) options.mask.node()->check(extents);
  if (!options.bias.is_none()) options.bias.node()->check(extents);
}

float scale_of(const AttentionOptions& options, Index depth) {
  const float usual = depth == 0 ? 1.0f : static_cast<float>(1.0 / std::sqrt(static_cast<double>(depth)));
  return options.scale.value_or(usual);
}

kernels::ScoreProblem score_problem(const AttentionViews& views, const AttentionOptions& options) {
  kernels::ScoreProblem problem{views.q, views.k};
  problem.mask = options.mask.node();
  problem.bias = options.bias.node();
  problem.scale = scale_of(options, views.q.shape()[4]);
  problem.softcap = options.softcap;
  return problem;
}

}  // namespace fovea
