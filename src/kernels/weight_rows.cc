#include "kernels/weight_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/weight_rows.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include "kernels/scalar_options-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using RowFloats = hn::ScalableTag<float>;
using RowInts = hn::RebindToSigned<RowFloats>;
using RowDoubles = hn::ScalableTag<double>;
using RowHalves = hn::Rebind<float, RowDoubles>;  // as many floats as there are doubles in a vector

constexpr Index kRowLanes = HWY_MAX_BYTES / sizeof(float);
constexpr Index kFewWeights = 8;  // a whole number of vectors of doubles, whatever their size

// A row as whole vectors, the last one filled up with zeros.
struct PaddedRow {
  HWY_INLINE PaddedRow(const float* first, Index count) : data(first) {
    const RowFloats d;
    whole = count - count % static_cast<Index>(hn::Lanes(d));
    hn::Store(hn::Zero(d), d, rest);
    for (Index j = whole; j < count; ++j) rest[j - whole] = first[j];
  }

  const float* data;
  Index whole;
  HWY_ALIGN float rest[kRowLanes];
};

struct HeldWeights {
  float sum;
  Index keys;
};

// The weights above a bound: what is searched with, so float32 is enough.
HWY_INLINE HeldWeights HeldAbove(const PaddedRow& row, float bound) {
  const RowFloats d;
  const RowInts di;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto bounds = hn::Set(d, bound);
  const auto rest = hn::Load(d, row.rest);
  const auto rest_above = hn::Gt(rest, bounds);
  auto sum_a = hn::IfThenElseZero(rest_above, rest), sum_b = hn::Zero(d);
  auto count_a = hn::BitCast(di, hn::VecFromMask(d, rest_above)), count_b = hn::Zero(di);  // −1 for each
  Index j = 0;
  for (; j + 2 * lanes <= row.whole; j += 2 * lanes) {
    const auto a = hn::LoadU(d, row.data + j), b = hn::LoadU(d, row.data + j + lanes);
    const auto above_a = hn::Gt(a, bounds), above_b = hn::Gt(b, bounds);
    sum_a = hn::Add(sum_a, hn::IfThenElseZero(above_a, a));
    sum_b = hn::Add(sum_b, hn::IfThenElseZero(above_b, b));
    count_a = hn::Add(count_a, hn::BitCast(di, hn::VecFromMask(d, above_a)));
    count_b = hn::Add(count_b, hn::BitCast(di, hn::VecFromMask(d, above_b)));
  }
  if (j < row.whole) {
    const auto a = hn::LoadU(d, row.data + j);
    const auto above = hn::Gt(a, bounds);
    sum_b = hn::Add(sum_b, hn::IfThenElseZero(above, a));
    count_b = hn::Add(count_b, hn::BitCast(di, hn::VecFromMask(d, above)));
  }
  return {hn::GetLane(hn::SumOfLanes(d, hn::Add(sum_a, sum_b))),
          -static_cast<Index>(hn::GetLane(hn::SumOfLanes(di, hn::Add(count_a, count_b))))};
}

// The sum of the weights above a bound, in double.
HWY_INLINE double SumAbove(const PaddedRow& row, float bound) {
  const RowDoubles d;
  const RowHalves half;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), both = static_cast<Index>(hn::Lanes(RowFloats()));
  const auto bounds = hn::Set(d, static_cast<double>(bound));
  auto sum_a = hn::Zero(d), sum_b = hn::Zero(d);
  for (Index j = 0; j <= row.whole; j += both) {
    const float* from = j < row.whole ? row.data + j : row.rest;
    const auto a = hn::PromoteTo(d, hn::LoadU(half, from));
    sum_a = hn::Add(sum_a, hn::IfThenElseZero(hn::Gt(a, bounds), a));
    if (both == lanes) continue;  // the scalar ones
    const auto b = hn::PromoteTo(d, hn::LoadU(half, from + lanes));
    sum_b = hn::Add(sum_b, hn::IfThenElseZero(hn::Gt(b, bounds), b));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum_a, sum_b)));
}

