// A bias by relative position as one strip of values per head, in the order in which the kernels read it.
#pragma once

#include "kernels/attention.h"

namespace fovea::kernels {

class BiasStrips {
 public:
  // Empty unless the problem has a bias by relative position. Values are in units of log2.
  explicit BiasStrips(const ScoreProblem& problem);

  bool empty() const { return values_.empty(); }

  // Where the value for query 0 and key 0 of a head stands; the one of query i and key j stands i − j
  // further on, so neighbouring queries are neighbours. As many values as a strip has lanes may be read
  // past the last query.
  const float* of(Index head) const { return values_.data() + head * values_.shape()[1] + zero_; }

 private:
  Tensor values_;  // [H, N + M − 1 and some more]
  Index zero_ = 0;
};

}  // namespace fovea::kernels
