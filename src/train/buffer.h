// Memory that is used again step after step.
#pragma once

#include <algorithm>

#include "fovea/tensor.h"

namespace fovea {

// Grows when more is asked for, never shrinks: from the second step on, nothing is allocated.
class Buffer {
 public:
  // What was in it is gone if it grows.
  View shaped(const Shape& shape) {
    const Index elements = std::max<Index>(1, shape.elements());
    if (memory_.empty() || memory_.shape().elements() < elements) {
      memory_ = Tensor();  // first give back, then take
      memory_ = Tensor::uninitialized({elements});
    }
    return View(memory_.data(), shape);
  }

  // Rows of `width` numbers that lie a cache line further apart: rows a multiple of 4 KiB apart would share
  // few places of a cache. (Attention was 6 to 15 % slower on heads of such rows.)
  View rows_apart(Index rows, Index width) {
    const View whole = shaped({rows, width + 16});
    return View(whole.data(), {rows, width}, {width + 16, 1});
  }

 private:
  Tensor memory_;
};

}  // namespace fovea
