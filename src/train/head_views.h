// Heads as views of projected rows.
#pragma once

#include "fovea/tensor.h"

namespace fovea {

// Columns [first, first + heads · width) of rows [B·N, ..] as [B, heads, N, D].
inline View heads_of(const View& rows, Index batch, Index tokens, Index first, Index heads, Index width) {
  const Index stride = rows.stride(0);
  return View(rows.data() + first, {batch, heads, tokens, width}, {tokens * stride, width, stride, 1});
}

}  // namespace fovea
