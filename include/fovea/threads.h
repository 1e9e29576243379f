// How many threads fovea uses: what OpenMP says, within a limit.
#pragma once

#include "fovea/api.h"

namespace fovea {

inline constexpr int kMostThreads = 1024;

// OMP_NUM_THREADS and omp_set_num_threads are obeyed up to kMostThreads; results do not depend on the
// number, bit for bit. In a child of fork() it is 1, whatever is set: the threads of OpenMP stay with the
// parent, and waiting for them in the child would never end. Everything works there, on one thread. A
// child that needs more is started by exec (Python: multiprocessing's "spawn" or "forkserver").
FOVEA_API int thread_count();
FOVEA_API void set_thread_count(int count);  // throws Error unless 1 ≤ count ≤ kMostThreads

}  // namespace fovea
