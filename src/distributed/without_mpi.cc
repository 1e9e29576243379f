// Stands in for with_mpi.cc where MPI is left out.
#include "core/fail.h"
#include "distributed/rank_group.h"

namespace fovea {
inline namespace internal {

std::unique_ptr<RankGroup> all_processes() {
  fail("[distributed] this fovea was built without MPI: configure it with -DFOVEA_MPI=ON");
}
std::unique_ptr<RankGroup> processes_of(int) { return all_processes(); }
bool has_processes() { return false; }

}  // namespace internal
}  // namespace fovea
