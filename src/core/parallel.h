// Loops over independent work, on the threads of OpenMP.
#pragma once

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
// The team is always the whole one, though a loop of two may be all there is to do: libgomp ends the
// threads that a smaller team leaves over, and starts new ones for the next loop (8 threads on 2 cores,
// loops of 64 and of 3 in turn: some 400 µs for both instead of 200).
template <typename Body>
void parallel_for(Index count, const Body& body) {
  std::exception_ptr error;
  const int threads = count > 1 ? thread_count() : 1;
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
