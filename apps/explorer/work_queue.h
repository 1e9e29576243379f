// A few threads that compute for many clients.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fovea::explorer {

// Clients hold threads of the HTTP server while they wait; if each of those computed by itself, each would
// bring a team of OpenMP threads of its own.
class WorkQueue {
 public:
  // low: gives way to everything else on the machine, the person's browser before all.
  enum class Priority { normal, low };
  explicit WorkQueue(std::size_t threads, std::size_t most_waiting = SIZE_MAX,
                     Priority priority = Priority::normal);
  ~WorkQueue();  // what waits is still done
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Does the work on one of the threads and waits for it; what it throws is thrown here. Throws
  // RequestError 429 if too much waits already.
  template <typename Work>
  auto run(Work work) -> decltype(work()) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    add([&task] { task(); });
    return result.get();
  }

 private:
  void add(std::function<void()> task);
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
