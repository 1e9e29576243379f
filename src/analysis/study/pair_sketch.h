// The pairs of tokens that carry most weight, in fixed memory and whatever their order.
//
// A pair falls into one of kPairBuckets by a hash. A bucket sums all weight, and for each bit of the pair's
// number the weight of the pairs that have it. Where one pair holds more than half of a bucket, its bits
// are those that hold more than half: it can be read off (combinatorial group testing, Cormode and
// Muthukrishnan 2005). Everything is a sum of integers: merging is addition.
#pragma once

#include <cstdint>
#include <optional>

#include "fovea/shape.h"
#include "ops/weight_rows.h"

namespace fovea {

inline constexpr Index kPairBuckets = 1024;

// Bits of a token's number in a vocabulary.
inline Index token_bits(Index vocabulary) {
  Index bits = 1;
  while ((Index{1} << bits) < vocabulary) ++bits;
  return bits;
}
// Counters of a bucket: one for all weight, one per bit of both numbers.
inline Index pair_counters(Index vocabulary) { return 1 + 2 * token_bits(vocabulary); }

// Weights here are integers of weight · 2^20: a counter takes 2^43 rows.
inline constexpr double kPairUnit = 1048576.0;

// What add_marked() (ops/weight_rows.h) is to add to a head's kPairBuckets rows of
// pair_counters(vocabulary).
MarkedAmount marked_pair(Index vocabulary, Index query, Index key, double weight);

struct DecodedPair {
  Index query = 0, key = 0;
  double weight = 0;
};
// The pair that holds most of a bucket, if one does.
std::optional<DecodedPair> pair_of_bucket(const std::int64_t* buckets, Index vocabulary, Index bucket);

}  // namespace fovea
