// Any affine map of an array that lies on 2^p ranks, in one exchange of equal messages.
//
//   const auto plan = ExchangePlan::make(map, 3, 16, {.buffer_bytes = 8 << 20});   8 ranks
//   plan.cost().ranks.moved_bytes, plan.describe()         what will happen, exactly
//
// Rank r has the elements of index r * 2^m .. (r + 1) * 2^m - 1 and gets those that the map sends
// there. Nothing here sends anything: a transport (faro/distributed/loopback.hpp, faro/mpi) asks
// for the messages and packs and unpacks them:
//
//   for each step (a slice of the data, or of the partners where the buffer is small)
//     pack(rank, step, data, send)         or messages lie in `data` as they are
//     for each block: send it to target(...), receive one from origin(...)
//     unpack(rank, step, received, data)   or messages were received in their place
//   where keeps_apart(rank): move_kept(...), and no steps whose only target is the rank itself
//
// One plan serves all ranks: what differs are constants. In a step every rank sends one block of
// block_bytes() to each of blocks() ranks; one of them may be the rank itself.
//
// In place the exchange leaves every element at an address of its new rank that is as free, and
// local_map(rank) says what remains to be done there: the same linear map on all ranks, none for
// swaps of rank bits with memory bits.
//
// Limits: 2^48 elements a rank to execute; costs (exchange_cost) know none. Immutable: any number
// of threads may use a plan at the same time, on different buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "faro/algebra/bit_map.hpp"
#include "faro/distributed/exchange_cost.hpp"
#include "faro/engine/options.hpp"

namespace faro::inline v1 {

struct ExchangeOptions {
  Ranks ranks = Ranks::fixed;
  // A cap on what a rank takes for sending and receiving; usually far less is taken. At least two
  // elements; Error(usage) otherwise.
  std::uint64_t buffer_bytes = std::uint64_t{64} << 20U;
  // What a step packs, if the cap allows: 0 takes what stays in a core's cache with messages that
  // are worth their startup.
  std::uint64_t step_bytes = 0;
  bool in_place = false;
  // Every step has messages for all partners, if the buffer allows, as all-to-all transports want.
  bool whole_slices = false;
  int node_bits = 0;  // of the cost report: nodes of 2^node_bits ranks
  Simd simd = Simd::automatic;
};

class ExchangePlan {
 public:
  // Throws Error(usage) for sizes that do not fit, Error(limit) for arrays beyond an address.
  static ExchangePlan make(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
                           const ExchangeOptions& options = {});

  int rank_bits() const;
  int local_bits() const;
  std::uint64_t ranks() const;
  std::uint64_t element_bytes() const;
  std::uint64_t local_bytes() const;
  const ExchangeOptions& options() const;

  // The map asked for, and what execution does: the same but for a relabelling of ranks.
  const BitMap& map() const;
  const BitMap& executed_map() const;
  // On rank bits: the result that the map puts on rank relabelling()(r) lies on rank r.
  const BitMap& relabelling() const;
  const ExchangeCost& cost() const;
  // Slices times groups of partners.
  std::uint64_t steps() const;
  std::uint64_t slices() const;
  std::uint64_t buffer_bytes() const;  // of a rank: sending and receiving, both of two steps
  // Over a rank's array, packing and unpacking included; in place of the rank that needs most.
  int local_passes() const;
  std::string describe(const NetworkModel& network = {}) const;
  // One object, docs/schemas/faro-exchange-1.json.
  std::string to_json(const NetworkModel& network = {}) const;

  // Messages. Blocks are numbered from 0; target is where `rank` sends it, origin from where it
  // gets the one of this number.
  std::uint64_t blocks() const;
  std::uint64_t block_bytes() const;
  Word target(Word rank, Word step, Word block) const;
  Word origin(Word rank, Word step, Word block) const;
  // Where block `block` lies: in the step's buffer, or without packs() / unpacks() in the data.
  bool packs() const;
  bool unpacks() const;
  std::uint64_t send_offset(Word rank, Word step, Word block) const;
  std::uint64_t receive_offset(Word rank, Word step, Word block) const;
  // Buffers of step_bytes().
  std::uint64_t step_bytes() const;
  void pack(Word rank, Word step, std::span<const std::byte> data, std::span<std::byte> send) const;
  void unpack(Word rank, Word step, std::span<const std::byte> received,
              std::span<std::byte> data) const;
  // The same as maps of a rank's elements, for kernels of a GPU (docs/gpu.md): into the buffers of
  // all steps, one after another, what a rank keeps among them; and out of them. Throw Error(usage)
  // where messages lie in the data.
  BitMap pack_map(Word rank) const;
  BitMap unpack_map(Word rank) const;

  // What a rank keeps takes no buffer: it is moved in shares, in any order, between steps; in place
  // it stays.
  bool keeps_apart(Word rank) const;
  void move_kept(Word rank, Word share, Word shares, std::span<const std::byte> from,
                 std::span<std::byte> to) const;

  // Groups that talk among themselves only: the senders to a rank are those it sends to. Block b of
  // such a rank then belongs to the member whose place is b, in both buffers.
  bool has_groups() const;
  Word group_of(Word rank) const;
  Word place_in_group(Word rank) const;

  // False if every element stays on its rank: local_map is then the whole of it, out of place too.
  bool has_exchange() const;
  // In place: what remains to be done to the addresses of `rank` after the exchange.
  BitMap local_map(Word rank) const;
  bool has_local_map() const;

 private:
  struct State;
  explicit ExchangePlan(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace faro::inline v1
