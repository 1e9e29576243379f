#include "fovea/threads.h"

#include <omp.h>

#include "core/fail.h"

namespace fovea {

int thread_count() { return omp_get_max_threads(); }

void set_thread_count(int count) {
  if (count < 1) fail("[threads] {} threads asked for, at least 1 is needed", count);
  omp_set_num_threads(count);
}

}  // namespace fovea
