// Whether anybody wants to know which path a call took, and telling them: observe_calls(), FOVEA_VERBOSE.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "fovea/attention_path.h"

namespace fovea {

// Null if nobody asked: then a call costs one look at this.
std::shared_ptr<const CallObserver> call_observer();

// "[2, 8, 512, 64]", without the first axis of the rank 5 that attention works on if it has one entry.
std::string shape_text(const Shape& shape);
std::string shapes_text(const Shape& q, const Shape& k);  // "q [..], k [..]"
std::string shapes_text(const Shape& q, const Shape& k, const Shape& v);

// What a caller says of its call; the rest is the same for all.
struct CallText {
  std::string shapes, path;
};

void tell(const CallObserver& observer, const char* operation, CallText text, double seconds);

// Runs `run`; measures it and tells what `describe` says (a CallText) if somebody asked.
template <class Run, class Describe>
void run_observed(const char* operation, const Describe& describe, const Run& run) {
  const std::shared_ptr<const CallObserver> observer = call_observer();
  if (observer == nullptr) return run();
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  tell(*observer, operation, describe(), time.count());
}

}  // namespace fovea
