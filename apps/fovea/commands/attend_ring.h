// fovea attend --mpi: one sequence over the processes of mpirun.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "fovea/attention.h"

namespace fovea::command {

struct RingRequest {
  std::vector<std::string> files;  // q, k, v
  std::string output;              // .npy
  std::function<AttentionOptions(const Shape& q)> options;
  bool json = false;
};

// Every rank reads its rows and writes its rows of the one output. Returns the exit code. What all ranks
// find wrong is said by the first; what goes wrong on one alone ends all of them.
int attend_over_ranks(const Context& context, const RingRequest& request);

}  // namespace fovea::command
