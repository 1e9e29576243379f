#include "interrupt.h"

#include <nanobind/nanobind.h>

#include <atomic>
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
  std::atomic<double> share = 0;
};

// The bar of fovea._progress. What goes wrong there is not worth the work that it tells of.
class Bar {
 public:
  explicit Bar(const char* name) : name_(name) {}

  void show(double share) {
    if (name_ == nullptr || std::chrono::steady_clock::now() < start_) return;
    call("show", name_, share);
    shown_ = true;
  }
  void end() const {
    if (shown_) call("end");
  }

 private:
  template <typename... Values>
  static void call(const char* function, Values... values) {
    try {
      nb::module_::import_("fovea._progress").attr(function)(values...);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("fovea._progress");
    }
  }

  const char* name_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
  bool shown_ = false;
};

// Until the work is done; true if a signal's handler threw, which requests a stop. Without the lock.
bool wait_for(Progress& progress, std::stop_source& source, Bar& bar) {
  bool signalled = false;
  std::unique_lock lock(progress.mutex);
  while (!progress.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return progress.done; })) {
    if (signalled) continue;
    lock.unlock();
    {
      const nb::gil_scoped_acquire acquired;
      signalled = PyErr_CheckSignals() != 0;
      if (!signalled) bar.show(progress.share);
    }
    lock.lock();
    if (signalled) source.request_stop();
  }
  return signalled;
}

}  // namespace

void watched(const char* name, const std::function<void(const Watch&)>& work) {
  if (!on_main_thread()) {
    const nb::gil_scoped_release released;
    work({{}, [](double) {}});
    return;
  }
  Progress progress;
  std::stop_source source;
  Bar bar(name);
  bool signalled = false;
  {
    const nb::gil_scoped_release released;
    // The number of threads is set per thread.
    std::jthread thread([&, threads = thread_count()] {
      try {
        set_thread_count(threads);
        work({source.get_token(), [&](double share) { progress.share = share; }});
      } catch (...) {
        progress.failure = std::current_exception();
      }
      const std::lock_guard lock(progress.mutex);
      progress.done = true;
      progress.changed.notify_one();
    });
    signalled = wait_for(progress, source, bar);
  }
  if (signalled) {
    nb::python_error interrupted;  // takes the exception, so that the bar can end
    bar.end();
    throw interrupted;
  }
  bar.end();
  if (progress.failure) std::rethrow_exception(progress.failure);
}

void interruptible(const std::function<void(const std::stop_token&)>& work) {
  watched(nullptr, [&](const Watch& watch) { work(watch.stop); });
}

}  // namespace fovea::python
