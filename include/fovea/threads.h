// How many threads fovea uses: what OpenMP says.
#pragma once

namespace fovea {

// OMP_NUM_THREADS and omp_set_num_threads are obeyed; results do not depend on the number, bit for bit.
int thread_count();
void set_thread_count(int count);  // throws Error if count < 1

}  // namespace fovea
