#include "interrupt.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "fovea/threads.h"

namespace fovea::python {
namespace {

namespace nb = nanobind;

bool on_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

// What a thread of its own did, and whether it is done.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
};

}  // namespace

void interruptible(const std::function<void(const std::stop_token&)>& work) {
  if (!on_main_thread()) {
    const nb::gil_scoped_release released;
    work({});
    return;
  }
  Progress progress;
  std::stop_source source;
  bool signalled = false;
  {
    const nb::gil_scoped_release released;
    // The number of threads is set per thread.
    std::jthread thread([&, threads = thread_count()] {
      try {
        set_thread_count(threads);
        work(source.get_token());
      } catch (...) {
        progress.failure = std::current_exception();
      }
      const std::lock_guard lock(progress.mutex);
      progress.done = true;
      progress.changed.notify_one();
    });
    std::unique_lock lock(progress.mutex);
    while (!progress.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return progress.done; })) {
      if (signalled) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquired;
        signalled = PyErr_CheckSignals() != 0;
      }
      lock.lock();
      if (signalled) source.request_stop();
    }
  }
  if (signalled) throw nb::python_error();
  if (progress.failure) std::rethrow_exception(progress.failure);
}

}  // namespace fovea::python
