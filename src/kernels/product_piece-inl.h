// One piece of a matrix product, in register tiles. Include inside foreach_target.
#if defined(FOVEA_KERNELS_PRODUCT_PIECE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PRODUCT_PIECE_INL_H_
#undef FOVEA_KERNELS_PRODUCT_PIECE_INL_H_
#else
#define FOVEA_KERNELS_PRODUCT_PIECE_INL_H_
#endif

#include <algorithm>

#include "fovea/tensor.h"
#include "kernels/pack_panel-inl.h"
#include "kernels/panel_product-inl.h"
#include "kernels/product_plan.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Rows whose sums stay in L1 beside a block of a panel, which is twice as wide with AVX-512. 96 instead of
// 48 with AVX2: 2 to 3 % for 1024 × 1024 × 1024 and 512 × 384 × 1536 (Zen 3, one thread).
constexpr Index kSumRows = kMostVectors > 3 ? 48 : 96;

// The panels [first, last) of B, a part of the depth at a time: packed one after the other, or in place,
// but for columns that do not fill a vector.
class PiecePanels {
 public:
  PiecePanels(const PanelLayout& layout, const MatrixFactor& b, bool in_place, Index first, Index last,
              Index depth)
      : layout_(layout), b_(b), in_place_(in_place), first_(first), last_(last) {
    if (in_place && layout.is_whole(last - 1)) return;
    const Index begin = layout.begin(in_place ? last - 1 : first);
    memory_ = Tensor::uninitialized({layout.begin(last - 1) + layout.width(last - 1) - begin, depth});
  }

  // Rows [t, t + depth) of B.
  void Load(Index t, Index depth) {
    t_ = t, depth_ = depth;
    for (Index panel = first_; panel < last_; ++panel) {
      if (!IsPacked(panel)) continue;
      PackPanel({Source(panel), b_.row_stride, b_.column_stride}, depth, layout_.columns(panel),
                layout_.width(panel), Place(panel));
    }
  }
  const float* data(Index panel) { return IsPacked(panel) ? Place(panel) : Source(panel); }
  Index stride(Index panel) const { return IsPacked(panel) ? layout_.width(panel) : b_.row_stride; }

 private:
  bool IsPacked(Index panel) const { return !in_place_ || !layout_.is_whole(panel); }
  const float* Source(Index panel) const {
    return b_.data + t_ * b_.row_stride + layout_.begin(panel) * b_.column_stride;
  }
  float* Place(Index panel) {
    return memory_.data() + (in_place_ ? 0 : (layout_.begin(panel) - layout_.begin(first_)) * depth_);
  }

  const PanelLayout& layout_;
  const MatrixFactor b_;
  const bool in_place_;
  const Index first_, last_;
  Tensor memory_;
  Index t_ = 0, depth_ = 0;
};

// c = alpha · sums + beta · c + bias, [rows, columns].
inline void FinishSums(const MatrixProduct& p, const float* HWY_RESTRICT sums, Index sums_stride,
                       Index rows, Index columns, const float* HWY_RESTRICT bias, float* HWY_RESTRICT c) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const FloatVector alpha = hn::Set(d, p.alpha), beta = hn::Set(d, p.beta);
  for (Index r = 0; r < rows; ++r, sums += sums_stride, c += p.c_stride) {
    Index j = 0;
    for (; j + lanes <= columns; j += lanes) {
      FloatVector y = hn::Mul(alpha, hn::LoadU(d, sums + j));
      if (p.beta != 0) y = hn::MulAdd(beta, hn::LoadU(d, c + j), y);
      if (bias != nullptr) y = hn::Add(y, hn::LoadU(d, bias + j));
      hn::StoreU(y, d, c + j);
    }
    for (; j < columns; ++j) {
      float y = p.alpha * sums[j];
      if (p.beta != 0) y += p.beta * c[j];
      if (bias != nullptr) y += bias[j];
      c[j] = y;
    }
  }
}

using PanelKernel = decltype(&PanelProduct<1, TileWalk::along>);

