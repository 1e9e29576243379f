#include "fovea/build_info.h"

#include <fmt/core.h>

#include "fovea/version.h"
#include "kernels/highway_version.h"

#if defined(__has_feature)
#define FOVEA_HAS_FEATURE(feature) __has_feature(feature)
#else
#define FOVEA_HAS_FEATURE(feature) 0
#endif

namespace fovea {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string sanitizers() {
#if defined(__SANITIZE_ADDRESS__) || FOVEA_HAS_FEATURE(address_sanitizer)
  return "address";
#elif defined(__SANITIZE_THREAD__) || FOVEA_HAS_FEATURE(thread_sanitizer)
  return "thread";
#else
  return "";
#endif
}

// _OPENMP is the date of the specification.
std::string openmp() {
#if defined(_OPENMP)
  return _OPENMP >= 202011 ? "5.1" : _OPENMP >= 201811 ? "5.0" : _OPENMP >= 201511 ? "4.5" : "4.0";
#else
  return "none";
#endif
}

}  // namespace

BuildInfo build_info() {
#if defined(NDEBUG)
  const char* build = "release";
#else
  const char* build = "debug";
#endif
  return {
      version(),
      compiler(),
      build,
      sanitizers(),
      {{"Highway", highway_version()},
       {"OpenMP", openmp()},
       {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}}};
}

}  // namespace fovea
