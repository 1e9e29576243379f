#include "run/weights.h"

#include <cmath>

#include "core/fail.h"
#include "core/parallel.h"
#include "mask/visible_keys.h"

namespace fovea {
namespace {

constexpr Index kNone = -1;

// The place in the caller's own indices: [0, 2, 1].
std::string place(int rank, ConstView rank_5, Index b, Index h, Index i, Index j) {
  const Index inner = rank_5.shape()[1];
  const Index all[] = {b / inner, b % inner, h, i, j};
  std::string text;
  for (int axis = 5 - rank; axis < 5; ++axis)
    text += (text.empty() ? "" : ", ") + std::to_string(all[axis]);
  return "[" + text + "]";
}

// The first of the A·B·H heads for which find(b, h) ≠ kNone, with what it found. Heads are looked at in
// parallel, the answer does not depend on who is first.
struct Found {
  Index b = 0, h = 0, what = kNone;
};
template <typename Find>
Found first_head(ConstView rank_5, const Find& find) {
  const ScoreExtents extents = extents_of(rank_5);
  std::vector<Index> found(static_cast<std::size_t>(extents.batch * extents.heads), kNone);
  parallel_for(static_cast<Index>(found.size()), [&](Index task) {
    found[static_cast<std::size_t>(task)] = find(task / extents.heads, task % extents.heads);
  });
  for (std::size_t task = 0; task < found.size(); ++task) {
    const auto at = static_cast<Index>(task);
    if (found[task] != kNone) return {at / extents.heads, at % extents.heads, found[task]};
  }
  return {};
}

}  // namespace

ConstView weights_as_rank_5(const char* op, ConstView weights) {
  const int rank = weights.shape().rank();
  if (rank < 2) {
    fail("[{}] weights are {}, expected [N, M], [H, N, M], [B, H, N, M] or [A, B, H, N, M]", op,
         weights.shape().to_string());
  }
  for (int i = rank; i < 5; ++i) weights = weights.insert_axis(0);
  return weights;
}

ScoreExtents extents_of(ConstView rank_5) {
  const Shape& s = rank_5.shape();
  return {s[0] * s[1], s[1], s[2], s[3], s[4]};
}

void read_row(ConstView rank_5, Index b, Index h, Index i, std::vector<double>& row) {
  const Index inner = rank_5.shape()[1], stride = rank_5.stride(4);
  const float* weight = row.empty() ? nullptr : &rank_5(b / inner, b % inner, h, i, 0);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = static_cast<double>(weight[static_cast<Index>(j) * stride]);
  }
}

void check_weights(const char* op, ConstView weights) {
  const ConstView w = weights_as_rank_5(op, weights);
  const Index n = w.shape()[3], m = w.shape()[4];
  const Found bad = first_head(w, [&](Index b, Index h) {
    std::vector<double> row(static_cast<std::size_t>(m));
    for (Index i = 0; i < n; ++i) {
      read_row(w, b, h, i, row);
      for (Index j = 0; j < m; ++j) {
        const double weight = row[static_cast<std::size_t>(j)];
        if (!(weight >= 0) || std::isinf(weight)) return i * m + j;
      }
    }
    return kNone;
  });
  if (bad.what == kNone) return;
  const Index i = bad.what / m, j = bad.what % m, inner = w.shape()[1];
  fail("[{}] weights{} is {}, expected a finite number ≥ 0", op,
       place(weights.shape().rank(), w, bad.b, bad.h, i, j), w(bad.b / inner, bad.b % inner, bad.h, i, j));
}

void check_hidden(const char* op, ConstView weights, const Mask& mask) {
  if (mask.is_none()) return;
  const ConstView w = weights_as_rank_5(op, weights);
  const ScoreExtents extents = extents_of(w);
  mask.node()->check(extents);
  const Found bad = first_head(w, [&](Index b, Index h) {
    VisibleKeys visible(mask.node(), extents);
    std::vector<double> row(static_cast<std::size_t>(extents.m));
    for (Index i = 0; i < extents.n; ++i) {
      visible.set_row(b, h, i);
      read_row(w, b, h, i, row);
      const Index key = visible.hidden_with_weight(row);
      if (key >= 0) return i * extents.m + key;
    }
    return kNone;
  });
  if (bad.what == kNone) return;
  const int rank = weights.shape().rank();
  const Index i = bad.what / extents.m, key = bad.what % extents.m, inner = extents.inner_batch;
  std::string where = rank > 3 ? fmt::format("batch {}, ", bad.b) : "";
  if (rank > 2) where += fmt::format("head {}: ", bad.h);
  fail("[{}] {}key {} is hidden from row {} by the mask, its weight is {}", op, where, key, i,
       w(bad.b / inner, bad.b % inner, bad.h, i, key));
}

}  // namespace fovea
