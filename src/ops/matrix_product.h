// Products of matrices whose elements may change between calls.
#pragma once

#include "fovea/api.h"
#include "fovea/tensor.h"

namespace fovea {
inline namespace internal {

struct ProductOptions {
  float alpha = 1, beta = 0;    // with beta = 0, what is in c is not read
  const float* bias = nullptr;  // [F], added to every row, or none
};

// c [N, F] = alpha · a [N, E] · b [E, F] + beta · c + bias. a and b have any strides, transposed views
// among them; one of c's strides is 1, and with a bias its rows are contiguous. c overlaps neither. Throws
// Error,
// "[op] a is [3, 4], b is [5, 3]: expected [4, ..]".
FOVEA_PRIVATE_API void matrix_product(const char* op, const ConstView& a, const ConstView& b, const View& c,
                                      const ProductOptions& options = {});

// c [N, F], made for it.
FOVEA_PRIVATE_API Tensor matrix_product(const char* op, const ConstView& a, const ConstView& b,
                                        const ProductOptions& options = {});

}  // namespace internal
}  // namespace fovea
