// Sees to it that mpirun ends when its ranks have.
#pragma once

namespace fovea::command {

// Open MPI 4.1.4 on PMIx 4.2.2 (Debian 12) now and then, on a busy machine, waits for ever for a lock of
// its own when it ends because a rank was killed: all ranks are gone, mpirun is in PMIx_server_finalize().
// Nothing that a rank does can help it then. So one rank of each machine leaves a small process behind it,
// which ends an mpirun that has had no living child for 20 seconds, by SIGKILL. Where the ranks were not
// started by mpirun or its orted this does nothing.
class MpirunGuard {
 public:
  MpirunGuard();  // before MPI is started: it forks
  ~MpirunGuard();
  MpirunGuard(const MpirunGuard&) = delete;
  MpirunGuard& operator=(const MpirunGuard&) = delete;
  void all_went_well();  // there will be nothing to guard

 private:
  int rank_lives_ = -1;  // the guard sees it closed when this process ends, however that happens
};

}  // namespace fovea::command
