#include "mpi/shared.hpp"

#include <fmt/format.h>

#include <limits>

#include "engine/tile_plan.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1 {

using engine::line_bytes;

namespace mpi {

void meet(const Communicator& ranks, MPI_Win window) {
  check(MPI_Win_sync(window), "MPI_Win_sync");
  check(MPI_Barrier(ranks.handle()), "MPI_Barrier");
  check(MPI_Win_sync(window), "MPI_Win_sync");
}

}  // namespace mpi

SharedArray::SharedArray(MPI_Comm communicator, std::uint64_t bytes)
    : state_(std::make_unique<State>(communicator)) {
  State& s = *state_;
  s.bytes = bytes;
  std::uint64_t all = 0;
  mpi::Fingerprint same;
  same.add(bytes);
  int on_node = 0;
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(s.ranks.handle(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  s.ranks.agree(same, "size of a shared array", [&] {
    if (on_node != s.ranks.size()) {
      throw Error(ErrorCode::impossible,
                  fmt::format("mpi: only {} of {} ranks share this node's memory; arrays of one's "
                              "own work everywhere",
                              on_node, s.ranks.size()));
    }
    all = size_product(bytes, static_cast<std::uint64_t>(s.ranks.size()), "bytes of shared memory");
    if (all > static_cast<std::uint64_t>(std::numeric_limits<MPI_Aint>::max()) - line_bytes) {
      throw Error(ErrorCode::limit, "mpi: more bytes than an address can say");
    }
  });
  // All of it is rank 0's to MPI, which may begin it anywhere: lines, which the engine streams to,
  // begin where ours does.
  const auto taken = s.ranks.rank() == 0 ? static_cast<MPI_Aint>(all + line_bytes) : 0;
  void* at = nullptr;
  int code = MPI_Win_allocate_shared(taken, 1, MPI_INFO_NULL, s.ranks.handle(), &at, &s.window);
  if (code == MPI_SUCCESS) {
    MPI_Aint size = 0;
    int unit = 0;
    code = MPI_Win_shared_query(s.window, 0, &size, &unit, &at);
  }
  const std::uint64_t past = reinterpret_cast<std::uintptr_t>(at) % line_bytes;
  mpi::Fingerprint place;
  if (code == MPI_SUCCESS) place.add(past);
  s.ranks.agree(place, "place within shared memory",
                [&] { mpi::check(code, "MPI_Win_allocate_shared"); });
  s.first = static_cast<std::byte*>(at) + (past == 0 ? 0 : line_bytes - past);
  mpi::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, s.window), "MPI_Win_lock_all");
}

SharedArray mpi::allocate(MPI_Comm communicator, std::uint64_t bytes) {
  return SharedArray(communicator, bytes);
}

SharedArray::SharedArray(SharedArray&&) noexcept = default;

SharedArray::~SharedArray() {
  if (state_ == nullptr || state_->window == MPI_WIN_NULL || !mpi::running()) return;
  MPI_Win_unlock_all(state_->window);
  MPI_Win_free(&state_->window);
}

std::span<std::byte> SharedArray::data() const {
  return all().subspan(static_cast<std::uint64_t>(state_->ranks.rank()) * state_->bytes,
                       state_->bytes);
}

std::span<std::byte> SharedArray::all() const {
  return {state_->first, state_->bytes * static_cast<std::uint64_t>(state_->ranks.size())};
}

}  // namespace faro::inline v1