template <TileWalk kWalk>
PanelKernel KernelFor(Index vectors) {
  if constexpr (kMostVectors > 3) {
    if (vectors == 4) return PanelProduct<4, kWalk>;
  }
  return vectors == 3   ? PanelProduct<3, kWalk>
         : vectors == 2 ? PanelProduct<2, kWalk>
                        : PanelProduct<1, kWalk>;
}

// Rows [row, row_end) and panels [first, last) of C.
class ProductPiece {
 public:
  ProductPiece(const MatrixProduct& p, const ProductPlan& plan, Index number)
      : p_(p),
        plan_(plan),
        layout_(plan.layout),
        row_(number == 0 ? 0 : number / plan.panel_pieces * plan.rows_per_piece),
        row_end_(std::min(row_ + plan.rows_per_piece, p.rows)),
        first_(number == 0 ? 0 : number % plan.panel_pieces * plan.panels_per_piece),
        last_(std::min(first_ + plan.panels_per_piece, layout_.panels())),
        panels_(layout_, p.b, plan.b_in_place, first_, last_, std::min(plan.depth_part, p.depth)) {
    if (!plan.a_in_place) {
      rows_memory_ = Tensor::uninitialized({kSumRows, RowStride(std::min(plan.depth_part, p.depth))});
    }
  }

  void Run() {
    for (Index t = 0; t < p_.depth; t += plan_.depth_part) {
      RunPart(t, std::min(plan_.depth_part, p_.depth - t));
    }
  }

 private:
  void RunPart(Index t, Index depth) {
    panels_.Load(t, depth);
    MatrixProduct part = p_;
    if (t > 0) part.beta = 1, part.bias = nullptr;
    const bool plain = part.alpha == 1 && part.beta == 0 && part.bias == nullptr;
    // Without sums to keep, all rows at once.
    const bool at_once = plain && depth <= kDepthBlock && layout_.is_whole(last_ - 1) && plan_.a_in_place;
    const Index step = at_once ? row_end_ - row_ : kSumRows;
    for (Index r = row_; r < row_end_; r += step) {
      const Index rows = std::min(step, row_end_ - r);
      const TileFactor a = RowsOfA(r, rows, t, depth);
      for (Index panel = first_; panel < last_; ++panel) Multiply(part, plain, a, r, rows, panel, depth);
    }
  }

  // Rows of a large transposed A are transposed back, [rows, depth].
  TileFactor RowsOfA(Index row, Index rows, Index t, Index depth) {
    const float* data = p_.a.data + row * p_.a.row_stride + t * p_.a.column_stride;
    if (plan_.a_in_place) return {data, p_.a.row_stride, p_.a.column_stride};
    const Index stride = RowStride(depth);
    TransposeIn(data, p_.a.column_stride, depth, rows, 1.0f, rows_memory_.data(), stride);
    return {rows_memory_.data(), stride, 1};
  }
  // Never a multiple of 4 KiB: rows would compete for a few places of the cache.
  static Index RowStride(Index depth) { return depth / 32 * 32 + 48; }

  HWY_INLINE void Multiply(const MatrixProduct& part, bool plain, const TileFactor& a, Index row,
                           Index rows, Index panel, Index depth) {
    const Index vectors = layout_.vectors(panel);
    const auto multiply =
        a.depth_stride == 1 ? KernelFor<TileWalk::along>(vectors) : KernelFor<TileWalk::across>(vectors);
    const Index column = layout_.begin(panel), width = layout_.width(panel);
    float* c = p_.c + row * p_.c_stride + column;
    const bool direct = plain && layout_.is_whole(panel);
    multiply(a, rows, panels_.data(panel), panels_.stride(panel), depth, sums_, direct ? c : sums_,
             direct ? p_.c_stride : width, nullptr);
    if (direct) return;
    FinishSums(part, sums_, width, rows, layout_.columns(panel),
               part.bias == nullptr ? nullptr : part.bias + column, c);
  }

  const MatrixProduct& p_;
  const ProductPlan& plan_;
  const PanelLayout& layout_;
  const Index row_, row_end_, first_, last_;
  PiecePanels panels_;
  Tensor rows_memory_;
  HWY_ALIGN float sums_[kSumRows * kWidestPanel];
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_PRODUCT_PIECE_INL_H_
