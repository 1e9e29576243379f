#include "work_queue.h"

#ifdef __linux__
#include <sys/resource.h>
#endif

#include "request_error.h"

namespace fovea::explorer {
namespace {

// Of this thread and of the team of OpenMP threads that it will start. Only Linux has this for threads.
void lower_priority() {
#ifdef __linux__
  ::setpriority(PRIO_PROCESS, 0, 5);
#endif
}

}  // namespace

WorkQueue::WorkQueue(std::size_t threads, std::size_t most_waiting, Priority priority)
    : idle_(threads), most_waiting_(most_waiting), priority_(priority) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkQueue::add(std::function<void()> task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tasks_.size() >= idle_ && tasks_.size() - idle_ >= most_waiting_) {
      throw RequestError(429, "too many runs are waiting; try again in a moment");
    }
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void WorkQueue::work() {
  if (priority_ == Priority::low) lower_priority();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    --idle_;
    lock.unlock();
    task();
    lock.lock();
    ++idle_;
  }
}

}  // namespace fovea::explorer
