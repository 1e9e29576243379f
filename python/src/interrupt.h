// Long work that Ctrl-C ends, and that shows how far it is.
#pragma once

#include <functional>
#include <stop_token>

namespace fovea::python {

struct Watch {
  std::stop_token stop;
  std::function<void(double)> progress;  // told the share that is done
};

// Calls work(watch) without the interpreter's lock. On Python's main thread, where signals are noticed, the
// work goes to a thread of its own while this one looks for signals every 50 ms: an exception that a
// signal's handler throws (KeyboardInterrupt) requests a stop and is what the caller gets. After a second,
// fovea._progress shows a bar with that name. On other threads, work is just called.
void watched(const char* name, const std::function<void(const Watch&)>& work);

// Without a bar.
void interruptible(const std::function<void(const std::stop_token&)>& work);

}  // namespace fovea::python
