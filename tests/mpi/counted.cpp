#include "mpi/counted.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace faro::testing {
namespace {

Sent now;
std::uint64_t under_way = 0;

std::atomic<std::uint64_t> aligned_bytes = 0;  // MPI has threads of its own

void started() {
  now.under_way_most = std::max(now.under_way_most, ++under_way);
}

}  // namespace

Sent take_sent() {
  Sent taken = now;
  now = {};
  return taken;
}

std::uint64_t take_aligned_bytes() {
  return aligned_bytes.exchange(0);
}

}  // namespace faro::testing

extern "C" {

int posix_memalign(void** at, std::size_t alignment, std::size_t bytes) noexcept {
  faro::testing::aligned_bytes += bytes;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const found = std::aligned_alloc(alignment, whole);
  if (found == nullptr) return ENOMEM;
  *at = found;
  return 0;
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  faro::testing::now.messages += 1;
  faro::testing::now.bytes += static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  faro::testing::now.partners.insert(to);
  faro::testing::started();
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  faro::testing::started();
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                  MPI_Request* request) {
  int size = 0;
  int ranks = 0;
  PMPI_Type_size(send_type, &size);
  PMPI_Comm_size(comm, &ranks);
  faro::testing::now.all_to_all_bytes += static_cast<std::uint64_t>(send_count) *
                                         static_cast<std::uint64_t>(size) *
                                         static_cast<std::uint64_t>(ranks - 1);
  faro::testing::started();
  return PMPI_Ialltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        request);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  faro::testing::now.reductions += 1;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  faro::testing::under_way -= std::min(faro::testing::under_way, static_cast<std::uint64_t>(count));
  return PMPI_Waitall(count, requests, statuses);
}

}  // extern "C"
