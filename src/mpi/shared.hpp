// Memory that all ranks of a node see.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1 {

struct SharedArray::State {
  explicit State(MPI_Comm from) : ranks(from) {}
  mpi::Communicator ranks;
  MPI_Win window = MPI_WIN_NULL;
  std::byte* first = nullptr;  // of rank 0's part
  std::uint64_t bytes = 0;     // of a part
};

namespace mpi {

// Collective: every rank's writes before it are seen by all after it.
void meet(const Communicator& ranks, MPI_Win window);

}  // namespace mpi
}  // namespace faro::inline v1
