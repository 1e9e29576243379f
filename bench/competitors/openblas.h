// OpenBLAS, loaded when it is first asked for: the program is built without it and runs without it.
#pragma once

#include <string>

#include "fovea/shape.h"

namespace fovea::bench {

// A matrix in row-major order, or the transpose of one; `stride` from row to row as it is stored.
struct BlasMatrix {
  const float* data;
  Index stride;
  bool transposed = false;
};

class OpenBlas {
 public:
  // Null if it cannot be loaded; `reason` says why. OpenBLAS chooses its kernels while it is loaded, and
  // versions older than the processor fall back to SSE: unless OPENBLAS_CORETYPE is set, it is set to the
  // newest core that has the instructions found here.
  static const OpenBlas* get(std::string& reason);

  // c [rows, columns] = alpha · a · b on all threads of OpenMP.
  void multiply(Index rows, Index depth, Index columns, float alpha, const BlasMatrix& a,
                const BlasMatrix& b, float* c) const;

  const std::string& version() const { return version_; }  // "OpenBLAS 0.3.21"
  // "core type SkylakeX, set by this benchmark; DYNAMIC_ARCH NO_AFFINITY USE_OPENMP ..": what it says of
  // itself.
  const std::string& detail() const { return detail_; }

 private:
  OpenBlas(void* library, const std::string& core_type);

  using Sgemm = void (*)(int order, int a_transposed, int b_transposed, int m, int n, int k, float alpha,
                         const float* a, int a_stride, const float* b, int b_stride, float beta, float* c,
                         int c_stride);
  Sgemm sgemm_ = nullptr;
  void (*set_threads_)(int) = nullptr;  // null: it follows OpenMP by itself
  std::string version_, detail_;
};

}  // namespace fovea::bench
