#include "mask/t5_buckets.h"

#include <algorithm>
#include <cmath>

#include "core/fail.h"

namespace fovea {
namespace {

// A strip of 2·max_distance+1 values is kept per head; published models use 128.
constexpr Index kLargestMaxDistance = 1 << 16;

}  // namespace

T5Buckets::T5Buckets(Index buckets, Index max_distance, bool bidirectional)
    : per_side_(bidirectional ? buckets / 2 : buckets),
      max_distance_(max_distance),
      bidirectional_(bidirectional) {
  if (per_side_ < 2) {
    fail("[bias] T5 has {} buckets, expected ≥ {}", buckets, bidirectional ? 4 : 2);
  }
  if (max_distance <= per_side_ / 2 || max_distance > kLargestMaxDistance) {
    fail("[bias] T5 has a max_distance of {}, expected {}..{}", max_distance, per_side_ / 2 + 1,
         kLargestMaxDistance);
  }
}

Index T5Buckets::operator()(Index relative_position) const {
  const bool after = relative_position > 0;
  const Index first = bidirectional_ && after ? per_side_ : 0;
  if (after && !bidirectional_) return 0;
  const Index distance = after ? relative_position : -relative_position;
  const Index exact = per_side_ / 2;
  if (distance < exact) return first + distance;
  // In float32 as the models were trained: where the logarithm is a whole number, rounding decides the
  // bucket.
  const float log_ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const auto log_range =
      static_cast<float>(std::log(static_cast<double>(max_distance_) / static_cast<double>(exact)));
  const auto far = static_cast<Index>(log_ratio / log_range * static_cast<float>(per_side_ - exact));
  return first + std::min(exact + far, per_side_ - 1);
}

}  // namespace fovea
