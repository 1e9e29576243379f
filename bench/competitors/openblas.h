// OpenBLAS, loaded when it is asked for: nothing of fovea is linked with it.
#pragma once

#include <string>

#include "fovea/shape.h"

namespace fovea::bench {

// Row-major: c [m, n] = alpha · a · b, where a is [m, k] and b is [k, n], or [n, k] if it is transposed;
// each with the stride of its rows.
struct Sgemm {
  Index m, n, k;
  float alpha = 1;
  const float* a;
  Index a_stride;
  const float* b;
  Index b_stride;
  bool b_transposed = false;
  float* c;
  Index c_stride;
};

class OpenBlas {
 public:
  // The one of this process. Debian's 0.3.21 falls back to SSE on processors that it does not know, so it
  // is told what this one is, unless OPENBLAS_CORETYPE says otherwise.
  static const OpenBlas& instance();

  bool loaded() const { return sgemm_ != nullptr; }
  const std::string& missing() const { return missing_; }  // why it is not loaded
  std::string version() const;                             // "0.3.21"
  std::string configuration() const;                       // with the core type: "SkylakeX"

  void multiply(const Sgemm& call) const;

 private:
  OpenBlas();

  using SgemmFunction = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                                 float, float*, int);
  using TextFunction = const char* (*)();

  std::string missing_;
  SgemmFunction sgemm_ = nullptr;
  TextFunction config_ = nullptr, core_name_ = nullptr;
};

}  // namespace fovea::bench
