#include "fovea/attention_statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/fail.h"
#include "core/parallel.h"
#include "kernels/statistics.h"
#include "kernels/tile_sizes.h"
#include "mask/intervals.h"
#include "ops/attention_options.h"
#include "ops/attention_views.h"
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

// Means over the rows of each head that see something.
HeadMeans means_of(const AttentionStatistics& s, const Call& call) {
  const Shape shape = call.leading({});
  HeadMeans means{Tensor(shape), Tensor(shape), Tensor(shape),
                  Tensor(shape), Tensor(shape), Ids::filled(shape, 0)};
  const Index n = call.n();
  for (Index h = 0; h < call.heads(); ++h) {
    Index seeing = 0;
    double entropy = 0, maximum = 0, diagonal = 0, distance = 0, visible = 0;
    for (Index row = h * n; row < (h + 1) * n; ++row) {
      if (s.maximum.data()[row] == 0) continue;
      ++seeing;
      entropy += static_cast<double>(s.entropy.data()[row]);
      maximum += static_cast<double>(s.maximum.data()[row]);
      diagonal += static_cast<double>(s.diagonal.data()[row]);
      distance += static_cast<double>(s.distance.data()[row]);
      visible += static_cast<double>(s.visible.data()[row]);
    }
    const double count = static_cast<double>(std::max<Index>(1, seeing));
    means.entropy.data()[h] = static_cast<float>(entropy / count);
    means.maximum.data()[h] = static_cast<float>(maximum / count);
    means.diagonal.data()[h] = static_cast<float>(diagonal / count);
    means.distance.data()[h] = static_cast<float>(distance / count);
    means.visible.data()[h] = static_cast<float>(visible / count);
    means.rows_seeing.data()[h] = seeing;
  }
  return means;
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

AttentionStatistics attention_statistics(ConstView q, ConstView k, const AttentionOptions& options,
                                         StatisticsOptions wanted) {
  const Call call = checked("attention_statistics", q, k, options);
  if (wanted.top_k < 0 || wanted.thumbnail < 0) {
    fail("[attention_statistics] top_k is {} and thumbnail {}, expected ≥ 0", wanted.top_k,
         wanted.thumbnail);
  }
  const Index n = call.n(), m = call.m();
  AttentionStatistics s;
  kernels::StatisticsProblem problem = call.problem();
  problem.stop = wanted.stop;
  if (wanted.rows) ask_for_rows(call, s, problem);
  if (wanted.top_k > 0) {
    problem.top_k = std::min(wanted.top_k, m);
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
    problem.picture_rows = std::min(wanted.thumbnail, n);
    problem.picture_columns = std::min(wanted.thumbnail, m);
    const Shape shape = call.views.result_shape(problem.picture_rows, problem.picture_columns);
    s.thumbnail = Tensor(shape);
    s.thumbnail_max = Tensor(shape);
    problem.picture_mean = s.thumbnail.data();
    problem.picture_max = s.thumbnail_max.data();
  }
  if (wanted.weights) {
    s.weights = Tensor(call.views.result_shape(n, m));  // hidden key blocks are skipped: it begins as zeros
    problem.key_end = m;
    problem.weights = s.weights.data();
  }
  run(call, "attention_statistics", problem);
  if (wanted.rows) {
    s.visible = visible_keys(call);
    s.means = means_of(s, call);
  }
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
