// Panels of a matrix, as the register tile reads them fastest. Include inside foreach_target.
#if defined(FOVEA_KERNELS_PACK_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PACK_PANEL_INL_H_
#undef FOVEA_KERNELS_PACK_PANEL_INL_H_
#else
#define FOVEA_KERNELS_PACK_PANEL_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/matrix_product.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// to [depth, to_stride] gets from [depth, columns] in its first columns; the others stay as they are.
inline void PackColumns(const MatrixFactor& from, Index depth, Index columns, float* HWY_RESTRICT to,
                        Index to_stride) {
  if (from.column_stride != 1) {
    TransposeIn(from.data, from.column_stride, columns, depth, 1.0f, to, to_stride);
    return;
  }
  const hn::ScalableTag<float> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const float* HWY_RESTRICT row = from.data;
  for (Index t = 0; t < depth; ++t, row += from.row_stride, to += to_stride) {
    Index c = 0;
    for (; c + lanes <= columns; c += lanes) hn::StoreU(hn::LoadU(d, row + c), d, to + c);
    for (; c < columns; ++c) to[c] = row[c];
  }
}

// The whole panel, to [depth, width]: missing columns are zeros.
inline void PackPanel(const MatrixFactor& from, Index depth, Index columns, Index width,
                      float* HWY_RESTRICT to) {
  PackColumns(from, depth, columns, to, width);
  for (Index t = 0; columns < width && t < depth; ++t) {
    std::fill(to + t * width + columns, to + (t + 1) * width, 0.0f);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_PACK_PANEL_INL_H_
