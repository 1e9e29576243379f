// Loops over independent work, on the threads of OpenMP.
#pragma once

#include <algorithm>
#include <exception>
#include <stop_token>

#include "fovea/error.h"
#include "fovea/shape.h"
#include "fovea/threads.h"

namespace fovea {

// Runs body(i) for i in [0, count), in any order, on any thread; returns when all are done. The first
// exception thrown by a body is rethrown here. Bodies must write to different memory; then results cannot
// depend on the number of threads.
//
// The only place that starts threads. Their number is never left to OpenMP: it would start as many as
// OMP_NUM_THREADS says, and in a child of fork() wait for those of the parent. One thread is a plain loop.
template <typename Body>
void parallel_for(Index count, const Body& body) {
  std::exception_ptr error;
  const int threads = static_cast<int>(std::min<Index>(count, thread_count()));
  if (threads <= 1) {
    for (Index i = 0; i < count; ++i) {
      try {
        body(i);
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
  } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (Index i = 0; i < count; ++i) {
      try {
        body(i);
      } catch (...) {
#pragma omp critical(fovea_parallel_for)
        if (!error) error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

// Throws Stopped if somebody asked for it; for the loops of long work.
inline void check_stop(const std::stop_token& stop, const char* op) {
  if (stop.stop_requested()) throw Stopped(std::string("[") + op + "] stopped");
}

// The same, given up with Stopped before the next body once a stop is requested.
template <typename Body>
void parallel_for(Index count, const std::stop_token& stop, const char* op, const Body& body) {
  if (!stop.stop_possible()) return parallel_for(count, body);
  parallel_for(count, [&](Index i) {
    check_stop(stop, op);
    body(i);
  });
}

}  // namespace fovea
