// What ranks send each other, whoever sends it: stands in for the functions of MPI that the peers
// send data with. Reductions and broadcasts, of a few numbers, are left out.
#include <utility>

#include "peers.hpp"

namespace peers {
namespace {

std::uint64_t sent_bytes = 0;

void count(int elements, MPI_Datatype type, int to, MPI_Comm comm) {
  int size = 0, rank = 0;
  PMPI_Type_size(type, &size);
  PMPI_Comm_rank(comm, &rank);
  if (to == rank || to == MPI_PROC_NULL) return;
  sent_bytes += static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(size);
}

void count_all(int elements, MPI_Datatype type, MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  for (int to = 0; to < ranks; ++to) count(elements, type, to, comm);
}

}  // namespace

std::uint64_t take_sent_bytes() {
  return std::exchange(sent_bytes, 0);
}

}  // namespace peers

extern "C" {

int MPI_Send(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  peers::count(n, type, to, comm);
  return PMPI_Send(data, n, type, to, tag, comm);
}

int MPI_Rsend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  peers::count(n, type, to, comm);
  return PMPI_Rsend(data, n, type, to, tag, comm);
}

int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  peers::count(n, type, to, comm);
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void* data, int n, MPI_Datatype type, int to, int tag, void* received,
                 int most, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                 MPI_Status* status) {
  peers::count(n, type, to, comm);
  return PMPI_Sendrecv(data, n, type, to, tag, received, most, received_type, from, received_tag,
                       comm, status);
}

int MPI_Alltoall(const void* data, int n, MPI_Datatype type, void* received, int each,
                 MPI_Datatype received_type, MPI_Comm comm) {
  peers::count_all(n, type, comm);
  return PMPI_Alltoall(data, n, type, received, each, received_type, comm);
}

int MPI_Ialltoall(const void* data, int n, MPI_Datatype type, void* received, int each,
                  MPI_Datatype received_type, MPI_Comm comm, MPI_Request* request) {
  peers::count_all(n, type, comm);
  return PMPI_Ialltoall(data, n, type, received, each, received_type, comm, request);
}

int MPI_Alltoallv(const void* data, const int* n, const int* at, MPI_Datatype type, void* received,
                  const int* received_n, const int* received_at, MPI_Datatype received_type,
                  MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  for (int to = 0; to < ranks; ++to) peers::count(n[to], type, to, comm);
  return PMPI_Alltoallv(data, n, at, type, received, received_n, received_at, received_type, comm);
}

}  // extern "C"
