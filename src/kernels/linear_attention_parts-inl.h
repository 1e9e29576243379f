// What forward and backward of linear attention share. Include inside foreach_target.
//
// Rows in scratch memory are padded with zeros to whole vectors, Dp and Dvp floats wide, so that no loop
// below has a tail. A block holds up to kLinearBlock rows.
#if defined(FOVEA_KERNELS_LINEAR_ATTENTION_PARTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_LINEAR_ATTENTION_PARTS_INL_H_
#undef FOVEA_KERNELS_LINEAR_ATTENTION_PARTS_INL_H_
#else
#define FOVEA_KERNELS_LINEAR_ATTENTION_PARTS_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fovea/feature_map.h"
#include "fovea/tensor.h"
#include "kernels/linear_attention.h"
#include "kernels/register_tile-inl.h"
#include "kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE::linear {

constexpr Index kTileRows = 12;  // whole tiles of 4 and of 6 rows: triangles are cut at multiples of it

HWY_INLINE Index Padded(Index width) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  return (width + lanes - 1) / lanes * lanes;
}

// Rows of a state, Σ φ(k)ᵀ v [D, Dvp], then Σ φ(k) [Dp].
HWY_INLINE Index StateSize(Index depth, Index value_width) {
  return depth * Padded(value_width) + Padded(depth);
}

// running = base + total; a chunk that is complete moves into the base.
inline void AdvanceState(const LinearRunningState& state, Index size, bool chunk_is_complete) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < size; i += lanes) {
    hn::Store(hn::Add(hn::Load(d, state.base + i), hn::Load(d, state.total + i)), d, state.running + i);
  }
  if (!chunk_is_complete) return;
  std::copy_n(state.running, size, state.base);
  std::fill_n(state.total, size, 0.0f);
}

// Scratch memory of one work item, in pieces that begin at vectors.
class Scratch {
 public:
  explicit Scratch(Index floats) : memory_(Tensor::uninitialized({floats})), at_(memory_.data()) {}
  float* Take(Index floats) { return std::exchange(at_, at_ + floats); }

 private:
  Tensor memory_;
  float* at_;
};

// Rows that the register tile may read by vectors.
struct VectorRows {
  const float* data;
  Index stride;
};

// c [rows, columns] = or += a [rows, depth] · b [depth, columns]; columns are whole vectors.
template <TileEnd kEnd>
HWY_INLINE void MultiplyMatrices(const TileFactor& a, Index rows, const VectorRows& b, Index depth,
                                 Index columns, float* c, Index c_stride) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  for (Index at = 0, left = columns / lanes; left > 0;) {
    // 3 vectors at a time, but 4 as 2 + 2 and not as 3 + 1.
    const Index vectors = left == 4 ? 2 : std::min<Index>(left, 3);
    const float* from = b.data + at;
    if (vectors == 3) {
      MultiplyStrip<3, kEnd>(a, rows, from, b.stride, depth, c + at, c_stride, nullptr);
    } else if (vectors == 2) {
      MultiplyStrip<2, kEnd>(a, rows, from, b.stride, depth, c + at, c_stride, nullptr);
    } else {
      MultiplyStrip<1, kEnd>(a, rows, from, b.stride, depth, c + at, c_stride, nullptr);
    }
    left -= vectors;
    at += vectors * lanes;
  }
}

// Copies rows into scratch, unless vectors can read them where they are.
inline VectorRows ReadableRows(const LinearRows& x, Index width, float* scratch) {
  const Index lanes = static_cast<Index>(hn::Lanes(Floats()));
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(x.data) % (sizeof(float) * static_cast<std::size_t>(lanes)) == 0;
  if (aligned && width % lanes == 0 && x.stride % lanes == 0) return {x.data, x.stride};
  const Index stride = Padded(width);
  for (Index r = 0; r < x.count; ++r) {
    float* row = scratch + r * stride;
    std::copy_n(x.data + r * x.stride, width, row);
    std::fill(row + width, row + stride, 0.0f);
  }
  return {scratch, stride};
}

// exp(x) for x ≤ 0, within 2 ulp, denormal numbers included; anything for other x. Half the time of
// hn::Exp, which is a third of the time of linear attention at D = 64.
HWY_INLINE FloatVector ExpOfNegative(Floats d, FloatVector x) {
  const hn::RebindToUnsigned<Floats> du;
  x = hn::Max(x, hn::Set(d, -120.0f));
  // x = n·ln 2 + r. Adding 1.5·2²³ rounds to an integer and leaves n in the low bits; with 127 + 64 more,
  // these bits are the exponent of 2^(n + 64), which is normal where 2^n may be denormal.
  const FloatVector magic = hn::Set(d, 12582912.0f + 191.0f);
  const FloatVector shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const FloatVector n = hn::Sub(shifted, magic);
  FloatVector r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  // exp(r) = 1 + r + r²·p(r), the polynomial of Cephes' expf.
  FloatVector p = hn::Set(d, 1.9875691500e-4f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.3981999507e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1f));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), hn::Set(d, 1.0f));
  const FloatVector power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  return hn::Mul(hn::Mul(p, power), hn::Set(d, 0x1p-64f));
}