// How many of `few`, from the largest on, are needed to hold `target`: those before which less is held.
// Every weight asks all others, because a sort of a handful guesses its branches wrong. −1: all are too
// few.
HWY_INLINE Index FewHolding(double target, const float* few) {
  const RowDoubles d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN double values[kFewWeights];
  double sum = 0;
  for (Index k = 0; k < kFewWeights; ++k) sum += values[k] = static_cast<double>(few[k]);
  if (sum < target) return -1;
  std::size_t needed = 0;
  for (Index first = 0; first < kFewWeights; first += lanes) {
    const auto own = hn::Load(d, values + first), place = hn::Iota(d, static_cast<double>(first));
    auto before = hn::Zero(d);
    for (Index k = 0; k < kFewWeights; ++k) {
      const auto other = hn::Set(d, values[k]);
      const auto equal_before =
          hn::And(hn::Eq(other, own), hn::Lt(hn::Set(d, static_cast<double>(k)), place));
      before = hn::Add(before, hn::IfThenElseZero(hn::Or(hn::Gt(other, own), equal_before), other));
    }
    needed += hn::CountTrue(d, hn::Lt(before, hn::Set(d, target)));
  }
  return static_cast<Index>(needed);
}

// The weights in (low, high], which are kFewWeights at most, to `few`, zeros after them. Found 64 by 64 as
// bits; CompressStore of Highway 1.0.3 copies its table of 1 KiB to the stack for every vector, which was
// more than half of this search.
HWY_INLINE void TakeBetween(const PaddedRow& row, float low, float high, float* few) {
  const RowFloats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index k = 0; k < kFewWeights; ++k) few[k] = 0;
  std::uint64_t found = 0;
  for (Index j = 0; j <= row.whole; j += lanes) {
    const auto weights = hn::LoadU(d, j < row.whole ? row.data + j : row.rest);
    const auto between = hn::And(hn::Gt(weights, hn::Set(d, low)), hn::Le(weights, hn::Set(d, high)));
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, between, bytes);
    found |= (bytes[0] | std::uint64_t{bytes[1]} << 8) << (j % 64);
    if ((j + lanes) % 64 != 0 && j < row.whole) continue;
    const float* const first = row.data + j / 64 * 64;
    for (; found != 0; found &= found - 1) *few++ = first[std::countr_zero(found)];
  }
}

// A bound is searched by halving, in float32: the weights above `high` are needed and not enough, those
// above `low` are enough. The few between are then held against the target in double, which also finds out
// where the search was wrong.
Index KeysHolding(const float* HWY_RESTRICT weights, Index m, double share) {
  const PaddedRow row(weights, m);
  const double sum = SumAbove(row, 0);
  if (!(sum > 0)) return 0;
  const double target = share * sum;
  const auto goal = static_cast<float>(target);
  // Weights of less than this are not enough together to be missed.
  const auto least = static_cast<float>((sum - target) / static_cast<double>(2 * m));
  float low = 0, high = static_cast<float>(sum);  // no weight is larger
  Index enough = m, needed = 0;
  while (enough - needed > kFewWeights) {
    // By the number of floats between them: near the geometric mean.
    const auto from = std::bit_cast<std::uint32_t>(low), to = std::bit_cast<std::uint32_t>(high);
    const float bound = low > 0 ? std::bit_cast<float>(from + (to - from) / 2) : std::min(least, high);
    if (!(bound > low) || !(bound < high)) break;
    const HeldWeights above = HeldAbove(row, bound);
    if (above.sum >= goal) {
      low = bound, enough = above.keys;
    } else {
      high = bound, needed = above.keys;
    }
  }
  double held = SumAbove(row, high);
  if (held >= target) return -1;
  if (enough - needed > kFewWeights) {
    // No float lies between: these are all equal to `high`.
    if (std::bit_cast<std::uint32_t>(high) - std::bit_cast<std::uint32_t>(low) != 1) return -1;
    for (; needed < enough && held < target; ++needed) held += static_cast<double>(high);
    return held < target ? -1 : needed;
  }
  float few[kFewWeights];
  TakeBetween(row, low, high, few);
  const Index more = FewHolding(target - held, few);
  return more < 0 ? -1 : needed + more;
}

void AddRowToSums(const float* HWY_RESTRICT row, Index m, double* HWY_RESTRICT sums) {
  const RowDoubles d;
  const RowHalves half;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  for (; j + lanes <= m; j += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + j), hn::PromoteTo(d, hn::LoadU(half, row + j))), d, sums + j);
  }
  for (; j < m; ++j) sums[j] += static_cast<double>(row[j]);
}

