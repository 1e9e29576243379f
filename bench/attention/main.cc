// Attention, forward: fovea against BLAS + softmax. Verifies against double, then times both in turn.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "attention/competitors.h"
#include "fma_peak.h"
#include "fovea/instruction_set.h"
#include "fovea/random.h"
#include "fovea/threads.h"
#include "reference/attention.h"

namespace fovea::bench {
namespace {

struct Scenario {
  Index batch, heads, n, d;
  bool causal;
};

constexpr Scenario kScenarios[] = {{8, 12, 128, 64, false}, {8, 12, 512, 64, false},
                                   {8, 12, 512, 64, true},  {1, 16, 2048, 64, false},
                                   {1, 16, 2048, 64, true}, {1, 8, 4096, 128, false}};

using Competitor = std::function<Tensor()>;

double seconds_of(const Competitor& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<Index>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The last rows of the first head, in double: causal lines up with the end, so a part of the queries is
// enough.
double largest_error(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, const Tensor& output) {
  const Index n = q.shape()[2], rows = std::min<Index>(n, 32);
  const auto head = [&](const Tensor& t, Index first) {
    return t.view().select(0, 0).select(0, 0).slice(0, first, n);
  };
  const auto want =
      reference::attention(ConstView(head(q, n - rows)), ConstView(head(k, 0)), ConstView(head(v, 0)),
                           {.mask = causal ? Mask::causal() : Mask::none()});
  const reference::DoubleArray got(ConstView(head(output, n - rows)));
  double worst = 0;
  for (std::size_t i = 0; i < got.values.size(); ++i)
    worst = std::max(worst, std::abs(got.values[i] - want.output.values[i]));
  return worst;
}

bool run(const Scenario& s, double peak, int rounds) {
  Random random(1);
  const Shape shape{s.batch, s.heads, s.n, s.d};
  const Tensor q = random.normal(shape), k = random.normal(shape), v = random.normal(shape);
  const Competitor ours = [&] { return attention_by_fovea(q, k, v, s.causal); };
  const Competitor blas = [&] { return attention_by_blas(q, k, v, s.causal); };
  const double our_error = largest_error(q, k, v, s.causal, ours()),
               blas_error = largest_error(q, k, v, s.causal, blas());
  if (our_error > 5e-6) {
    fmt::print(stderr, "fovea is wrong by {}\n", our_error);
    return false;
  }
  std::vector<double> our_times, blas_times;
  for (int round = 0; round < rounds; ++round) {
    our_times.push_back(seconds_of(ours));
    blas_times.push_back(seconds_of(blas));
  }
  const double ours_median = median(our_times), blas_median = median(blas_times);
  const auto n = static_cast<double>(s.n);
  const double flops =
      4 * static_cast<double>(s.batch * s.heads) * n * n * static_cast<double>(s.d) / (s.causal ? 2 : 1);
  const double rate = flops / ours_median / 1e9;
  fmt::print(
      "{:>22} {:6} {:9.2f} ms {:7.1f} GFLOP/s {:5.1f} % of peak   BLAS {:9.2f} ms   ratio {:.2f}   error "
      "{:.1e} (BLAS {:.1e})\n",
      shape.to_string(), s.causal ? "causal" : "full", ours_median * 1e3, rate, 100 * rate / peak,
      blas_median * 1e3, blas_median / ours_median, our_error, blas_error);
  return true;
}

}  // namespace
}  // namespace fovea::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const double peak = fovea::bench::fma_peak(fovea::thread_count());
  fmt::print(
      "fovea on {}, {} threads, FMA peak {:.1f} GFLOP/s; medians of {} interleaved runs; causal counts "
      "half the flops\n",
      fovea::instruction_set(), fovea::thread_count(), peak, rounds);
  for (const auto& scenario : fovea::bench::kScenarios) {
    if (!fovea::bench::run(scenario, peak, rounds)) return 1;
  }
}
