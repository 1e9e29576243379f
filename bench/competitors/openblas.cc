#include "competitors/openblas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

namespace fovea::bench {
namespace {

// Of its C interface, whose header need not be there.
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

// The newest core type of OpenBLAS 0.3.21 that this processor can run; "" leaves the choice to OpenBLAS.
const char* core_type() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  }
#endif
  return "";
}

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));  // NOLINT: what dlsym is for
}

}  // namespace

const OpenBlas& OpenBlas::instance() {
  static const OpenBlas only;
  return only;
}

OpenBlas::OpenBlas() {
  if (const std::string type = core_type(); !type.empty()) {
    ::setenv("OPENBLAS_CORETYPE", type.c_str(), 0);  // 0: a choice of the user's stays
  }
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    missing_ = "libopenblas.so.0 is not installed (package libopenblas0-openmp)";
    return;
  }
  sgemm_ = symbol<SgemmFunction>(library, "cblas_sgemm");
  config_ = symbol<TextFunction>(library, "openblas_get_config");
  core_name_ = symbol<TextFunction>(library, "openblas_get_corename");
  if (sgemm_ == nullptr) missing_ = "libopenblas.so.0 has no cblas_sgemm";
}

std::string OpenBlas::version() const {
  std::istringstream words(configuration());
  for (std::string word; words >> word;) {
    if (word.front() >= '0' && word.front() <= '9') return word;
  }
  return "unknown";
}

std::string OpenBlas::configuration() const {
  std::string text = config_ == nullptr ? "OpenBLAS" : config_();
  if (core_name_ != nullptr) text += std::string(", core type ") + core_name_();
  return text;
}

void OpenBlas::multiply(const Sgemm& call) const {
  const auto of = [](Index x) { return static_cast<int>(x); };
  sgemm_(kRowMajor, kPlain, call.b_transposed ? kTransposed : kPlain, of(call.m), of(call.n), of(call.k),
         call.alpha, call.a, of(call.a_stride), call.b, of(call.b_stride), 0, call.c, of(call.c_stride));
}

}  // namespace fovea::bench
