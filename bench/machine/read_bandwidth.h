// A plain read: how fast the threads can stream memory.
#pragma once

#include <vector>

#include "fovea/shape.h"

namespace fovea::bench {

struct Floats {
  const float* data;
  Index count;
};

// The sum of all, each block cut into equal parts for all threads of OpenMP.
float sum_of(const std::vector<Floats>& blocks);

// GB/s of sum_of over a block that no cache holds, the best of some runs.
double read_bandwidth(int runs);

}  // namespace fovea::bench
