#include <cblas.h>

#include <cmath>
#include <limits>

#include "attention/competitors.h"
#include "kernels/softmax.h"

namespace fovea::bench {

Tensor attention_by_blas(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  const Index heads = q.shape()[0] * q.shape()[1], n = q.shape()[2], d = q.shape()[3];
  const auto rows = static_cast<blasint>(n), width = static_cast<blasint>(d);
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  Tensor scores = Tensor::uninitialized({n, n}), output = Tensor::uninitialized(q.shape());
  for (Index h = 0; h < heads; ++h) {
    const Index at = h * n * d;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, rows, width, scale, q.data() + at, width,
                k.data() + at, width, 0, scores.data(), rows);
    for (Index i = 0; causal && i < n; ++i) {
      std::fill(&scores(i, 0) + i + 1, &scores(i, 0) + n, -std::numeric_limits<float>::infinity());
    }
    kernels::softmax_rows(scores.data(), n, n, 1);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, width, rows, 1, scores.data(), rows,
                v.data() + at, width, 0, output.data() + at, width);
  }
  return output;
}

}  // namespace fovea::bench
