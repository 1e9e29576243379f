#include "fovea/attention.h"

#include "core/fail.h"
#include "kernels/decode.h"
#include "ops/attention_buffers.h"
#include "ops/attention_concat.h"
#include "ops/attention_options.h"
#include "ops/attention_path.h"
#include "ops/attention_views.h"
#include "ops/projection.h"

namespace fovea {

namespace {

// With places for weights and log-sum-exp, as far as they are asked for, in `result`.
kernels::AttentionProblem problem_of(const AttentionViews& views, const AttentionOptions& options,
                                     AttentionResult& result) {
  kernels::AttentionProblem problem{score_problem(views, options), views.v};
  problem.dropout = options.dropout;
  problem.seed = options.seed;
  problem.precision = options.precision;
  if (options.weights) {
    result.weights = Tensor::uninitialized(views.result_shape(views.q.shape()[3], views.k.shape()[3]));
    problem.weights = result.weights.data();
  }
  if (options.logsumexp) {
    result.logsumexp = Tensor::uninitialized(views.row_shape());
    problem.logsumexp = result.logsumexp.data();
  }
  return problem;
}

}  // namespace

bool is_decoded(const TypedView& q, const TypedView& k) {
  const int rank = q.shape().rank();
  if (rank < 2 || rank > 5 || k.shape().rank() != rank) return false;
  const Index heads = rank > 3 ? q.shape()[rank - 3] : 1, key_heads = rank > 3 ? k.shape()[rank - 3] : 1;
  return key_heads > 0 && heads / key_heads * q.shape()[rank - 2] <= kernels::kMostDecodeRows;
}

namespace {

// How q, k and v are stored.
struct Stored {
  kernels::StoredRows q = {}, k = {}, v = {};
};

AttentionResult run_attention(ConstView q, ConstView k, ConstView v, const Stored& stored,
                              const AttentionOptions& options) {
  const AttentionViews views = attention_views("attention", q, k, v);
  check_options("attention", options, views.extents());
  const Index heads = views.q.shape()[2], n = views.q.shape()[3], width = views.v.shape()[4];
  AttentionResult result;
  result.output = Tensor::uninitialized(views.result_shape(n, width));
  kernels::AttentionProblem problem = problem_of(views, options, result);
  problem.stored_q = stored.q, problem.stored_k = stored.k, problem.stored_v = stored.v;
  problem.output = result.output.data();
  problem.output_batch_stride = heads * n * width;
  problem.output_head_stride = n * width;
  problem.output_row_stride = width;
  run_observed(problem);
  return result;
}

void run_concat(ConstView q, ConstView k, ConstView v, const Stored& stored,
                const AttentionOptions& options, Tensor& out, AttentionResult& result) {
  const AttentionViews views = attention_views("attention", q, k, v);
  if (views.rank != 4) fail("[attention] q is {}, expected [B, H, N, D]", q.shape().to_string());
  check_options("attention", options, views.extents());
  const Index batch = q.shape()[0], heads = q.shape()[1], n = q.shape()[2], width = v.shape()[3];
  const Shape wanted = {batch, n, heads * width};
  if (!(out.shape() == wanted)) out = Tensor::uninitialized(wanted);
  kernels::AttentionProblem problem = problem_of(views, options, result);
  problem.stored_q = stored.q, problem.stored_k = stored.k, problem.stored_v = stored.v;
  problem.output = out.data();
  problem.output_batch_stride = n * heads * width;
  problem.output_head_stride = width;
  problem.output_row_stride = heads * width;
  run_observed(problem);
}

bool is_float32(const TypedView& x) { return x.type() == FloatType::float32; }

Index last_stride(const TypedView& x) {
  return x.strides()[static_cast<std::size_t>(x.shape().rank() - 1)];
}

// Rows without gaps, which the kernels widen as they read them.
bool has_rows(const TypedView& x) {
  return x.shape().rank() > 0 && (last_stride(x) == 1 || x.shape().back() <= 1);
}

// Float32 is read where it is, the rest converted.
ConstView as_float32(const TypedView& view, Tensor& converted) {
  if (is_float32(view)) {
    return ConstView(static_cast<const float*>(view.data()), view.shape(), view.strides());
  }
  converted = to_float32(view);
  return ConstView(converted);
}

// Shape and strides; what is stored in another type is not read through it.
ConstView as_shape(const TypedView& view) {
  return ConstView(static_cast<const float*>(view.data()), view.shape(), view.strides());
}

kernels::StoredRows stored_rows(const TypedView& view) { return {view.type(), view.data(), view.scales()}; }

// run(q, k, v, how they are stored). What has no rows to be read is converted before, and so are the few
// queries of decoding, and queries that are rounded.
template <typename Run>
auto with_typed(const TypedView& q, const TypedView& k, const TypedView& v, Precision precision,
                const Run& run) {
  Tensor own_q, own_k, own_v;
  Stored stored;
  const auto view_of = [](const TypedView& x, bool as_stored, Tensor& own, kernels::StoredRows& how) {
    if (is_float32(x) || !as_stored) return as_float32(x, own);
    how = stored_rows(x);
    return as_shape(x);
  };
  const bool widens_q = has_rows(q) && !is_decoded(q, k) && precision == Precision::float32;
  const ConstView q_view = view_of(q, widens_q, own_q, stored.q);
  const ConstView k_view = view_of(k, has_rows(k), own_k, stored.k);
  const ConstView v_view = view_of(v, has_rows(v), own_v, stored.v);
  return run(q_view, k_view, v_view, stored);
}

}  // namespace

AttentionResult attention(ConstView q, ConstView k, ConstView v, const AttentionOptions& options) {
  return run_attention(q, k, v, {}, options);
}

AttentionResult attention_concat(ConstView q, ConstView k, ConstView v, const AttentionOptions& options) {
  AttentionResult result;
  run_concat(q, k, v, {}, options, result.output, result);
  return result;
}

void attention_concat(const TypedView& q, const TypedView& k, const TypedView& v,
                      const AttentionOptions& options, Tensor& out) {
  AttentionOptions output_only = options;
  output_only.weights = output_only.logsumexp = false;
  AttentionResult none;
  with_typed(q, k, v, options.precision, [&](ConstView a, ConstView b, ConstView c, const Stored& stored) {
    run_concat(a, b, c, stored, output_only, out, none);
  });
}

void attention_concat(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, Tensor& out) {
  AttentionOptions output_only = options;
  output_only.weights = output_only.logsumexp = false;
  AttentionResult none;
  run_concat(q, k, v, {}, output_only, out, none);
}

inline namespace internal {

void attention_into(ConstView q, ConstView k, ConstView v, const AttentionOptions& options, View output,
                    View logsumexp) {
  const AttentionViews views = attention_views("attention", q, k, v);
  check_options("attention", options, views.extents());
  const Shape wanted = views.result_shape(views.q.shape()[3], views.v.shape()[4]);
  const int rank = wanted.rank();
  if (!(output.shape() == wanted) || rank != 4 || output.stride(3) != 1) {
    fail("[attention] the output is {} with a last stride of {}, expected {}, rank 4, with 1",
         output.shape().to_string(), output.stride(rank - 1), wanted.to_string());
  }
  if (!(logsumexp.shape() == views.row_shape()) || !logsumexp.is_contiguous()) {
    fail("[attention] the log-sum-exp is {}, expected {}, contiguous", logsumexp.shape().to_string(),
         views.row_shape().to_string());
  }
  AttentionOptions used = options;
  used.weights = used.logsumexp = false;
  AttentionResult none;
  kernels::AttentionProblem problem = problem_of(views, used, none);
  problem.output = output.data();
  problem.output_batch_stride = output.stride(0);
  problem.output_head_stride = output.stride(1);
  problem.output_row_stride = output.stride(2);
  problem.logsumexp = logsumexp.data();
  run_observed(problem);
}

}  // namespace internal

AttentionResult attention(const TypedView& q, const TypedView& k, const TypedView& v,
                          const AttentionOptions& options) {
  return with_typed(q, k, v, options.precision,
                    [&](ConstView a, ConstView b, ConstView c, const Stored& stored) {
                      return run_attention(a, b, c, stored, options);
                    });
}

AttentionResult self_attention(ConstView x, ConstView w_q, ConstView w_k, ConstView w_v,
                               const AttentionOptions& options) {
  const Tensor q = project("self_attention", x, w_q, "w_q");
  const Tensor k = project("self_attention", x, w_k, "w_k");
  const Tensor v = project("self_attention", x, w_v, "w_v");
  return attention(q, k, v, options);
}

}  // namespace fovea
