#include "ops/observed_call.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "core/fork.h"
#include "fovea/instruction_set.h"
#include "fovea/threads.h"

namespace fovea {
namespace {

std::mutex observer_mutex;
[[maybe_unused]] const bool kFreeInChild = free_after_fork(observer_mutex);
std::shared_ptr<const CallObserver> wanted_observer;

// FOVEA_VERBOSE is the user's own wish to see what the library does; nothing else is ever printed here.
std::shared_ptr<const CallObserver> verbose_observer() {
  const char* verbose = std::getenv("FOVEA_VERBOSE");
  if (verbose == nullptr || *verbose == '\0' || *verbose == '0') return nullptr;
  return std::make_shared<const CallObserver>(
      [](const CallPath& call) { fmt::print(stderr, "fovea: {}\n", call.to_string()); });
}

}  // namespace

std::shared_ptr<const CallObserver> call_observer() {
  static const std::shared_ptr<const CallObserver> verbose = verbose_observer();
  const std::lock_guard lock(observer_mutex);
  return wanted_observer != nullptr ? wanted_observer : verbose;
}

void observe_calls(CallObserver observer) {
  const std::lock_guard lock(observer_mutex);
  wanted_observer = observer ? std::make_shared<const CallObserver>(std::move(observer)) : nullptr;
}

std::string CallPath::to_string() const {
  return fmt::format("{} by {}, {} {}: {}; {}; {:.3f} ms", operation, instruction_set, threads,
                     threads == 1 ? "thread" : "threads", shapes, path, seconds * 1e3);
}

std::string shape_text(const Shape& shape) {
  if (shape.rank() < 5 || shape[0] != 1) return shape.to_string();
  return Shape{shape[1], shape[2], shape[3], shape[4]}.to_string();
}

std::string shapes_text(const Shape& q, const Shape& k) {
  return fmt::format("q {}, k {}", shape_text(q), shape_text(k));
}

std::string shapes_text(const Shape& q, const Shape& k, const Shape& v) {
  return fmt::format("{}, v {}", shapes_text(q, k), shape_text(v));
}

void tell(const CallObserver& observer, const char* operation, CallText text, double seconds) {
  observer({operation, std::move(text.shapes), instruction_set(), thread_count(), std::move(text.path),
            seconds});
}

}  // namespace fovea
