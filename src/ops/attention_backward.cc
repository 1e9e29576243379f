#include "kernels/attention_backward.h"

#include <fmt/core.h>

#include "core/fail.h"
#include "fovea/attention.h"
#include "kernels/attention_backward_plan.h"
#include "kernels/tile_sizes.h"
#include "ops/attention_buffers.h"
#include "ops/attention_options.h"
#include "ops/attention_views.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

void check_shape(const char* what, const Shape& got, const Shape& expected) {
  if (got == expected) return;
  fail("[attention_backward] {} has shape {}, expected {}", what, got.to_string(), expected.to_string());
}

void check_rows(const char* what, const BasicView<float>& x) {
  if (x.stride(x.shape().rank() - 1) == 1 || x.shape().back() <= 1) return;
  fail("[attention_backward] the rows of {} must be contiguous", what);
}

View result_as_rank_5(View view) {
  while (view.shape().rank() < kMaxRank) {
    const int rank = view.shape().rank();
    view = view.insert_axis(rank == 3 ? 1 : 0);  // [B, N, D] is one head: [B, 1, N, D]
  }
  return view;
}

}  // namespace

inline namespace internal {

Shape bias_data_shape(const Bias& bias) { return bias.is_none() ? Shape() : bias.node()->data_shape(); }

void attention_backward_into(ConstView q, ConstView k, ConstView v, const AttentionOptions& options,
                             const AttentionBackwardBuffers& buffers) {
  const AttentionViews views = attention_views("attention_backward", q, k, v);
  check_options("attention_backward", options, views.extents());
  const Shape output = views.result_shape(views.q.shape()[3], views.v.shape()[4]);
  check_shape("the forward output", buffers.output.shape(), output);
  check_shape("the log-sum-exp", buffers.logsumexp.shape(), views.row_shape());
  if (!(buffers.doutput.shape() == output)) {
    fail("[attention_backward] doutput has shape {}, expected that of the output, {}",
         buffers.doutput.shape().to_string(), output.to_string());
  }
  check_shape("dq", buffers.dq.shape(), q.shape());
  check_shape("dk", buffers.dk.shape(), k.shape());
  check_shape("dv", buffers.dv.shape(), v.shape());
  check_rows("dq", buffers.dq);
  check_rows("dk", buffers.dk);
  check_rows("dv", buffers.dv);

  kernels::AttentionBackwardProblem problem{score_problem(views, options), views.v,
                                            as_rank_5(buffers.doutput),    as_rank_5(buffers.output),
                                            result_as_rank_5(buffers.dq),  result_as_rank_5(buffers.dk),
                                            result_as_rank_5(buffers.dv)};
  problem.logsumexp = buffers.logsumexp.data();
  problem.dropout = options.dropout;
  problem.seed = options.seed;
  problem.dbias = buffers.dbias;
  run_observed(
      "attention_backward",
      [&] {
        return CallText{shapes_text(q.shape(), k.shape(), v.shape()),
                        fmt::format("strips: {} queries × {} keys", kernels::strip_width(),
                                    kernels::kBackwardKeyBlock)};
      },
      [&] { kernels::attention_backward(problem); });
}

}  // namespace internal

AttentionGradients attention_backward(ConstView q, ConstView k, ConstView v, const AttentionResult& forward,
                                      ConstView doutput, const AttentionOptions& options) {
  if (forward.logsumexp.empty()) {
    fail("[attention_backward] the forward result has no log-sum-exp: request it from attention() with {}",
         "{.logsumexp = true}");
  }
  AttentionGradients gradients;
  gradients.dq = Tensor::uninitialized(q.shape());
  gradients.dk = Tensor::uninitialized(k.shape());
  gradients.dv = Tensor::uninitialized(v.shape());
  if (!options.bias.is_none()) gradients.dbias = Tensor::uninitialized(bias_data_shape(options.bias));
  attention_backward_into(q, k, v, options,
                          {forward.output, forward.logsumexp, doutput, gradients.dq.view(),
                           gradients.dk.view(), gradients.dv.view(), gradients.dbias.data()});
  return gradients;
}

}  // namespace fovea
