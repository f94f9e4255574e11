// Any affine map of an array that lies on 2^p ranks, in one exchange of equal messages.
//
//   const auto plan = ExchangePlan::make(map, 3, 16, {.buffer_bytes = 8 << 20});   8 ranks
//   plan.cost().ranks.moved_bytes, plan.describe()         what will happen, exactly
//
// Rank r has the elements of index r * 2^m .. (r + 1) * 2^m - 1 and gets those that the map sends
// there. Nothing here sends anything: a transport (exchange_in_process below, faro/mpi) asks for
// the messages and packs and unpacks them:
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
#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "faro/engine/permute_plan.hpp"

// What a map costs between ranks, exactly and before anything moves.
//
// The array has 2^n elements, index = rank bits (high) | memory bits (low): 2^p ranks with 2^m
// elements each. With A_pm the block of the map's matrix that takes memory bits to rank bits and
// rho its rank:
//
//   every rank sends 2^(m - rho) elements to each of 2^rho ranks, itself perhaps among them;
//   2^n - 2^(n - s) elements leave their rank, s = rank [A_pp + I | A_pm], or all of them where
//     the complement of the rank bits lies outside of that matrix's image;
//   with ranks relabelled 2^n (1 - 2^-rho) leave, and no permutation of the ranks does better, on
//     any level of the machine (nodes of ranks with equal high bits) at the same time.
//
// Bit reversal on 2^4 ranks with 2^20 elements: rho = 4, 15 partners, 15/16 of the data leaves.

namespace faro::inline v1 {

// Whether results lie on the ranks that the map says, or on those that ExchangePlan::relabelling()
// names, where most of the data is already.
enum class Ranks { fixed, relabelled };

// What leaves ranks or nodes, over all of them, in bytes.
struct ExchangeTraffic {
  Count moved_bytes = 0;
  Count least_bytes = 0;             // with fixed ranks
  Count least_bytes_relabelled = 0;  // with the best relabelling
  friend bool operator==(const ExchangeTraffic&, const ExchangeTraffic&) = default;
};

struct ExchangeCost {
  int rho = 0;
  std::uint64_t partners = 0;  // the most other ranks that one rank sends to
  std::uint64_t rounds = 0;    // permutations of the ranks that all of it takes, one port a rank
  Count pair_bytes = 0;        // from one rank to one other, in however many messages: 2^(m - rho)
                               // elements
  ExchangeTraffic ranks;
  Count most_sent_bytes = 0;  // of one rank
  std::uint64_t keepers = 0;  // ranks that keep one of their 2^rho messages
  int node_bits = 0;          // nodes of 2^node_bits ranks, their low rank bits
  ExchangeTraffic nodes;
  friend bool operator==(const ExchangeCost&, const ExchangeCost&) = default;
};

// Requires 0 <= node_bits <= rank_bits <= map.width(), else Error(usage). Some microseconds,
// whatever the sizes.
ExchangeCost exchange_cost(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
                           Ranks ranks = Ranks::fixed, int node_bits = 0);

// The same figures by a second way, which knows the map by its values alone and shares no algebra
// with the first: up to 2^20 elements are counted one by one, of more whole cosets, from the values
// at 0 and at the units. What belongs to rank relabelling(r) lies on rank r. The least with ranks
// relabelled is what no permutation of them can beat: of a node's elements at most those stay that
// belong to the ranks it sends most to, as many as it has. Requires what exchange_cost requires and
// a relabelling of rank_bits bits.
ExchangeCost counted_cost(const BitMap& map, const BitMap& relabelling, int rank_bits,
                          std::uint64_t element_bytes, int node_bits = 0);
inline constexpr int counted_bits_max = limits::exchange_counted_log2_max;

// Seconds by the model of a time for each message and one for each byte that a rank sends:
//   startup_seconds * rounds * slices + byte_seconds * most_sent_bytes
// Computed, not measured.
struct NetworkModel {
  double startup_seconds = 2e-6;
  double byte_seconds = 1e-10;
};
double modelled_seconds(const ExchangeCost& cost, std::uint64_t slices,
                        const NetworkModel& network);

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

// All ranks of an exchange in one process: the arrays of rank 0, 1, ... one after another.
//
//   exchange_in_process(plan, from, to);          to[plan.executed_map()(i)] = from[i]
//
// The messages are those that a network would carry: packed, copied from sender to receiver,
// unpacked. For tests, and for programs that develop against ranks without MPI.

// What went between ranks; messages of a rank to itself are not counted.
struct LoopbackCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Spans of plan.ranks() * plan.local_bytes() bytes that do not overlap, else Error(usage), and a
// plan out of place.
LoopbackCounts exchange_in_process(const ExchangePlan& plan, std::span<const std::byte> from,
                                   std::span<std::byte> to);
// A plan in place, its local passes included.
LoopbackCounts exchange_in_process_in_place(const ExchangePlan& plan, std::span<std::byte> data);

}  // namespace faro::inline v1
