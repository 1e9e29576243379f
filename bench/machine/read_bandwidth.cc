#include "machine/read_bandwidth.h"

#include <algorithm>
#include <chrono>

#include "core/parallel.h"
#include "fovea/tensor.h"
#include "fovea/threads.h"
#include "machine/machine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine/read_bandwidth.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Four sums hide the latency of the addition; memory is the limit from then on.
float Sum(const float* data, Index count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
  Index i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a0 = hn::Add(a0, hn::LoadU(d, data + i));
    a1 = hn::Add(a1, hn::LoadU(d, data + i + lanes));
    a2 = hn::Add(a2, hn::LoadU(d, data + i + 2 * lanes));
    a3 = hn::Add(a3, hn::LoadU(d, data + i + 3 * lanes));
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a0, a1), hn::Add(a2, a3))));
  for (; i < count; ++i) sum += data[i];
  return sum;
}

}  // namespace fovea::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::bench {

HWY_EXPORT(Sum);

float sum_of(const std::vector<Floats>& blocks) {
  const Index threads = thread_count();
  std::vector<float> sums(static_cast<std::size_t>(threads), 0.0f);
  parallel_for(threads, [&](Index t) {
    for (const Floats& block : blocks) {
      const Index begin = block.count * t / threads, end = block.count * (t + 1) / threads;
      sums[static_cast<std::size_t>(t)] += HWY_DYNAMIC_DISPATCH(Sum)(block.data + begin, end - begin);
    }
  });
  float sum = 0;
  for (const float each : sums) sum += each;
  return sum;
}

double read_bandwidth(int runs) {
  // Four times the last cache, so that no run finds there what the one before has left; an eighth of the
  // memory at most: some machines in machines claim huge caches.
  const auto most = std::max(Index{1} << 27, static_cast<Index>(std::min(available_memory() / 8, 0x1p31)));
  const Index bytes = std::clamp<Index>(4 * cache_bytes(3), Index{1} << 27, most);
  const Tensor block = Tensor::filled({bytes / 4}, 1e-9f);
  double best = 0;
  float sum = 0;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    sum += sum_of({{block.data(), block.shape().elements()}});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (sum > 0) best = std::max(best, static_cast<double>(bytes) / seconds.count() / 1e9);
  }
  return best;
}

}  // namespace fovea::bench
#endif  // HWY_ONCE
