// The machine's float32 multiply-add peak, measured.
#pragma once

namespace fovea::bench {

// GFLOP/s of independent multiply-adds in registers on `threads` threads: the best of several short runs.
double fma_peak(int threads);

}  // namespace fovea::bench
