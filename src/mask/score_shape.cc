#include "mask/score_shape.h"

#include "core/fail.h"

namespace fovea {

void check_batch(std::string_view who, Index batch, const ScoreExtents& extents) {
  if (batch <= 1 || batch == extents.inner_batch || batch == extents.batch) return;
  if (extents.batch != extents.inner_batch) {
    fail("{} is for a batch of {}, the call has {} (or {} over both axes)", who, batch, extents.inner_batch,
         extents.batch);
  }
  fail("{} is for a batch of {}, the call has {}", who, batch, extents.inner_batch);
}

void check_heads(std::string_view who, Index heads, const ScoreExtents& extents) {
  if (heads <= 1 || heads == extents.heads) return;
  fail("{} is for {} heads, the call has {}", who, heads, extents.heads);
}

void check_queries(std::string_view who, Index queries, const ScoreExtents& extents) {
  if (queries != extents.n) fail("{} is for {} queries, the call has {}", who, queries, extents.n);
}

void check_keys(std::string_view who, Index keys, const ScoreExtents& extents) {
  if (keys != extents.m) fail("{} is for {} keys, the call has {}", who, keys, extents.m);
}

ScoreShape::ScoreShape(std::string_view who, const Shape& shape) {
  const int rank = shape.rank();
  if (rank < 2) {
    fail("{} has shape {}, expected [N, M], [B, N, M], [B, H, N, M] or [A, B, H, N, M]", who,
         shape.to_string());
  }
  // [A, 1, H, N, M] as A·1 entries would be taken for [B, H, N, M].
  if (rank == 5 && shape[1] == 1 && shape[0] != 1) {
    fail("{} has shape {}: give the second batch axis explicitly", who, shape.to_string());
  }
  keys_ = shape.back(0);
  queries_ = shape.back(1);
  if (rank >= 4) heads_ = shape.back(2);
  if (rank >= 3) batch_ = shape[0];
  if (rank == 5) batch_ *= shape[1];
  has_batch_ = rank >= 3;
  if (batch_ == 0 || heads_ == 0) {
    fail("{} has shape {}, expected at least one batch entry and head", who, shape.to_string());
  }
}

void ScoreShape::check(std::string_view who, const ScoreExtents& extents) const {
  check_batch(who, batch_, extents);
  check_heads(who, heads_, extents);
  if (queries_ != 1) check_queries(who, queries_, extents);
  if (keys_ != 1) check_keys(who, keys_, extents);
}

}  // namespace fovea
