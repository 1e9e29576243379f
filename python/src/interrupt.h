// Long work that Ctrl-C ends.
#pragma once

#include <functional>
#include <stop_token>

namespace fovea::python {

// Calls work(stop) without the interpreter's lock. On Python's main thread, where signals are noticed, the
// work goes to a thread of its own while this one looks for signals every 50 ms: an exception that a
// signal's handler throws (KeyboardInterrupt) requests a stop and is what the caller gets. On other
// threads, work is just called.
void interruptible(const std::function<void(const std::stop_token&)>& work);

}  // namespace fovea::python
