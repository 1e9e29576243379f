#include "analysis/row_measures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>

namespace fovea {
namespace {

// Buckets of weights by size, two per power of two: the largest first, the last holds all below 2^-63.
constexpr std::size_t kBuckets = 128;

std::size_t bucket_of(double weight) {
  constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0) >> 51;  // exponent and a bit of mantissa
  const std::uint64_t size = std::bit_cast<std::uint64_t>(weight) >> 51;
  return size >= kOne ? 0 : std::min<std::size_t>(static_cast<std::size_t>(kOne - size), kBuckets - 1);
}

// How many of the largest of these are needed to hold `target`.
Index largest_holding(double target, std::vector<double>& weights) {
  // Halves the part in question: the larger half is taken whole, or the last key lies in it.
  auto begin = weights.begin(), end = weights.end();
  double held = 0;
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, std::greater<>());
    const double larger = std::accumulate(begin, middle, 0.0);
    if (held + larger >= target) {
      end = middle;
    } else {
      held += larger;
      begin = middle;
    }
  }
  return static_cast<Index>(begin - weights.begin()) + (begin == end ? 0 : 1);
}

}  // namespace

// Whole buckets are taken as long as they are needed; only within the last one, order matters. (Searching
// all of a row was a quarter of the time of a study.)
Index keys_holding(double share, const std::vector<double>& row, std::vector<double>& scratch) {
  std::array<double, kBuckets> sums = {};
  std::array<std::int32_t, kBuckets> counts = {};
  for (const double weight : row) {
    if (!(weight > 0)) continue;
    const std::size_t bucket = bucket_of(weight);
    sums[bucket] += weight;
    ++counts[bucket];
  }
  const double target = share * (1 - kHeldTolerance) * std::accumulate(sums.begin(), sums.end(), 0.0);
  double held = 0;
  Index keys = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (counts[bucket] == 0) continue;
    if (held + sums[bucket] < target) {
      held += sums[bucket];
      keys += counts[bucket];
      continue;
    }
    scratch.clear();
    for (const double weight : row) {
      if (weight > 0 && bucket_of(weight) == bucket) scratch.push_back(weight);
    }
    return keys + largest_holding(target - held, scratch);
  }
  return keys;
}

}  // namespace fovea
