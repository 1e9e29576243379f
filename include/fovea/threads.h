// How many threads fovea uses: what OpenMP says.
#pragma once

#include "fovea/api.h"

namespace fovea {

// OMP_NUM_THREADS and omp_set_num_threads are obeyed; results do not depend on the number, bit for bit.
FOVEA_API int thread_count();
FOVEA_API void set_thread_count(int count);  // throws Error if count < 1

}  // namespace fovea
