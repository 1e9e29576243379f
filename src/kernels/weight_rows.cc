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
  HWY_INLINE void Set(const float* first, Index count) {
    const RowFloats d;
    data = first;
    whole = count - count % static_cast<Index>(hn::Lanes(d));
    hn::Store(hn::Zero(d), d, rest);
    for (Index j = whole; j < count; ++j) rest[j - whole] = first[j];
  }

  const float* data;
  Index whole;
  HWY_ALIGN float rest[kRowLanes];
};

// The search for the keys that hold a share of one row: the weights above `high` are needed and not enough,
// those above `low` are enough.
struct Search {
  PaddedRow row;
  double target;
  float goal, least, most;  // all weights are less than or equal to `most`
  float low, high;
  float guess = 0;  // where the row before ended: rows of a head are alike
  Index enough, needed;

  // The next bound to try; 0 if none is left, or none is needed.
  HWY_INLINE float Bound() const {
    if (enough - needed <= kFewWeights) return 0;
    float bound;
    if (low > 0) {
      bound = Between(low, high);
      if (high == most) bound = std::min(bound, 2 * low);
    } else if (high == most) {
      bound = std::max(std::min(guess, most / 2), least);
    } else {
      bound = std::max(high / 2, least);
    }
    return bound > low && bound < high ? bound : 0;
  }

  // By the number of floats between them: near the geometric mean.
  static HWY_INLINE float Between(float low, float high) {
    const auto from = std::bit_cast<std::uint32_t>(low), to = std::bit_cast<std::uint32_t>(high);
    return std::bit_cast<float>(from + (to - from) / 2);
  }

  HWY_INLINE void Note(float bound, float held, Index keys) {
    if (held >= goal) {
      low = bound, enough = keys;
    } else {
      high = bound, needed = keys;
    }
  }
};

// A step of a search is a chain of sums that wait for one another: several rows are searched at a time.
constexpr Index kRowsTogether = 4;

// What the weights above a bound sum up to and how many they are, of kRowsTogether rows of one length, each
// with its bound. It is searched with this, so float32 is enough.
HWY_INLINE void HeldAbove(const Search* searches, const float* bounds, float* sums, Index* keys) {
  static_assert(kRowsTogether == 4);
  const RowFloats d;
  const RowInts di;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = searches[0].row.whole;
  const auto bound0 = hn::Set(d, bounds[0]), bound1 = hn::Set(d, bounds[1]);
  const auto bound2 = hn::Set(d, bounds[2]), bound3 = hn::Set(d, bounds[3]);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  auto keys0 = hn::Zero(di), keys1 = hn::Zero(di), keys2 = hn::Zero(di), keys3 = hn::Zero(di);
  const auto add = [&](const float* weights, auto bound, auto& sum, auto& count) HWY_ATTR {
    const auto w = hn::LoadU(d, weights);
    const auto above = hn::Gt(w, bound);
    sum = hn::Add(sum, hn::IfThenElseZero(above, w));
    count = hn::Sub(count, hn::BitCast(di, hn::VecFromMask(d, above)));  // −1 for each
  };
  for (Index j = 0; j < whole; j += lanes) {
    add(searches[0].row.data + j, bound0, sum0, keys0);
    add(searches[1].row.data + j, bound1, sum1, keys1);
    add(searches[2].row.data + j, bound2, sum2, keys2);
    add(searches[3].row.data + j, bound3, sum3, keys3);
  }
  add(searches[0].row.rest, bound0, sum0, keys0);
  add(searches[1].row.rest, bound1, sum1, keys1);
  add(searches[2].row.rest, bound2, sum2, keys2);
  add(searches[3].row.rest, bound3, sum3, keys3);
  const auto put = [&](Index r, auto sum, auto count) HWY_ATTR {
    sums[r] = hn::GetLane(hn::SumOfLanes(d, sum));
    keys[r] = static_cast<Index>(hn::GetLane(hn::SumOfLanes(di, count)));
  };
  put(0, sum0, keys0), put(1, sum1, keys1), put(2, sum2, keys2), put(3, sum3, keys3);
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

// The weights in (low, high], which are kFewWeights at most, to `few` [kFewWeights + kRowLanes], zeros
// after them.
HWY_INLINE void TakeBetween(const PaddedRow& row, float low, float high, float* few) {
  const RowFloats d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
#if HWY_TARGET == HWY_AVX3
  for (Index j = 0; j <= row.whole; j += lanes) {
    const auto weights = hn::LoadU(d, j < row.whole ? row.data + j : row.rest);
    const auto between = hn::And(hn::Gt(weights, lows), hn::Le(weights, highs));
    hn::StoreU(hn::Compress(weights, between), d, few);
    few += hn::CountTrue(d, between);
  }
  hn::StoreU(hn::Zero(d), d, few);
#else
  // Found 64 by 64 as bits: Compress of Highway 1.0.3 copies its table of 1 KiB to the stack for every
  // vector, which was more than half of this search.
  for (Index k = 0; k < kFewWeights; ++k) few[k] = 0;
  std::uint64_t found = 0;
  for (Index j = 0; j <= row.whole; j += lanes) {
    const auto weights = hn::LoadU(d, j < row.whole ? row.data + j : row.rest);
    const auto between = hn::And(hn::Gt(weights, lows), hn::Le(weights, highs));
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, between, bytes);
    found |= (bytes[0] | std::uint64_t{bytes[1]} << 8) << (j % 64);
    if ((j + lanes) % 64 != 0 && j < row.whole) continue;
    const float* const first = row.data + j / 64 * 64;
    for (; found != 0; found &= found - 1) *few++ = first[std::countr_zero(found)];
  }
#endif
}

