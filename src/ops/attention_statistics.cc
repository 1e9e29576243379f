#include "fovea/attention_statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/fail.h"
#include "core/parallel.h"
#include "fovea/attention_merge.h"
#include "kernels/statistics.h"
#include "kernels/tile_sizes.h"
#include "mask/intervals.h"
#include "ops/attention_options.h"
#include "ops/attention_views.h"
#include "ops/head_means.h"
#include "ops/observed_call.h"

namespace fovea {
namespace {

// A call, checked; its views point into k_copy if the keys had to be copied.
struct Call {
  AttentionViews views;
  kernels::ScoreProblem scores;

  Index n() const { return views.q.shape()[3]; }
  Index m() const { return views.k.shape()[3]; }
  Index heads() const { return views.q.shape()[0] * views.q.shape()[1] * views.q.shape()[2]; }

  kernels::StatisticsProblem problem() const {
    kernels::StatisticsProblem problem{scores};
    problem.row_end = n();
    return problem;
  }
  // q's axes before N, then `tail`; [1] instead of nothing.
  Shape leading(std::vector<Index> tail) const {
    const Shape& s = views.q.shape();
    std::vector<Index> extents;
    for (int axis = 5 - views.rank; axis < 3; ++axis) extents.push_back(s[views.rank == 3 ? 1 : axis]);
    extents.insert(extents.end(), tail.begin(), tail.end());
    return extents.empty() ? Shape{1} : Shape(extents);
  }
};

Call checked(const char* op, ConstView q, ConstView k, const AttentionOptions& options) {
  AttentionViews views = attention_views(op, q, k, k);
  AttentionOptions undropped = options;
  undropped.dropout = 0;
  check_options(op, undropped, views.extents());
  kernels::ScoreProblem scores = score_problem(views, options);
  return {std::move(views), std::move(scores)};
}

// How many keys the mask lets each row see, [.., N].
Ids visible_keys(const Call& call) {
  Ids visible = Ids::filled(call.views.row_shape(), call.m());
  if (call.scores.mask == nullptr) return visible;
  constexpr Index kRows = 256;  // of one task
  const Index heads = call.views.q.shape()[2], n = call.n(), rows = call.heads() * n;
  parallel_for((rows + kRows - 1) / kRows, [&](Index task) {
    Intervals keys;
    for (Index row = task * kRows; row < std::min(rows, (task + 1) * kRows); ++row) {
      const Index h = row / n;
      call.scores.mask->visible_keys({h / heads, h % heads, row % n, n, call.m()}, keys);
      visible.data()[row] = count_keys(keys);
    }
  });
  return visible;
}

void ask_for_rows(const Call& call, AttentionStatistics& s, kernels::StatisticsProblem& problem) {
  const Shape shape = call.views.row_shape();
  for (Tensor* measure : {&s.entropy, &s.maximum, &s.diagonal, &s.distance, &s.logsumexp}) {
    *measure = Tensor::uninitialized(shape);
  }
  s.position = Ids::filled(shape, -1);
  problem.entropy = s.entropy.data();
  problem.maximum = s.maximum.data();
  problem.position = s.position.data();
  problem.diagonal = s.diagonal.data();
  problem.distance = s.distance.data();
  problem.logsumexp = s.logsumexp.data();
}

// The passes over the scores that a problem needs.
void run(const Call& call, const char* operation, const kernels::StatisticsProblem& problem) {
  const auto describe = [&] {
    return CallText{shapes_text(call.views.q.shape(), call.views.k.shape()),
                    fmt::format("strips: {} queries × {} keys, rows {} to {}, {}", kernels::strip_width(),
                                kernels::kKeyBlock, problem.row_begin, problem.row_end,
                                problem.needs_weights() ? "two passes" : "one pass")};
  };
  run_observed(operation, describe, [&] { kernels::attention_statistics(problem); });
}

}  // namespace

namespace {

// All measures of a call; `problem` says whether it is a part of a larger one.
AttentionStatistics measured(const char* op, const Call& call, kernels::StatisticsProblem problem,
                             StatisticsOptions wanted) {
  if (wanted.top_k < 0 || wanted.thumbnail < 0) {
    fail("[{}] top_k is {} and thumbnail {}, expected ≥ 0", op, wanted.top_k, wanted.thumbnail);
  }
  const Index n = call.n(), m = call.m();
  AttentionStatistics s;
  problem.stop = std::move(wanted.stop);
  if (wanted.rows) ask_for_rows(call, s, problem);
  if (wanted.top_k > 0) {
    problem.top_k = std::min(wanted.top_k, problem.picture_keys());  // as many of every part
    s.top_weights = Tensor::uninitialized(call.views.result_shape(n, problem.top_k));
    s.top_keys = Ids::filled(call.views.result_shape(n, problem.top_k), -1);
    problem.top_weights = s.top_weights.data();
    problem.top_keys = s.top_keys.data();
  }
  if (wanted.received) {
    s.received = Tensor(call.leading({m}));
    problem.received = s.received.data();
  }
  if (wanted.thumbnail > 0) {
    problem.picture_rows = std::min(wanted.thumbnail, problem.picture_queries());
    problem.picture_columns = std::min(wanted.thumbnail, problem.picture_keys());
    const Shape shape = call.views.result_shape(problem.picture_rows, problem.picture_columns);
    s.thumbnail = Tensor(shape);
    s.thumbnail_max = Tensor(shape);
    problem.picture_mean = s.thumbnail.data();
    problem.picture_max = s.thumbnail_max.data();
  }
  if (wanted.weights) {
    const Shape shape = call.views.result_shape(n, m);
    // Hidden blocks of keys are skipped: there it begins as zeros.
    s.weights = problem.mask == nullptr ? Tensor::uninitialized(shape) : Tensor(shape);
    problem.key_end = m;
    problem.weights = s.weights.data();
  }
  run(call, op, problem);
  if (wanted.rows) s.visible = visible_keys(call);
  return s;
}

void move_keys(Ids& keys, Index by) {
  for (Index i = 0; i < keys.shape().elements(); ++i) {
    if (keys.data()[i] >= 0) keys.data()[i] += by;
  }
}

}  // namespace

AttentionStatistics attention_statistics(ConstView q, ConstView k, const AttentionOptions& options,
                                         StatisticsOptions wanted) {
  const Call call = checked("attention_statistics", q, k, options);
  const bool rows = wanted.rows;
  AttentionStatistics s = measured("attention_statistics", call, call.problem(), std::move(wanted));
  if (rows) s.means = head_means(s);
  return s;
}

AttentionStatistics part_statistics(ConstView q, ConstView k, const AttentionOptions& options,
                                    const ScorePart& part, ConstView logsumexp, StatisticsOptions wanted) {
  AttentionOptions of_part = options;
  of_part.dropout = 0;
  of_part = part_options(of_part, part);
  const Call call = checked("part_statistics", q, k, of_part);
  const Index n = part.query_end - part.query_begin, m = part.key_end - part.key_begin;
  if (call.n() != n || call.m() != m) {
    fail("[part_statistics] {} queries and {} keys, expected those of the part, {} and {}", call.n(),
         call.m(), n, m);
  }
  if (!(logsumexp.shape() == call.views.row_shape())) {
    fail("[part_statistics] the log-sum-exp has shape {}, expected {}", logsumexp.shape().to_string(),
         call.views.row_shape().to_string());
  }
  const Tensor given = Tensor::copy_of(logsumexp);
  kernels::StatisticsProblem problem = call.problem();
  problem.query_begin = part.query_begin;
  problem.whole_key_begin = part.key_begin;
  problem.whole_queries = part.queries;
  problem.whole_keys = part.keys;
  problem.given_logsumexp = given.data();
  AttentionStatistics s = measured("part_statistics", call, problem, std::move(wanted));
  move_keys(s.position, part.key_begin);
  move_keys(s.top_keys, part.key_begin);
  return s;
}

Tensor attention_logsumexp(ConstView q, ConstView k, const AttentionOptions& options) {
  const Call call = checked("attention_logsumexp", q, k, options);
  Tensor result = Tensor::uninitialized(call.views.row_shape());
  kernels::StatisticsProblem problem = call.problem();
  problem.logsumexp = result.data();
  run(call, "attention_logsumexp", problem);
  return result;
}

Tensor attention_crop(ConstView q, ConstView k, const AttentionOptions& options, const Crop& crop) {
  const Call call = checked("attention_crop", q, k, options);
  const auto inside = [](Index begin, Index end, Index extent) {
    return begin >= 0 && begin <= end && end <= extent;
  };
  if (!inside(crop.row_begin, crop.row_end, call.n()) || !inside(crop.key_begin, crop.key_end, call.m())) {
    fail("[attention_crop] got rows {} .. {} and keys {} .. {}, expected a part of {} rows and {} keys",
         crop.row_begin, crop.row_end, crop.key_begin, crop.key_end, call.n(), call.m());
  }
  // Hidden key blocks are skipped, so the result begins as zeros.
  Tensor result(call.views.result_shape(crop.row_end - crop.row_begin, crop.key_end - crop.key_begin));
  kernels::StatisticsProblem problem = call.problem();
  problem.row_begin = crop.row_begin;
  problem.row_end = crop.row_end;
  problem.key_begin = crop.key_begin;
  problem.key_end = crop.key_end;
  problem.weights = result.data();
  run(call, "attention_crop", problem);
  return result;
}

Tensor attention_product(ConstView q, ConstView k, ConstView u, const AttentionOptions& options) {
  AttentionOptions plain = options;
  plain.dropout = 0;
  plain.weights = plain.logsumexp = false;
  const Shape &qs = q.shape(), &ks = k.shape(), &us = u.shape();
  const int rank = qs.rank();
  const bool per_query_head = rank >= 4 && rank <= 5 && ks.rank() == rank && us.rank() == rank &&
                              us[rank - 3] == qs[rank - 3] && us[rank - 3] != ks[rank - 3];
  if (!per_query_head) return std::move(attention(q, k, u, plain).output);
  // u differs between the query heads of a group: every one of them gets keys of its own.
  const Call call = checked("attention_product", q, k, options);
  const Index heads = qs[rank - 3], group = heads / ks[rank - 3], size = call.m() * ks.back();
  Tensor keys = Tensor::uninitialized(call.leading({call.m(), ks.back()}));
  const Tensor from = Tensor::copy_of(k);
  for (Index h = 0; h < call.heads(); ++h) {
    std::copy_n(from.data() + h / group * size, size, keys.data() + h * size);
  }
  return std::move(attention(q, keys, u, plain).output);
}

Tensor attention_transposed_product(ConstView q, ConstView k, ConstView u,
                                    const AttentionOptions& options) {
  const Call call = checked("attention_transposed_product", q, k, options);
  const Shape &qs = q.shape(), &us = u.shape();
  bool fits = us.rank() == qs.rank();
  for (int axis = 0; fits && axis + 1 < qs.rank(); ++axis) fits = us[axis] == qs[axis];
  if (!fits) {
    fail("[attention_transposed_product] u is {}, expected queries {} with any width", us.to_string(),
         qs.to_string());
  }
  // u as [A, B, H, N, C], as the views of q.
  const ConstView rows = attention_views("attention_transposed_product", u, u, u).q;
  Tensor result(call.leading({call.m(), us.back()}));
  kernels::StatisticsProblem problem = call.problem();
  problem.u = &rows;
  problem.transposed_product = result.data();
  run(call, "attention_transposed_product", problem);
  return result;
}

}  // namespace fovea
