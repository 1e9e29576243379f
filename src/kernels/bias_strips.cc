#include "kernels/bias_strips.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace fovea::kernels {
namespace {

constexpr float kLog2E = 1.44269504088896341f;
constexpr Index kPastTheEnd = 256;  // lanes of a strip past the last query read here

}  // namespace

BiasStrips::BiasStrips(const ScoreProblem& problem) {
  const Index n = problem.queries(), m = problem.keys(), heads = problem.q.shape()[2];
  if (problem.bias == nullptr || !problem.bias->is_relative() || n == 0 || m == 0) return;
  const Index length = n + m - 1;
  values_ = Tensor({heads, length + kPastTheEnd});
  zero_ = m - 1;
  parallel_for(heads, [&](Index head) {
    // j − p runs from −(m − 1) to n − 1: one row at place m − 1 of n + m − 1 keys shows them all. Reversed,
    // the value of (i, j) stands at m − 1 + i − j.
    float* out = values_.data() + head * values_.shape()[1];
    const Row row{0, head, m - 1, length, length};
    problem.bias->add_values(row, 0, length, out);
    std::reverse(out, out + length);
    constexpr float kLargest = std::numeric_limits<float>::max();
    for (Index u = 0; u < length; ++u) {
      // A finite value stays finite: only a mask hides.
      const bool finite = std::abs(out[u]) <= kLargest;
      out[u] = finite ? std::clamp(out[u] * kLog2E, -kLargest, kLargest) : out[u];
    }
  });
}

}  // namespace fovea::kernels
