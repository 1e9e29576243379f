// The product of some rows with one panel, over any depth. Include inside foreach_target.
#if defined(FOVEA_KERNELS_PANEL_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PANEL_PRODUCT_INL_H_
#undef FOVEA_KERNELS_PANEL_PRODUCT_INL_H_
#else
#define FOVEA_KERNELS_PANEL_PRODUCT_INL_H_
#endif

#include <algorithm>

#include "kernels/panel_blocks.h"
#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// c [rows, NV · lanes] = a [rows, depth] · b [depth, NV · lanes], depth ≥ 1. The sum runs in blocks of
// kDepthBlock, in order, and each begins at zero: errors of long sums grow less so. Until the last block
// the sums stand in `sums` [rows, NV · lanes], aligned to vectors, so that c is touched once; c may be
// sums.
template <int NV, TileWalk kWalk>
HWY_INLINE void PanelProduct(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                             float* sums, float* c, Index c_stride, FetchAhead* ahead) {
  const Index width = NV * static_cast<Index>(hn::Lanes(Floats()));
  if (depth <= kDepthBlock) {
    return MultiplyRows<NV, TileEnd::store, kWalk>(a, rows, b, b_stride, depth, c, c_stride, sums, ahead);
  }
  TileFactor block = a;
  for (Index t = 0; t < depth; t += kDepthBlock) {
    const bool last = t + kDepthBlock >= depth;
    const auto multiply = t == 0              ? MultiplyRows<NV, TileEnd::store, kWalk>
                          : last && c != sums ? MultiplyRows<NV, TileEnd::onto, kWalk>
                                              : MultiplyRows<NV, TileEnd::add, kWalk>;
    multiply(block, rows, b, b_stride, std::min(kDepthBlock, depth - t), last ? c : sums,
             last ? c_stride : width, sums, ahead);
    block.data += kDepthBlock * a.depth_stride;
    b += kDepthBlock * b_stride;
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_PANEL_PRODUCT_INL_H_
