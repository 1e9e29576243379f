#include "machine/clock.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace fovea::bench {
namespace {

// Each step is an addition and an exclusive or that wait for each other: two cycles on every processor with
// operations of one cycle, x86 and Arm. Neither compiler nor processor can shorten it: `a` and `b` are not
// known before (additions of constants are free on some).
constexpr long kSteps = 1 << 20;  // 0.7 ms at 3 GHz
constexpr int kCyclesPerStep = 2;

std::uint64_t chain(std::uint64_t x, std::uint64_t a, std::uint64_t b) {
  for (long i = 0; i < kSteps; ++i) x = (x + a) ^ b;
  return x;
}

// GHz of the calling thread's core. (A function: GCC 12 forgets volatile in a parallel region.)
double clock_of_this_core() {
  constexpr int kChains = 8;  // the best of them: a thread that had to wait says nothing of the clock
  // Volatile: what is read after one clock reading and written before the next stays between them.
  volatile std::uint64_t x = 1, a = 0x9e3779b97f4a7c15, b = 0x2545f4914f6cdd1d;
  double best = 0;
  for (int i = 0; i < kChains; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    x = chain(x, a, b);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, kCyclesPerStep * static_cast<double>(kSteps) / seconds.count() / 1e9);
  }
  return best;
}

}  // namespace

double clock_gigahertz(int threads, int runs) {
  constexpr double kSeconds = 1;  // emulated or sanitized code is slow: fewer runs then
  double slowest_of_best = 0, sum = 0;
  for (int run = 0; run < runs && sum < kSeconds; ++run) {
    double slowest = 1e9;  // of the threads
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads) reduction(min : slowest)
    slowest = clock_of_this_core();
    slowest_of_best = std::max(slowest_of_best, slowest);
    sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return slowest_of_best;
}

}  // namespace fovea::bench
