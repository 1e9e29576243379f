// The product of small matrices in registers, on which all fast paths stand. Include inside foreach_target.
//
// c [rows, NV · lanes] = a [rows, depth] · b [depth, NV · lanes]: b is read by vectors, a by broadcast,
// with any strides, so neither operand needs to be packed and no sum runs across lanes.
#if defined(FOVEA_KERNELS_REGISTER_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_REGISTER_TILE_INL_H_
#undef FOVEA_KERNELS_REGISTER_TILE_INL_H_
#else
#define FOVEA_KERNELS_REGISTER_TILE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "fovea/shape.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// Element (row, t) stands at data[row · row_stride + t · depth_stride]; one of the strides is 1.
struct TileFactor {
  const float* data;
  Index row_stride;
  Index depth_stride;
  const Index* gathered = nullptr;  // the numbers of the rows, if they are not neighbours
  float factor = 1;                 // of the finished product, where TileEnd says so: rounds once
};

// Memory that will be read next, fetched a few cache lines with every tile: all at once would stall.
class FetchAhead {
 public:
  // `rows` rows of `width` floats. They are fetched in this order; more than 4 are not.
  void Add(const float* data, Index stride, Index rows, Index width) {
    if (rows > 0 && width > 0 && count_ < 4) pieces_[count_++] = {data, stride, rows, width};
  }
  // What comes after all pieces.
  void Then(FetchAhead* later) { later_ = later; }
  // No recursion: GCC refuses to inline one without optimization.
  HWY_INLINE void Next(int lines) {
    FetchAhead* now = this;
    while (now->at_ == now->count_ && now->later_ != nullptr) now = now->later_;
    now->Fetch(lines);
  }

 private:
  HWY_INLINE void Fetch(int lines) {
    for (int line = 0; line < lines && at_ < count_; ++line) {
      const Piece& piece = pieces_[at_];
      hwy::Prefetch(piece.data + row_ * piece.stride + column_);
      column_ += 16;
      if (column_ < piece.width) continue;
      column_ = 0;
      if (++row_ < piece.rows) continue;
      row_ = 0;
      ++at_;
    }
  }

  struct Piece {
    const float* data;
    Index stride, rows, width;
  };
  Piece pieces_[4] = {};
  int count_ = 0, at_ = 0;
  FetchAhead* later_ = nullptr;
  Index row_ = 0, column_ = 0;
};

// What becomes of c.
enum class TileEnd {
  store,    // c = product
  add,      // c += product
  onto,     // c = alpha + product, alpha [rows, NV · lanes]
  rescale,  // c = c · alpha + product, alpha [NV · lanes] one factor per column
  scaled,   // c = factor · product
  maximum,  // c = factor · product, and alpha [NV · lanes] becomes the maximum of itself and all rows
};

// How a is read.
enum class TileWalk {
  along,   // depth_stride is 1; rows may be gathered, which a tile asks once per row
  across,  // row_stride is 1
  apart,   // the same, but rows may be missing: a pointer for each
};

// Vectors of a tile at most: see kTileRows in register_tile.cc.
inline constexpr int kMostVectors = HWY_TARGET == HWY_AVX3 ? 4 : 3;

// All rows, in tiles of NV vectors. alpha is aligned to vectors. Defined in register_tile.cc, once for all
// kernels, with the list of its instances: compiled again in each of them, it took an eighth of a build.
template <int NV, TileEnd kEnd, TileWalk kWalk>
void MultiplyRows(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth, float* c,
                  Index c_stride, float* alpha, FetchAhead* ahead);

template <int NV, TileEnd kEnd>
HWY_INLINE void MultiplyStrip(const TileFactor& a, Index rows, const float* b, Index b_stride, Index depth,
                              float* c, Index c_stride, float* alpha, FetchAhead* ahead = nullptr) {
  const auto multiply = a.depth_stride == 1 ? MultiplyRows<NV, kEnd, TileWalk::along>
                                            : MultiplyRows<NV, kEnd, TileWalk::across>;
  multiply(a, rows, b, b_stride, depth, c, c_stride, alpha, ahead);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_REGISTER_TILE_INL_H_
