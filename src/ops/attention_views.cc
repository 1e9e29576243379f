#include "ops/attention_views.h"

#include "core/fail.h"

namespace fovea {
inline namespace internal {

ConstView as_rank_5(ConstView view) {
  BasicView<const float> result = view;
  // [N, D] → [1, N, D]; [B, N, D] → [B, 1, N, D]; [B, H, N, D] → [1, B, H, N, D].
  if (result.shape().rank() == 2) result = result.insert_axis(0);
  if (result.shape().rank() == 3) result = result.insert_axis(1);
  if (result.shape().rank() == 4) result = result.insert_axis(0);
  return result;
}

namespace {

void check(const char* op, const ConstView& q, const ConstView& k, const ConstView& v) {
  const Shape &qs = q.shape(), &ks = k.shape(), &vs = v.shape();
  const auto shapes = [&] {
    return fmt::format("queries {}, keys {}, values {}", qs.to_string(), ks.to_string(), vs.to_string());
  };
  if (qs.rank() < 2 || qs.rank() > 5 || ks.rank() != qs.rank() || vs.rank() != qs.rank()) {
    fail("[{}] q, k and v must have the same rank, 2 to 5: {}", op, shapes());
  }
  if (ks.back() != qs.back()) {
    fail("[{}] keys have width {}, queries {}: {}", op, ks.back(), qs.back(), shapes());
  }
  if (ks.back(1) != vs.back(1)) {
    fail("[{}] there are {} keys, but {} values: {}", op, ks.back(1), vs.back(1), shapes());
  }
  const int head_axis = qs.rank() >= 4 ? qs.rank() - 3 : -1;
  for (int axis = 0; axis < qs.rank() - 2; ++axis) {
    if (ks[axis] != vs[axis] || (axis != head_axis && qs[axis] != ks[axis])) {
      fail("[{}] axis {} differs: {}", op, axis, shapes());
    }
  }
  if (head_axis < 0) return;
  const Index heads = qs[head_axis], key_heads = ks[head_axis];
  if (heads != key_heads && (key_heads == 0 || heads % key_heads != 0)) {
    fail("[{}] {} query heads are not a multiple of {} key heads: {}", op, heads, key_heads, shapes());
  }
}

// The kernels read rows of keys and values in place, element beside element.
ConstView with_contiguous_rows(ConstView view, Tensor& copy) {
  if (view.stride(4) == 1 || view.shape()[4] <= 1 || view.shape().elements() == 0) return view;
  copy = Tensor::copy_of(view);
  return copy;
}

}  // namespace

ScoreExtents AttentionViews::extents() const {
  const Shape& shape = q.shape();
  return {shape[0] * shape[1], shape[1], shape[2], shape[3], k.shape()[3]};
}

Shape AttentionViews::result_shape(Index rows, Index width) const {
  const Shape& s = q.shape();
  switch (rank) {
    case 2:
      return {rows, width};
    case 3:
      return {s[1], rows, width};
    case 4:
      return {s[1], s[2], rows, width};
    default:
      return {s[0], s[1], s[2], rows, width};
  }
}

Shape AttentionViews::row_shape() const {
  const Shape& s = q.shape();
  switch (rank) {
    case 2:
      return {s[3]};
    case 3:
      return {s[1], s[3]};
    case 4:
      return {s[1], s[2], s[3]};
    default:
      return {s[0], s[1], s[2], s[3]};
  }
}

AttentionViews attention_views(const char* op, ConstView q, ConstView k, ConstView v) {
  check(op, q, k, v);
  AttentionViews views{as_rank_5(q), as_rank_5(k), as_rank_5(v), {}, {}, q.shape().rank()};
  views.k = with_contiguous_rows(views.k, views.k_copy);
  views.v = with_contiguous_rows(views.v, views.v_copy);
  return views;
}

}  // namespace internal
}  // namespace fovea
