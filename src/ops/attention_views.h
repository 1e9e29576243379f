// The border of attention: every allowed rank as one, rank 5 [A, B, heads, rows, width].
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"
#include "mask/mask_node.h"

namespace fovea {
inline namespace internal {

// q [A, B, H, N, D], k [A, B, Hkv, M, D], v [A, B, Hkv, M, Dv]; rows of k and v are contiguous.
struct FOVEA_PRIVATE_API AttentionViews {
  ConstView q, k, v;
  Tensor k_copy, v_copy;  // own the rows of k or v when their elements were not side by side
  int rank;               // of the caller's tensors

  ScoreExtents extents() const;
  // The caller's leading axes, then `rows` and `width`: [N, width] .. [A, B, H, N, width].
  Shape result_shape(Index rows, Index width) const;
  Shape row_shape() const;  // the same without the width
};

// [N, D] → [1, 1, 1, N, D]; [B, N, D] → [1, B, 1, N, D]; [B, H, N, D] → [1, B, H, N, D].
ConstView as_rank_5(ConstView view);

// Checks ranks and extents; throws Error that begins with "[op]".
FOVEA_PRIVATE_API AttentionViews attention_views(const char* op, ConstView q, ConstView k, ConstView v);

}  // namespace internal
}  // namespace fovea
