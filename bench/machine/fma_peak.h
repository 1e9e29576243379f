// The machine's float32 multiply-add peak, measured.
#pragma once

namespace fovea::bench {

// GFLOP/s of independent multiply-adds in registers on `threads` threads, with the instruction set that
// fovea uses: the best of `runs` runs of some 20 ms, long enough for the threads to run side by side on a
// machine that others use too.
double fma_peak(int threads, int runs);

}  // namespace fovea::bench
