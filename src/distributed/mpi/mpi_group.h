// What the module libfovea-mpi exports. Open MPI's libraries are loaded with it, when somebody asks for the
// processes: a program that could ask, and does not, starts as fast as one without MPI.
#pragma once

#include "distributed/rank_group.h"

// The processes of a communicator (MPI_Comm_c2f), or of this mpirun (nullptr); the caller's to delete.
extern "C" FOVEA_PRIVATE_API fovea::RankGroup* fovea_mpi_group(const int* communicator);
