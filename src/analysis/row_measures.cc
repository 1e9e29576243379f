#include "analysis/row_measures.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>

#include "ops/weight_rows.h"

namespace fovea {
namespace {

constexpr Index kFewKeys = 8;

// Two lanes, which every x86-64 and every ARMv8 has. Written out, because compilers make no vectors of a
// sum with a condition in it.
using Pair = double __attribute__((vector_size(16)));
using PairFlags = std::int64_t __attribute__((vector_size(16)));

struct Held {
  double sum = 0;
  Index keys = 0;
};

// The weights above a bound.
Held held_above(double bound, std::span<const double> row) {
  const Pair bounds = {bound, bound};
  Pair sum_a = {}, sum_b = {};
  PairFlags count_a = {}, count_b = {};  // −1 for each
  const std::size_t whole = row.size() / 4 * 4;
  for (std::size_t j = 0; j < whole; j += 4) {
    Pair a, b;
    std::memcpy(&a, row.data() + j, sizeof a);
    std::memcpy(&b, row.data() + j + 2, sizeof b);
    const PairFlags above_a = a > bounds, above_b = b > bounds;
    sum_a += reinterpret_cast<Pair>(reinterpret_cast<PairFlags>(a) & above_a);
    sum_b += reinterpret_cast<Pair>(reinterpret_cast<PairFlags>(b) & above_b);
    count_a += above_a;
    count_b += above_b;
  }
  Held held{(sum_a[0] + sum_a[1]) + (sum_b[0] + sum_b[1]),
            -(count_a[0] + count_a[1] + count_b[0] + count_b[1])};
  for (std::size_t j = whole; j < row.size(); ++j) {
    if (row[j] > bound) held.sum += row[j], ++held.keys;
  }
  return held;
}

// Between two numbers > 0, by the number of doubles between them: near the geometric mean.
double between(double low, double high) {
  const auto a = std::bit_cast<std::uint64_t>(low), b = std::bit_cast<std::uint64_t>(high);
  return std::bit_cast<double>(a + (b - a) / 2);
}

// How many of the largest of these are needed to hold `target`.
Index largest_holding(double target, double* first, double* last) {
  // Halves the part in question: the larger half is taken whole, or the last key lies in it.
  double *begin = first, *end = last, held = 0;
  while (end - begin > kFewKeys) {
    double* const middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, std::greater<>());
    const double larger = std::accumulate(begin, middle, 0.0);
    if (held + larger >= target) {
      end = middle;
    } else {
      held += larger;
      begin = middle;
    }
  }
  std::sort(begin, end, std::greater<>());
  while (begin != end && held < target) held += *begin++;
  return begin - first;
}

}  // namespace

// A bound is searched by halving: the weights above `high` are needed and not enough, those above `low` are
// enough. Only among the few between them order matters. (Sorting all of a row was a quarter of the time
// of a study, buckets by size an eighth.)
Index keys_holding(double share, std::span<const double> row, std::vector<double>& scratch) {
  Held enough = held_above(0, row), needed;
  if (enough.keys == 0) return 0;
  const double target = share * (1 - kHeldTolerance) * enough.sum;
  double low = 0, high = enough.sum;  // no weight is larger
  // Weights of less than this are not enough together to be missed.
  const double least = (enough.sum - target) / (2 * static_cast<double>(row.size()));
  while (enough.keys - needed.keys > kFewKeys) {
    const double bound = low > 0 ? between(low, high) : std::min(least, high);
    if (!(bound > low) || !(bound < high)) break;  // all are equal
    const Held above = held_above(bound, row);
    if (above.sum >= target) {
      low = bound, enough = above;
    } else {
      high = bound, needed = above;
    }
  }
  if (scratch.size() <= row.size()) scratch.resize(row.size() + 1);
  std::size_t count = 0;
  for (const double weight : row) {
    scratch[count] = weight;
    count += static_cast<std::size_t>(weight > low) & static_cast<std::size_t>(weight <= high);
  }
  return needed.keys + largest_holding(target - needed.sum, scratch.data(), scratch.data() + count);
}

void keys_holding(double share, const float* rows, Index m, std::span<Index> keys) {
  fewest_holding(rows, m, share * (1 - kHeldTolerance), keys);
  std::vector<double> scratch;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] >= 0) continue;
    const float* const row = rows + static_cast<Index>(i) * m;
    keys[i] = keys_holding(share, std::vector<double>(row, row + m), scratch);
  }
}

}  // namespace fovea
