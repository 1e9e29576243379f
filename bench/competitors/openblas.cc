#include "competitors/openblas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "fovea/threads.h"

namespace fovea::bench {
namespace {

// The interface of the C BLAS, which every version shares.
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;
constexpr int kOpenMp = 2;  // of openblas_get_parallel

// In the words of OPENBLAS_CORETYPE; empty: it is left to choose for itself.
std::string core_type_of_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  }
#endif
  return "";
}

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Returns the type, if it is the benchmark's choice.
std::string choose_core_type() {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return "";
  const std::string type = core_type_of_processor();
  if (!type.empty()) setenv("OPENBLAS_CORETYPE", type.c_str(), 0);
  return type;
}

std::string text_of(void* library, const char* name) {
  const auto ask = find<char* (*)()>(library, name);
  return ask == nullptr ? "" : ask();
}

}  // namespace

OpenBlas::OpenBlas(void* library, const std::string& core_type) {
  sgemm_ = find<Sgemm>(library, "cblas_sgemm");
  const auto parallel = find<int (*)()>(library, "openblas_get_parallel");
  if (parallel == nullptr || parallel() != kOpenMp) {
    set_threads_ = find<void (*)(int)>(library, "openblas_set_num_threads");
  }
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..": name, version, the rest.
  const std::string config = text_of(library, "openblas_get_config");
  const std::size_t end = config.find(' ', config.find(' ') + 1);
  version_ = config.substr(0, end);
  detail_ = fmt::format("core type {}, {};{}", text_of(library, "openblas_get_corename"),
                        core_type.empty() ? "its own choice or the environment's" : "set by this benchmark",
                        end == std::string::npos ? "" : config.substr(end));
}

const OpenBlas* OpenBlas::get(std::string& reason) {
  static std::string problem;
  static const std::unique_ptr<const OpenBlas> blas = []() -> std::unique_ptr<const OpenBlas> {
    const std::string core_type = choose_core_type();
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = dlerror();
      return nullptr;
    }
    std::unique_ptr<const OpenBlas> loaded(new OpenBlas(library, core_type));
    if (loaded->sgemm_ != nullptr) return loaded;
    problem = "libopenblas.so.0 has no cblas_sgemm";
    return nullptr;
  }();
  reason = problem;
  return blas.get();
}

void OpenBlas::multiply(Index rows, Index depth, Index columns, float alpha, const BlasMatrix& a,
                        const BlasMatrix& b, float* c) const {
  const auto of = [](Index x) { return static_cast<int>(x); };
  if (set_threads_ != nullptr) set_threads_(thread_count());
  sgemm_(kRowMajor, a.transposed ? kTransposed : kPlain, b.transposed ? kTransposed : kPlain, of(rows),
         of(columns), of(depth), alpha, a.data, of(a.stride), b.data, of(b.stride), 0, c, of(columns));
}

}  // namespace fovea::bench
