// Loads the module that knows MPI (mpi/mpi_group.h), once.
#include <dlfcn.h>

#include "core/fail.h"
#include "distributed/mpi/mpi_group.h"

namespace fovea {
inline namespace internal {
namespace {

struct MpiModule {
  decltype(&fovea_mpi_group) group = nullptr;
  std::string problem;

  MpiModule() {
    // Global: Open MPI's plug-ins look for its symbols among everything that is loaded.
    void* library = ::dlopen(FOVEA_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) {
      group = reinterpret_cast<decltype(group)>(::dlsym(library, "fovea_mpi_group"));
    }
    const char* said = group == nullptr ? ::dlerror() : nullptr;
    if (said != nullptr) problem = said;
  }
};

const MpiModule& mpi_module() {
  static const MpiModule loaded;
  return loaded;
}

std::unique_ptr<RankGroup> group_of(const int* communicator) {
  const MpiModule& mpi = mpi_module();
  if (mpi.group == nullptr) fail("[distributed] MPI cannot be loaded: {}", mpi.problem);
  return std::unique_ptr<RankGroup>(mpi.group(communicator));
}

}  // namespace

std::unique_ptr<RankGroup> all_processes() { return group_of(nullptr); }
std::unique_ptr<RankGroup> processes_of(int communicator) { return group_of(&communicator); }
bool has_processes() { return mpi_module().group != nullptr; }

}  // namespace internal
}  // namespace fovea