struct EluPlusOne {  // x ≥ 0 ? x + 1 : exp(x); exp(x) − 1 + 1 would lose small values
  static HWY_INLINE FloatVector Map(Floats d, FloatVector x) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), ExpOfNegative(d, x), hn::Add(x, hn::Set(d, 1.0f)));
  }
  static HWY_INLINE FloatVector Derivative(Floats d, FloatVector feature) {
    const FloatVector one = hn::Set(d, 1.0f);
    return hn::IfThenElse(hn::Ge(feature, one), one, feature);
  }
};
struct Relu {
  static HWY_INLINE FloatVector Map(Floats d, FloatVector x) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
  }
  static HWY_INLINE FloatVector Derivative(Floats d, FloatVector feature) {
    return hn::IfThenElse(hn::Le(feature, hn::Zero(d)), hn::Zero(d), hn::Set(d, 1.0f));
  }
};
struct ExpMap {
  static HWY_INLINE FloatVector Map(Floats d, FloatVector x) {
    const FloatVector power = hn::Exp(d, hn::Min(x, hn::Set(d, 100.0f)));  // overflows to inf
    return hn::IfThenElse(hn::IsNaN(x), x, power);
  }
  static HWY_INLINE FloatVector Derivative(Floats, FloatVector feature) { return feature; }
};
struct Identity {
  static HWY_INLINE FloatVector Map(Floats, FloatVector x) { return x; }
  static HWY_INLINE FloatVector Derivative(Floats d, FloatVector) { return hn::Set(d, 1.0f); }
};

// x may be `out` itself.
template <class Map>
HWY_NOINLINE void MapRows(const LinearRows& x, Index width, float* out, Index out_stride) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Index whole = width / lanes * lanes;
  for (Index r = 0; r < x.count; ++r, out += out_stride) {
    const float* from = x.data + r * x.stride;
    for (Index i = 0; i < whole; i += lanes) hn::Store(Map::Map(d, hn::LoadU(d, from + i)), d, out + i);
    if (whole == width) continue;
    if (from != out) std::copy(from + whole, from + width, out + whole);
    std::fill(out + width, out + out_stride, 0.0f);
    hn::Store(Map::Map(d, hn::Load(d, out + whole)), d, out + whole);
    std::fill(out + width, out + out_stride, 0.0f);  // φ(0) is not 0
  }
}

// out [count, Dp] = φ(x [count, width]), with zeros past the width.
inline void ApplyFeatureMap(const FeatureMap& map, const LinearRows& x, Index width, float* out) {
  const Index stride = Padded(width);
  LinearRows rows = x;
  if (x.element_stride != 1) {
    for (Index r = 0; r < x.count; ++r) {
      const float* from = x.data + r * x.stride;
      for (Index i = 0; i < width; ++i) out[r * stride + i] = from[i * x.element_stride];
    }
    rows = {out, stride, 1, x.count};
  }
  switch (map.kind()) {
    case FeatureMap::Kind::elu_plus_one:
      return MapRows<EluPlusOne>(rows, width, out, stride);
    case FeatureMap::Kind::relu:
      return MapRows<Relu>(rows, width, out, stride);
    case FeatureMap::Kind::exp:
      return MapRows<ExpMap>(rows, width, out, stride);
    case FeatureMap::Kind::identity:
      return MapRows<Identity>(rows, width, out, stride);
    case FeatureMap::Kind::custom:
      for (Index r = 0; r < rows.count; ++r) {
        float* to = out + r * stride;
        for (Index i = 0; i < width; ++i) to[i] = map(rows.data[r * rows.stride + i]);
        std::fill(to + width, to + stride, 0.0f);
      }
  }
}

// a [width] · b [width], both padded with zeros.
HWY_INLINE float Dot(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, Index padded_width) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector even = hn::Zero(d), odd = even;
  Index i = 0;
  for (; i + 2 * lanes <= padded_width; i += 2 * lanes) {
    even = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), even);
    odd = hn::MulAdd(hn::Load(d, a + i + lanes), hn::Load(d, b + i + lanes), odd);
  }
  if (i < padded_width) even = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), even);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

