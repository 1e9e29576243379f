#include "analysis/study/pair_sketch.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

std::uint64_t pair_number(Index vocabulary, Index query, Index key) {
  return static_cast<std::uint64_t>(query) << token_bits(vocabulary) | static_cast<std::uint64_t>(key);
}

// splitmix64: every bit of the pair decides.
Index bucket_of(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return static_cast<Index>((number ^ number >> 31) % kPairBuckets);
}

}  // namespace

// The first counter sums all weight, the others that of each bit.
MarkedAmount marked_pair(Index vocabulary, Index query, Index key, double weight) {
  const std::uint64_t number = pair_number(vocabulary, query, key);
  return {bucket_of(number), number << 1 | 1, std::llrint(weight * kPairUnit)};
}

std::optional<DecodedPair> pair_of_bucket(const std::int64_t* buckets, Index vocabulary, Index bucket) {
  const std::int64_t* counters = buckets + bucket * pair_counters(vocabulary);
  const std::int64_t all = counters[0];
  if (all <= 0) return std::nullopt;
  const Index bits = token_bits(vocabulary);
  std::uint64_t number = 0;
  std::int64_t weight = all;  // the pair has no more than any side of its bits
  for (Index bit = 0; bit < 2 * bits; ++bit) {
    const std::int64_t with = counters[1 + bit], without = all - with;
    if (with > without) number |= std::uint64_t{1} << bit;
    weight = std::min(weight, std::max(with, without));
  }
  const auto query = static_cast<Index>(number >> bits);
  const auto key = static_cast<Index>(number & ((std::uint64_t{1} << bits) - 1));
  // Bits of several pairs mixed give a number that does not belong here.
  if (query >= vocabulary || key >= vocabulary || bucket_of(number) != bucket || 2 * weight <= all) {
    return std::nullopt;
  }
  return DecodedPair{query, key, static_cast<double>(weight) / kPairUnit};
}

}  // namespace fovea
