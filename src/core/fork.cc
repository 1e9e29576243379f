#include "core/fork.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace fovea {
namespace {

constexpr std::size_t kMostMutexes = 16;
std::array<std::atomic<std::mutex*>, kMostMutexes> known_mutexes;
std::atomic<std::size_t> mutex_count{0};

void lock_all() {
  for (const auto& mutex : known_mutexes) {
    if (std::mutex* one = mutex.load()) one->lock();
  }
}

void unlock_all() {
  for (const auto& mutex : known_mutexes) {
    if (std::mutex* one = mutex.load()) one->unlock();
  }
}

}  // namespace

bool free_after_fork(std::mutex& mutex) {
  static const int registered = ::pthread_atfork(lock_all, unlock_all, unlock_all);
  known_mutexes.at(mutex_count++).store(&mutex);
  return registered == 0;
}

}  // namespace fovea
