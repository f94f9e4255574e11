// Arrays of any lengths between any number of ranks of an MPI communicator: blocks, uneven or
// listed ones, cyclic, block-cyclic, with copies.
//
//   const char* words = "dtensor:(12,) [Shard(0)] => dtensor:(12,) [Shard(1)]";
//   faro::MpiGridPlan plan(MPI_COMM_WORLD, words, {7168, 50257}, 2);      collective; 12 ranks
//   plan.move().facts().moved_bytes                                      the least that can be
//   plan.execute(from, to);                  collective; each rank its part, as the words place it
//
// Every message is known before it is sent (faro/distributed/grid_move.hpp). A rank packs four
// slices of a message and receives four at a time, of 4 MiB at most, so that it takes no more than
// `buffer_bytes` and 128 KiB beside its arrays, however large these are; what lies as one run of
// memory is sent from its place, or received in it. Ranks beyond those of the placements hold
// nothing, and take part.
//
// What MpiPlan says of agreement, of errors, of threads and of MPI_Finalize holds here.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "faro/distributed/grid_move.hpp"

namespace faro::inline v1 {

struct MpiGridOptions {
  Relabel relabel = Relabel::never;
  std::uint64_t buffer_bytes = std::uint64_t{64} << 20U;  // at least four elements
  // Told of what this rank has received; ranks may give different ones or none. Where one throws,
  // the messages still come, and all ranks throw the same error.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

class MpiGridPlan {
 public:
  // Words as in faro/distributed/grid_words.hpp, of the array before.
  MpiGridPlan(MPI_Comm communicator, std::string_view words,
              const std::vector<std::uint64_t>& shape, std::uint64_t element_bytes,
              const MpiGridOptions& options = {});
  // A move that every rank has made alike; options.relabel is not looked at.
  MpiGridPlan(MPI_Comm communicator, const GridMove& move, const MpiGridOptions& options = {});
  ~MpiGridPlan();
  MpiGridPlan(MpiGridPlan&&) noexcept;
  MpiGridPlan& operator=(MpiGridPlan&&) noexcept;

  // Spans of from_bytes() and to_bytes() that do not overlap.
  void execute(std::span<const std::byte> from, std::span<std::byte> to);

  const GridMove& move() const;
  // Of this rank; 0 where it holds nothing.
  std::uint64_t from_bytes() const;
  std::uint64_t to_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faro::inline v1
