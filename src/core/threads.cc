#include "fovea/threads.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "core/fail.h"

namespace fovea {
namespace {

std::atomic<bool> is_child{false};

// At the start of the program: the parent need not have called anything of fovea before it forks.
[[maybe_unused]] const int kRegistered =
    ::pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });

}  // namespace

int thread_count() {
  return is_child.load(std::memory_order_relaxed) ? 1 : std::min(omp_get_max_threads(), kMostThreads);
}

void set_thread_count(int count) {
  if (count < 1 || count > kMostThreads) {
    fail("[threads] got {} threads, expected 1 to {}", count, kMostThreads);
  }
  omp_set_num_threads(count);
}

}  // namespace fovea
