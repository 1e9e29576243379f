// What becomes of the sums of a dense layer: bias, activation, and their place. Include inside
// foreach_target.
#if defined(FOVEA_KERNELS_DENSE_END_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_DENSE_END_INL_H_
#undef FOVEA_KERNELS_DENSE_END_INL_H_
#else
#define FOVEA_KERNELS_DENSE_END_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "kernels/activation-inl.h"
#include "kernels/dense_layer.h"
#include "kernels/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

constexpr Index kDenseWidth = 48;  // of sums at most: three vectors of 64 bytes
// A vector that begins at the last sum.
constexpr Index kPastTheEnd = HWY_MAX_BYTES / static_cast<Index>(sizeof(float));

template <DenseEnd kEnd>
HWY_INLINE FloatVector Combined(FloatVector y, FloatVector out) {
  if constexpr (kEnd == DenseEnd::add) return hn::Add(out, y);
  if constexpr (kEnd == DenseEnd::multiply) return hn::Mul(out, y);
  return y;
}

// sums [rows, width] → out [rows, columns ≤ width]; bias [width]. The last vector of a row may be a partial
// one; it goes through a buffer, so that the same instructions serve every output. Up to kPastTheEnd floats
// after sums and bias are read, and not used.
template <DenseEnd kEnd, class Function>
HWY_NOINLINE void FinishRows(const float* HWY_RESTRICT sums, Index rows, Index width, Index columns,
                             const float* HWY_RESTRICT bias, float* HWY_RESTRICT out, Index out_stride,
                             const Function& function) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index r = 0; r < rows; ++r, sums += width, out += out_stride) {
    Index c = 0;
    for (; c + lanes <= columns; c += lanes) {
      const FloatVector y = function(hn::Add(hn::LoadU(d, sums + c), hn::LoadU(d, bias + c)));
      hn::StoreU(Combined<kEnd>(y, hn::LoadU(d, out + c)), d, out + c);
    }
    if (c == columns) continue;
    HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
    std::copy(out + c, out + columns, rest);
    const FloatVector y = function(hn::Add(hn::LoadU(d, sums + c), hn::LoadU(d, bias + c)));
    hn::Store(Combined<kEnd>(y, hn::Load(d, rest)), d, rest);
    std::copy(rest, rest + (columns - c), out + c);
  }
}

// A rectangle of results whose rows lie one stride apart; row and column count from the piece's first ones.
struct ResultPart {
  Index row, rows, column, columns;
  float* out;
  Index stride;
};

// Calls `use` for the parts of the results of rows from `first` on and outputs from `column` on.
template <class Use>
void ForParts(const DenseProblem& p, Index first, Index rows, Index column, Index columns, const Use& use) {
  const DenseResult& result = p.result;
  const Index outputs = p.weights.outputs(), width = result.head_width, tokens = result.tokens;
  if (width == 0) {
    use(ResultPart{0, rows, 0, columns, result.out + first * outputs + column, outputs});
    return;
  }
  for (Index c = 0, wide = 0; c < columns; c += wide) {
    const Index head = (column + c) / width, inside = (column + c) % width;
    wide = std::min(width - inside, columns - c);
    for (Index r = 0, high = 0; r < rows; r += high) {
      const Index batch = (first + r) / tokens, token = (first + r) % tokens;
      high = std::min(tokens - token, rows - r);
      const Index row = (batch * (outputs / width) + head) * tokens + token;
      use(ResultPart{r, high, c, wide, result.out + row * width + inside, width});
    }
  }
}

// sums [rows, 3 · lanes], aligned: of int8, each column by the scale of its output.
inline void ScaleSums(float* HWY_RESTRICT sums, Index rows, const float* HWY_RESTRICT scales) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const FloatVector s0 = hn::LoadU(d, scales), s1 = hn::LoadU(d, scales + lanes);
  const FloatVector s2 = hn::LoadU(d, scales + 2 * lanes);
  for (Index r = 0; r < rows; ++r, sums += 3 * lanes) {
    hn::Store(hn::Mul(hn::Load(d, sums), s0), d, sums);
    hn::Store(hn::Mul(hn::Load(d, sums + lanes), s1), d, sums + lanes);
    hn::Store(hn::Mul(hn::Load(d, sums + 2 * lanes), s2), d, sums + 2 * lanes);
  }
}

// Rows from `first` on, outputs from `column` on: sums [rows, width] to their place.
inline void Finish(const DenseProblem& p, float* sums, Index first, Index rows, Index column, Index width) {
  if (p.weights.type() == FloatType::int8) ScaleSums(sums, rows, p.weights.scales() + column);
  const Index columns = std::min(width, p.weights.outputs() - column);
  HWY_ALIGN float bias[kDenseWidth + kPastTheEnd] = {};
  if (p.bias != nullptr) std::copy_n(p.bias + column, columns, bias);
  WithActivation(p.activation, [&](const auto& function) {
    const auto with_end = [&](const auto finish) {
      ForParts(p, first, rows, column, columns, [&](const ResultPart& part) {
        finish(sums + part.row * width + part.column, part.rows, width, part.columns, bias + part.column,
               part.out, part.stride, function);
      });
    };
    using Function = std::decay_t<decltype(function)>;
    switch (p.end) {
      case DenseEnd::store:
        return with_end(FinishRows<DenseEnd::store, Function>);
      case DenseEnd::add:
        return with_end(FinishRows<DenseEnd::add, Function>);
      case DenseEnd::multiply:
        return with_end(FinishRows<DenseEnd::multiply, Function>);
    }
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_DENSE_END_INL_H_
