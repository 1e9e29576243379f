#include "machine/fma_peak.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine/fma_peak.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains hide the latency of two FMA units; they start differently, or the compiler
// would make one of them. Returns the number of flops done.
double MultiplyAdds(long rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto x = hn::Set(d, 0.999f), y = hn::Set(d, 1e-3f);
  const auto start = [&](int i) HWY_ATTR { return hn::Set(d, *sink + static_cast<float>(i)); };
  auto a0 = start(0), a1 = start(1), a2 = start(2), a3 = start(3), a4 = start(4), a5 = start(5);
  auto a6 = start(6), a7 = start(7), a8 = start(8), a9 = start(9), a10 = start(10), a11 = start(11);
  for (long i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, x, y), a1 = hn::MulAdd(a1, x, y), a2 = hn::MulAdd(a2, x, y),
    a3 = hn::MulAdd(a3, x, y);
    a4 = hn::MulAdd(a4, x, y), a5 = hn::MulAdd(a5, x, y), a6 = hn::MulAdd(a6, x, y),
    a7 = hn::MulAdd(a7, x, y);
    a8 = hn::MulAdd(a8, x, y), a9 = hn::MulAdd(a9, x, y), a10 = hn::MulAdd(a10, x, y),
    a11 = hn::MulAdd(a11, x, y);
  }
  const auto low = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(a4, a5));
  const auto high = hn::Add(hn::Add(hn::Add(a6, a7), hn::Add(a8, a9)), hn::Add(a10, a11));
  *sink = hn::GetLane(hn::Add(low, high));
  return 2.0 * 12 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace fovea::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::bench {

HWY_EXPORT(MultiplyAdds);

double fma_peak(int threads, int runs) {
  constexpr long kSteps = 5'000'000;  // 20 ms on a core of 3 GHz with two FMA units
  constexpr double kSeconds = 5;      // emulated or sanitized code is slow: fewer runs then
  double best = 0, sum = 0;
  for (int run = 0; run < runs && sum < kSeconds; ++run) {
    double flops = 0;
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads) reduction(+ : flops)
    {
      float sink = 0;
      flops += HWY_DYNAMIC_DISPATCH(MultiplyAdds)(kSteps, &sink);
      if (sink == 12345.0f) flops = 0;  // keeps the loop
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, flops / seconds.count() / 1e9);
    sum += seconds.count();
  }
  return best;
}

}  // namespace fovea::bench
#endif  // HWY_ONCE
