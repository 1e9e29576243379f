// Threads that add to the same memory, one after the other in a fixed order.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "fovea/shape.h"

namespace fovea::kernels {

// Sums of floats depend on the order of their terms. Here the order at each place is 0, 1, 2, ..: whoever
// comes too early sleeps. Nobody waits for ever if work is begun in that order.
class Turns {
 public:
  explicit Turns(Index places) : next_(static_cast<std::size_t>(places), 0) {}

  // Returns when it is turn's turn at the place; false: somebody failed, and it never will be.
  bool wait(Index place, Index turn) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || next_[static_cast<std::size_t>(place)] == turn; });
    return !failed_;
  }
  void pass(Index place) {
    const std::lock_guard lock(mutex_);
    ++next_[static_cast<std::size_t>(place)];
    changed_.notify_all();
  }
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Index> next_;
  bool failed_ = false;
};

}  // namespace fovea::kernels
