// Gradients of layer norm and root-mean-square norm.
#pragma once

#include "fovea/shape.h"

namespace fovea::kernels {

// Of rows x [rows, width], from dy, the gradient by the norm's output.
struct NormBackwardProblem {
  const float* x;
  const float* dy;
  Index rows, width;
  const float* weight;  // [width]
  float epsilon;
  float* dx;       // [rows, width]; may be dy where it is stored
  bool add;        // dx += the gradient: the residual stream around the norm; else dx =
  float* dweight;  // [width], added to
  float* dbias;    // [width], added to; not of rms_norm
};

// Mean and variance are computed again from x: cheaper than to keep and read them. The sums over rows run
// in blocks of 64, added in order: bits do not depend on the number of threads. Allocates 2 · width floats
// per block.
void layer_norm_backward(const NormBackwardProblem& problem);
void rms_norm_backward(const NormBackwardProblem& problem);

}  // namespace fovea::kernels
