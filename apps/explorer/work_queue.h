// A few threads that compute for many clients.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fovea::explorer {

// If every request were computed by a thread of its own, each would bring a team of OpenMP threads.
class WorkQueue {
 public:
  // low: gives way to everything else on the machine, the person's browser before all.
  enum class Priority { normal, low };
  explicit WorkQueue(std::size_t threads, std::size_t most_waiting = SIZE_MAX,
                     Priority priority = Priority::normal);
  ~WorkQueue();  // what waits is still done
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Does the task, which throws nothing, on one of the threads, in order. Throws RequestError 429 if too
  // much waits already.
  void add(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t idle_ = 0;
  const std::size_t most_waiting_;
  const Priority priority_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fovea::explorer
