#include "kernels/attention_backward.h"

#include <fmt/core.h>

#include "core/fail.h"
#include "fovea/attention.h"
#include "kernels/attention_backward_plan.h"
#include "kernels/tile_sizes.h"
#include "ops/attention_options.h"
#include "ops/attention_views.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

void check_forward(const AttentionResult& forward, const Shape& output, const Shape& rows) {
  if (forward.logsumexp.empty()) {
    fail("[attention_backward] the forward result has no log-sum-exp: ask attention() for it with {}",
         "{.logsumexp = true}");
  }
  if (!(forward.output.shape() == output)) {
    fail("[attention_backward] the forward output has shape {}, expected {}",
         forward.output.shape().to_string(), output.to_string());
  }
  if (!(forward.logsumexp.shape() == rows)) {
    fail("[attention_backward] the log-sum-exp has shape {}, expected {}",
         forward.logsumexp.shape().to_string(), rows.to_string());
  }
}

}  // namespace

AttentionGradients attention_backward(ConstView q, ConstView k, ConstView v, const AttentionResult& forward,
                                      ConstView doutput, const AttentionOptions& options) {
  const AttentionViews views = attention_views("attention_backward", q, k, v);
  check_options("attention_backward", options, views.extents());
  const Shape output = views.result_shape(views.q.shape()[3], views.v.shape()[4]);
  check_forward(forward, output, views.row_shape());
  if (!(doutput.shape() == output)) {
    fail("[attention_backward] doutput has shape {}, expected that of the output, {}",
         doutput.shape().to_string(), output.to_string());
  }

  AttentionGradients gradients;
  gradients.dq = Tensor::uninitialized(q.shape());
  gradients.dk = Tensor::uninitialized(k.shape());
  gradients.dv = Tensor::uninitialized(v.shape());
  if (!options.bias.is_none()) gradients.dbias = Tensor::uninitialized(options.bias.node()->data_shape());

  kernels::AttentionBackwardProblem problem{score_problem(views, options), views.v, as_rank_5(doutput)};
  problem.output = forward.output.data();
  problem.logsumexp = forward.logsumexp.data();
  problem.dropout = options.dropout;
  problem.seed = options.seed;
  problem.dq = gradients.dq.data();
  problem.dk = gradients.dk.data();
  problem.dv = gradients.dv.data();
  problem.dbias = gradients.dbias.data();
  run_observed(
      "attention_backward",
      [&] {
        return CallText{shapes_text(q.shape(), k.shape(), v.shape()),
                        fmt::format("strips: {} queries × {} keys", kernels::strip_width(),
                                    kernels::kBackwardKeyBlock)};
      },
      [&] { kernels::attention_backward(problem); });
  return gradients;
}

}  // namespace fovea
