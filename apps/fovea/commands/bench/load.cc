#include "commands/bench/load.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "fovea/error.h"

namespace fovea::command {

const bench::Module& load_benchmark() {
  static const bench::Module* const module = [] {
    void* library = ::dlopen(FOVEA_BENCH_MODULE, RTLD_NOW | RTLD_LOCAL);
    void* entry = library == nullptr ? nullptr : ::dlsym(library, "fovea_benchmark");
    if (entry == nullptr) {
      throw Error(fmt::format(
          "[bench] {} cannot be loaded: {}; it is installed with the command, and built by make bench",
          FOVEA_BENCH_MODULE, ::dlerror()));
    }
    return reinterpret_cast<decltype(&fovea_benchmark)>(entry)();
  }();
  return *module;
}

}  // namespace fovea::command
