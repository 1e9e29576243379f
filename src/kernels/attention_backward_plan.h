// How the work of a backward pass is cut up; depends on shapes only, never on the number of threads.
#pragma once

#include "fovea/tensor.h"
#include "kernels/attention_backward.h"
#include "kernels/bias_strips.h"
#include "kernels/turns.h"

namespace fovea::kernels {

// Keys in a tile: a multiple of 12, because register tiles have 4 or 6 rows.
inline constexpr Index kBackwardKeyBlock = 96;

// A piece of work owns the rows of dk and dv of its keys: one range of keys of one key head. Biases whose
// gradients meet in the same values widen it to several heads or batch entries, one after the other.
struct BackwardPlan {
  // `most_rows` queries fit in a block.
  BackwardPlan(const AttentionBackwardProblem& problem, Index most_rows, Index lanes);

  Index batch, heads, key_heads, group;  // batch: A · B; group: query heads of a key head
  Index n, m, depth, value_width;
  Index blocks, block_rows;  // of queries, per head; about as large as each other
  Index batch_classes;       // entries b, b + batch_classes, .. belong to one piece
  Index head_classes;        // 1: all key heads belong to one piece; else key_heads
  Index splits, split_keys;
  Index buffers;  // of dq

  Index pieces() const { return splits * batch_classes * head_classes; }
};

// What pieces share. Ranges of keys take turns to add to dq. Where they would run side by side, neighbours
// add to different buffers, so that two threads need not keep step. One buffer per range would cost splits
// · N · D floats, and touching fresh memory takes longer than the sums themselves.
struct BackwardShared {
  BackwardShared(const AttentionBackwardProblem& p, Index most_rows, Index lanes);

  const AttentionBackwardProblem& problem;
  BackwardPlan plan;
  BiasStrips bias_strips;
  Tensor rows;                     // [3, A·B·H, N]: anchor, shift and delta of each query
  Tensor second_dq;                // [A·B·H, N, D] if there are two buffers
  std::vector<double> table_sums;  // [pieces, group, rows of the table] for a bias by position
  Turns turns;                     // places: [A·B·H, blocks, buffers]

  Index table_rows = 0;
  float* anchor() { return rows.data(); }
  float* shift() { return anchor() + plan.batch * plan.heads * plan.n; }
  float* delta() { return shift() + plan.batch * plan.heads * plan.n; }
};

}  // namespace fovea::kernels