// sum [width] += factor_r · x_r over all rows; factors null: 1.
inline void AddRows(const float* HWY_RESTRICT x, Index rows, Index padded_width,
                    const float* HWY_RESTRICT factors, float* HWY_RESTRICT sum) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < padded_width; i += lanes) {
    FloatVector even = hn::Zero(d), odd = even;
    const auto add = [&](Index r, FloatVector to) HWY_ATTR {
      const FloatVector row = hn::Load(d, x + r * padded_width + i);
      return factors == nullptr ? hn::Add(row, to) : hn::MulAdd(row, hn::Set(d, factors[r]), to);
    };
    Index r = 0;
    for (; r + 2 <= rows; r += 2) {
      even = add(r, even);
      odd = add(r + 1, odd);
    }
    if (r < rows) even = add(r, even);
    hn::Store(hn::Add(hn::Load(d, sum + i), hn::Add(even, odd)), d, sum + i);
  }
}

// y [width] = factor · x [width], in whole vectors.
HWY_INLINE void ScaleRow(float factor, float* HWY_RESTRICT x, Index padded_width) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const FloatVector f = hn::Set(d, factor);
  for (Index i = 0; i < padded_width; i += lanes) hn::Store(hn::Mul(f, hn::Load(d, x + i)), d, x + i);
}

// out [width, columns] = xᵀ of x [rows, width]; columns past `rows` become zeros.
inline void TransposeRows(const VectorRows& x, Index rows, Index width, float* out, Index columns) {
  TransposeIn(x.data, x.stride, rows, width, 1.0f, out, columns);
  for (Index i = 0; i < width && rows < columns; ++i) {
    std::fill(out + i * columns + rows, out + (i + 1) * columns, 0.0f);
  }
}

// Whether a product with a zero weight would be zero: 0 · NaN and 0 · inf are not.
inline bool AllFinite(const VectorRows& x, Index rows, Index padded_width) {
  const Floats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  FloatVector sum = hn::Zero(d);
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < padded_width; i += lanes) {
      sum = hn::MulAdd(hn::Load(d, x.data + r * x.stride + i), hn::Zero(d), sum);
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum)) == 0;
}

// Numbers for the pairs of one block, [queries, keys]: query r sees the first lead + r + 1 keys.
struct Triangle {
  float* data;   // [queries, stride]
  Index stride;  // block, padded
  Index queries = 0, keys = 0, lead = 0;

  float* Row(Index r) const { return data + r * stride; }
  Index Visible(Index r) const { return lead + r + 1; }

  // a [queries, depth] · b [depth, keys], zero where a query does not see the key.
  void Multiply(const VectorRows& a, const VectorRows& b, Index depth) const {
    for (Index r = 0; r < queries; r += kTileRows) {
      const Index rows = std::min(kTileRows, queries - r);
      MultiplyMatrices<TileEnd::store>({a.data + r * a.stride, a.stride, 1}, rows, b, depth,
                                       Padded(lead + r + rows), Row(r), stride);
    }
    for (Index r = 0; r < queries; ++r) std::fill(Row(r) + Visible(r), Row(r) + stride, 0.0f);
  }

  // out [queries, columns] += this · b [keys, columns]. Rows of one tile share its keys, with zeros for
  // those that some of them do not see: when b is not `finite`, 0 · b is not 0, and each row goes alone.
  void AddToQueries(const VectorRows& b, bool finite, Index columns, float* out, Index out_stride) const {
    const Index step = finite ? kTileRows : 1;
    for (Index r = 0; r < queries; r += step) {
      const Index rows = std::min(step, queries - r);
      MultiplyMatrices<TileEnd::add>({Row(r), stride, 1}, rows, b, lead + r + rows, columns,
                                     out + r * out_stride, out_stride);
    }
  }

  // out [keys, columns] += thisᵀ · b [queries, columns].
  void AddToKeys(const VectorRows& b, bool finite, Index columns, float* out, Index out_stride) const {
    const Index step = finite ? kTileRows : 1;
    for (Index j = 0; j < keys; j += step) {
      const Index first = std::max<Index>(0, j - lead);  // the first query that sees key j
      MultiplyMatrices<TileEnd::add>({Row(first) + j, 1, stride}, std::min(step, keys - j),
                                     {b.data + first * b.stride, b.stride}, queries - first, columns,
                                     out + j * out_stride, out_stride);
    }
  }
};

}  // namespace fovea::kernels::HWY_NAMESPACE::linear
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_LINEAR_ATTENTION_PARTS_INL_H_
