// Any map of an array on the ranks of an MPI communicator, in one exchange.
//
//   faro::MpiPlan plan(MPI_COMM_WORLD, map, 16);          collective; elements of 16 bytes
//   plan.execute(from, to);                               collective; each rank its part
//   plan.plan().cost().ranks.moved_bytes                  what it costs, known before
//
// Rank r holds the elements of index r * N .. (r + 1) * N - 1. For a map of bits the number of
// ranks must be a power of two.
//
// A map of bits is one exchange of equal messages. Of a map with axes of other lengths
//
//   faro::MpiPlan plan(MPI_COMM_WORLD, say("r=12000 c=12000 -> c r").map, 8);     1500 rows each
//
// bits go between ranks, in units of what moves as one (1500 x 1500 elements on 8 ranks); each rank
// rearranges its own elements before and after, where they do not lie so already, which takes as
// much memory again. A unit that is more than a quarter of the buffer goes in slices. Where that
// cannot be, as the ranks are no power of two or an axis is rolled, the plan has a move() instead,
// whose messages are boxes: 12 ranks of 1000 rows, or `roll(r, 1) c`. The ranks must divide the
// digits that the cut meets on either side: 12001 rows are refused with Error(impossible);
// MpiGridPlan moves them. Such maps are neither in place nor on shared memory.
//
// Ranks agree when a plan is made and when it is executed: one that was given another
// map, another size, too little memory or a null pointer makes all of them throw, the same error,
// before anybody communicates.
//
// Transports: pairwise rounds of equal blocks, packing overlapped with travel; all-to-all within
// the groups of ranks that talk to each other; and, between arrays of mpi::allocate, one pass of
// the engine over the memory of all ranks of a node. The bytes do not depend on which.
//
// A plan owns a duplicate of the communicator, which never reports errors to the caller's handler;
// making and destroying plans is collective. A plan that outlives MPI_Finalize is destroyed
// quietly. After an error of MPI itself, or where a rank died, the plan cannot be used again and
// other ranks may wait for ever: such programs call MPI_Abort, as MPI's default handler does.
// MPI_THREAD_FUNNELED is enough; one thread may execute a plan at a time.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/distributed/grid_move.hpp"

namespace faro::inline v1 {

enum class Transport {
  automatic,  // pairwise, but all-to-all for many small messages
  pairwise,
  all_to_all,  // Error(impossible) where ranks do not form groups or messages are not packed
  measured,    // the first four executions take turns; then the faster of the two is kept
};

struct MpiOptions {
  ExchangeOptions exchange;
  Transport transport = Transport::automatic;
  // Sizes and pointers are agreed upon before each execution, at the price of one reduction of 40
  // bytes. Without, a wrong span on one rank may leave the others waiting.
  enum class Check { yes, no } check = Check::yes;
  // Told after each step, in bytes of this rank's array; ranks may give different ones or none.
  // Where one throws, the messages still come, and all ranks throw the same error.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

class SharedArray;
namespace mpi {
// Memory of the ranks of one node: `bytes` of each rank, the same on all. Collective.
// Error(impossible) on all ranks where they are on several nodes.
SharedArray allocate(MPI_Comm communicator, std::uint64_t bytes);
}  // namespace mpi

// What mpi::allocate gives: each rank's part is readable by all, so that plans move it in one pass,
// without messages. Collective to destroy. Nothing but destruction is allowed once it was moved
// from.
class SharedArray {
 public:
  ~SharedArray();
  SharedArray(SharedArray&&) noexcept;
  SharedArray& operator=(SharedArray&&) = delete;

  std::span<std::byte> data() const;  // this rank's part
  std::span<std::byte> all() const;   // of rank 0, 1, ... one after another

 private:
  friend class MpiPlan;
  friend SharedArray mpi::allocate(MPI_Comm communicator, std::uint64_t bytes);
  SharedArray(MPI_Comm communicator, std::uint64_t bytes);
  struct State;
  std::unique_ptr<State> state_;
};

class MpiPlan {
 public:
  MpiPlan(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
          const MpiOptions& options = {});
  ~MpiPlan();
  MpiPlan(MpiPlan&&) noexcept;
  MpiPlan& operator=(MpiPlan&&) noexcept;

  // Spans of local_bytes() that do not overlap.
  void execute(std::span<const std::byte> from, std::span<std::byte> to);
  // One engine pass over shared memory.
  void execute(const SharedArray& from, SharedArray& to);
  // Needs a plan made with exchange.in_place.
  void execute_in_place(std::span<std::byte> data);

  std::uint64_t local_bytes() const;
  // Null unless boxes are sent; then there is no plan().
  const GridMove* move() const;
  // Where the map has lengths: of one slice, on units. Throws Error(usage) where there is a move().
  const ExchangePlan& plan() const;
  std::uint64_t slices() const;
  std::uint64_t unit_elements() const;
  // Of a rank's elements; the identity where nothing is rearranged.
  const Map& before() const;
  const Map& after() const;
  // What `automatic` chose; `measured` while it does not know yet.
  Transport transport() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether `to` is what the map makes of `from`, by sums of 128-bit fingerprints of every element
// with its place: one pass over the data and one reduction, no data exchanged. Loss, duplication
// and misplacement are missed with a probability of about 2^-64 for data that was not made to
// deceive it. The same answer on all ranks.
bool verify_exchange(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                     std::span<const std::byte> from, std::span<const std::byte> to);

// Once, without a plan to keep.
template <class T>
requires std::is_trivially_copyable_v<T>
void permute(MPI_Comm communicator, const Map& map, std::span<const T> from, std::span<T> to,
             const MpiOptions& options = {}) {
  MpiPlan(communicator, map, sizeof(T), options)
      .execute(std::as_bytes(from), std::as_writable_bytes(to));
}

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

struct MpiGridOptions {
  Relabel relabel = Relabel::never;
  std::uint64_t buffer_bytes = std::uint64_t{64} << 20U;  // at least four elements
  // Told of what this rank has received; ranks may give different ones or none. Where one throws,
  // the messages still come, and all ranks throw the same error.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

class MpiGridPlan {
 public:
  // Words as in faro/distributed/grid_move.hpp, of the array before.
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