// The maximum first, its place afterwards: a loop that carries both is slower.
LargestWeight LargestOfRow(const float* HWY_RESTRICT row, const float* HWY_RESTRICT factors, Index m) {
  const RowFloats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = m - m % lanes;
  auto most = hn::Zero(d);
  for (Index j = 0; j < whole; j += lanes) {
    most = hn::Max(most, hn::Mul(hn::LoadU(d, row + j), hn::LoadU(d, factors + j)));
  }
  float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (Index j = whole; j < m; ++j) largest = std::max(largest, row[j] * factors[j]);
  if (!(largest > 0)) return {};
  const auto wanted = hn::Set(d, largest);
  for (Index j = 0; j < whole; j += lanes) {
    const auto found = hn::Eq(hn::Mul(hn::LoadU(d, row + j), hn::LoadU(d, factors + j)), wanted);
    const auto lane = hn::FindFirstTrue(d, found);
    if (lane >= 0) return {largest, j + static_cast<Index>(lane)};
  }
  Index key = whole;
  while (row[key] * factors[key] != largest) ++key;
  return {largest, key};
}

// x ln x, 0 for 0. The polynomial is that of Cephes' logf.
template <class V>
HWY_INLINE V XLogX(RowFloats d, V x) {
  const RowInts di;
  const auto bits = hn::BitCast(di, x);
  // x = m · 2^e with √½ ≤ m < √2.
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F3504F3)));
  const V f = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), hn::Set(d, 1.0f));
  const V e = hn::ConvertTo(d, exponent);
  V y = hn::MulAdd(hn::Set(d, 7.0376836292e-2f), f, hn::Set(d, -1.1514610310e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, 1.1676998740e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, -1.2420140846e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, 1.4249322787e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, -1.6668057665e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, 2.0000714765e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, -2.4999993993e-1f));
  y = hn::MulAdd(y, f, hn::Set(d, 3.3333331174e-1f));
  const V square = hn::Mul(f, f);
  y = hn::MulAdd(y, f, hn::Set(d, -0.5f));
  y = hn::MulAdd(y, square, hn::Mul(e, hn::Set(d, -2.12194440e-4f)));
  return hn::Mul(x, hn::MulAdd(e, hn::Set(d, 0.693359375f), hn::Add(f, y)));
}

// Terms are summed in float32 over kRowPadding of them, then in double: a long row's sum would be rounded
// to the ulp of the sum at every step, with the narrowest vectors most.
double SumXLogX(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, Index m) {
  const RowFloats d;
  const RowDoubles doubles;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), halves = static_cast<Index>(hn::Lanes(doubles));
  auto sum = hn::Zero(doubles);
  for (Index first = 0; first < m; first += kRowPadding) {
    auto terms = hn::Zero(d);
    for (Index j = first; j < first + kRowPadding; j += lanes) {
      terms = hn::Add(terms, XLogX(d, hn::Add(hn::LoadU(d, a + j), hn::LoadU(d, b + j))));
    }
    HWY_ALIGN float stored[kRowLanes];
    hn::Store(terms, d, stored);
    for (Index j = 0; j < lanes; j += halves) {
      sum = hn::Add(sum, hn::PromoteTo(doubles, hn::LoadU(RowHalves(), stored + j)));
    }
  }
  return hn::GetLane(hn::SumOfLanes(doubles, sum));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(KeysHolding);
HWY_EXPORT(AddRowToSums);
HWY_EXPORT(LargestOfRow);
HWY_EXPORT(SumXLogX);

Index keys_holding(const float* row, Index m, double share) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(KeysHolding)(row, m, share);
}

void add_row_to_sums(const float* row, Index m, double* sums) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(AddRowToSums)(row, m, sums);
}

LargestWeight largest_weight(const float* row, const float* factors, Index m) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(LargestOfRow)(row, factors, m);
}

double sum_x_log_x(const float* a, const float* b, Index m) {
  apply_forced_instruction_set();
  return HWY_DYNAMIC_DISPATCH(SumXLogX)(a, b, m);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