// Of a row of zeros there is nothing to search for: Bound() is 0, and KeysFound() is 0.
HWY_INLINE void Begin(Search& search, const float* weights, Index m, double share) {
  search.row.Set(weights, m);
  const double sum = SumAbove(search.row, 0);
  search.target = share * sum;
  search.goal = static_cast<float>(search.target);
  // Weights of less than this are not enough together to be missed.
  search.least = static_cast<float>((sum - search.target) / static_cast<double>(2 * m));
  search.low = 0;
  search.high = search.most = static_cast<float>(sum);
  search.enough = sum > 0 ? m : 0;
  search.needed = 0;
}

// The few weights between the bounds are held against the target in double, which also finds out where the
// search was wrong.
HWY_INLINE Index KeysFound(const Search& search) {
  if (search.enough == 0) return 0;
  const PaddedRow& row = search.row;
  const double target = search.target;
  const float low = search.low, high = search.high;
  const Index enough = search.enough, needed = search.needed;
  double held = SumAbove(row, high);
  if (held >= target) return -1;
  if (enough - needed > kFewWeights) {
    // No float lies between: these are all equal to `high`.
    if (std::bit_cast<std::uint32_t>(high) - std::bit_cast<std::uint32_t>(low) != 1) return -1;
    Index keys = needed;
    for (; keys < enough && held < target; ++keys) held += static_cast<double>(high);
    return held < target ? -1 : keys;
  }
  float few[kFewWeights + kRowLanes];
  TakeBetween(row, low, high, few);
  const Index more = FewHolding(target - held, few);
  return more < 0 ? -1 : needed + more;
}

// A bound is searched by halving, in float32.
void KeysHolding(const float* HWY_RESTRICT rows, Index count, Index m, double share,
                 Index* HWY_RESTRICT keys) {
  Search searches[kRowsTogether];
  for (Index first = 0; first < count; first += kRowsTogether) {
    for (Index r = 0; r < kRowsTogether; ++r) {
      Begin(searches[r], rows + std::min(first + r, count - 1) * m, m, share);
    }
    while (true) {
      float bounds[kRowsTogether], held[kRowsTogether];
      Index above[kRowsTogether];
      bool any = false;
      for (Index r = 0; r < kRowsTogether; ++r) any |= (bounds[r] = searches[r].Bound()) > 0;
      if (!any) break;
      HeldAbove(searches, bounds, held, above);
      for (Index r = 0; r < kRowsTogether; ++r) {
        if (bounds[r] > 0) searches[r].Note(bounds[r], held[r], above[r]);
      }
    }
    for (Search& search : searches)
      search.guess = search.low > 0 ? Search::Between(search.low, search.high) : 0;
    for (Index r = 0; r < std::min(kRowsTogether, count - first); ++r)
      keys[first + r] = KeysFound(searches[r]);
  }
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

void AddMarked(std::int64_t* HWY_RESTRICT rows, Index width, const MarkedAmount* amounts, Index count) {
  using Counters = hn::ScalableTag<std::int64_t>;
  const Counters d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), whole = width - width % lanes;
  HWY_ALIGN std::int64_t bits[HWY_MAX_BYTES / sizeof(std::int64_t)];
  for (Index i = 0; i < lanes; ++i) bits[i] = std::int64_t{1} << i;
  const auto bit_of_lane = hn::Load(d, bits);
  for (const MarkedAmount* each = amounts; each != amounts + count; ++each) {
    std::int64_t* const row = rows + each->row * width;
    const auto amount = hn::Set(d, each->amount);
    std::uint64_t marks = each->marks;
    for (Index i = 0; i < whole; i += lanes, marks >>= lanes) {
      const auto marked = hn::TestBit(hn::Set(d, static_cast<std::int64_t>(marks)), bit_of_lane);
      hn::StoreU(hn::Add(hn::LoadU(d, row + i), hn::IfThenElseZero(marked, amount)), d, row + i);
    }
    for (Index i = whole; i < width; ++i, marks >>= 1) {
      row[i] += each->amount & -static_cast<std::int64_t>(marks & 1);  // no branch to guess
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(KeysHolding);
HWY_EXPORT(AddRowToSums);
HWY_EXPORT(LargestOfRow);
HWY_EXPORT(SumXLogX);
HWY_EXPORT(AddMarked);

void keys_holding(const float* rows, Index count, Index m, double share, Index* keys) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(KeysHolding)(rows, count, m, share, keys);
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

void add_marked(std::int64_t* rows, Index width, const MarkedAmount* amounts, Index count) {
  apply_forced_instruction_set();
  HWY_DYNAMIC_DISPATCH(AddMarked)(rows, width, amounts, count);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
