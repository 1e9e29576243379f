// The machine's float32 multiply-add peak, measured.
#pragma once

namespace fovea::bench {

// GFLOP/s of independent multiply-adds in registers on `threads` threads: the best of 20 runs of some 20
// ms, long enough for both threads to run side by side on a machine that others use too.
double fma_peak(int threads);

}  // namespace fovea::bench
