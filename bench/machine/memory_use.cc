#include "machine/memory_use.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "fovea/memory.h"

namespace fovea::bench {
namespace {

std::optional<double> status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == name && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

// Sets the high-water mark to what is resident now.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

}  // namespace

std::optional<double> extra_memory_of(const std::function<void()>& call) {
  release_spare_memory();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  const bool reset = reset_peak();
  const std::optional<double> before = status_bytes("VmRSS:");
  call();
  const std::optional<double> peak = status_bytes("VmHWM:");
  if (!reset || !before || !peak) return std::nullopt;
  return std::max(0.0, *peak - *before);
}

}  // namespace fovea::bench
