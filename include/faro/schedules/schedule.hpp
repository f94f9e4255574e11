// A schedule is a header and a stream of steps. Nobody holds it whole: a planner pushes it, step by
// step, into a sink, and everything that reads one is a sink: the verifiers, the counter of its
// cost, the writer, the simulated machine. A reader of files pushes into a sink too, so that
//
//   planner or file  --->  tee  --->  replay
//                              --->  proof
//                              --->  cost, fingerprint, JSON
//
// is one pass with one step in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/layout.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/schedules/steps.hpp"

// What a schedule has to achieve.

namespace faro::inline v1 {

// Every element goes where the map sends it. Without a cut the map is on processor numbers and
// slots move alike: slot s of p ends in slot s of map(p). With a cut the lowest `memory_bits` bits
// of an address are the slot.
struct MapGoal {
  BitMap map = {};
  bool cut = false;
  int memory_bits = 0;
  friend bool operator==(const MapGoal&, const MapGoal&) = default;
};

// Spelled out: the element at from must arrive at to. Slots are registers on mesh and POPS.
struct MovesGoal {
  std::vector<Move> moves;
  friend bool operator==(const MovesGoal&, const MovesGoal&) = default;
};

// A butterfly network of 2^p elements emulated on an n-cube (Johnsson, Ho 1990): stage s combines
// the two elements that differ in index bit p-1-s, and every result must end where the final rows
// say. The fields are those of a file's "problem".
//
//   n 1, p 2, cyclic, binary, final rows {0b10}:
//   index 0b10 starts at processor 0 in slot 1 and its result ends at processor 1, in any slot
//
// Rows are masks over the logical index, most significant row first: bit j of the place of index i
// is parity(i & row).
struct ButterflyGoal {
  enum class Order { most_significant_first, least_significant_first };  // "msb", "lsb"
  // A bitonic sort is p such networks one after the other: pass k is over the index bits k..0, and
  // of a pair the low index gets the smaller key where index bit k+1 is clear. Most significant bit
  // first.
  enum class Computation { network, sort };

  int processor_bits = 0;  // n
  int index_bits = 0;      // p >= n
  Allocation allocation = Allocation::consecutive;
  Encoding encoding = Encoding::binary;
  Order order = Order::most_significant_first;
  Computation computation = Computation::network;
  bool in_place = false;  // every butterfly exactly once; otherwise replicas are allowed
  std::vector<Word> final_processor_rows;              // n-1..0
  std::optional<std::vector<Word>> final_memory_rows;  // p-n-1..0 of the slot; nothing: any slot

  Layout layout() const {
    return {allocation, encoding, processor_bits, index_bits - processor_bits};
  }
  friend bool operator==(const ButterflyGoal&, const ButterflyGoal&) = default;
};

// C = A·B of order n x n, processor i·n + j holding A[i,j] in register a, B[i,j] in b, C[i,j] in c.
struct MatmulGoal {
  std::uint64_t order = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  friend bool operator==(const MatmulGoal&, const MatmulGoal&) = default;
};

// Everybody holds the datum of the root; without a root everybody holds everybody's.
struct BroadcastGoal {
  std::optional<Word> root;
  friend bool operator==(const BroadcastGoal&, const BroadcastGoal&) = default;
};

using Goal = std::variant<MapGoal, MovesGoal, ButterflyGoal, MatmulGoal, BroadcastGoal>;

}  // namespace faro::inline v1

// What proves a lower bound: data from which anybody can check it by hand. It is made where the
// bound is made; a verifier checks it from the goal and the machine alone. Each kind is an
// argument, stated in docs/bounds.md with its inequality, an example and its JSON.
//
//   Distance{5, 0}       what starts in slot 0 of processor 5 is that far from its goal
//   Cut{{{0b100, 0}}}    what must leave the processors with bit 2 clear, over the links that leave

namespace faro::inline v1::certificate {

enum class Way { out, in };

// An element that is as many links from its goal. On machines where everybody is everybody's
// neighbour: one that moves. Of a computation: a processor whose data all results depend on.
struct Distance {
  Word processor = 0;
  std::uint64_t slot = 0;
  friend bool operator==(const Distance&, const Distance&) = default;
};

// Cube: the processors that meet all parities. Of a sort: the keys that they may have to give away.
struct Cut {
  std::vector<Parity> where;
  friend bool operator==(const Cut&, const Cut&) = default;
};

// Mesh with all links: the processors whose coordinate in a dimension is first..last.
struct Slab {
  int dimension = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const Slab&, const Slab&) = default;
};

// One processor: what must leave it, or come to it, over as many links as it has.
struct Port {
  Word processor = 0;
  Way way = Way::out;
  friend bool operator==(const Port&, const Port&) = default;
};

// Weights on the links of a mesh or on the couplers between groups: every element pays its cheapest
// way, a step pays all weights once.
struct Weights {
  struct Link {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t weight = 0;
    friend bool operator==(const Link&, const Link&) = default;
  };
  std::vector<Link> links;
  friend bool operator==(const Weights&, const Weights&) = default;
};

// Weights on the links of a cube, phase after phase: a solution of the dual of the linear program
// that has one step fewer than the bound. They depend on a few bits of the processor: bit i of a
// node is the bit onto[i]. With one port, ports have weights too, and two neighbours' together are
// no less than those of the links between them.
struct Dual {
  struct Phase {
    std::uint64_t steps = 0;
    std::vector<std::vector<std::uint64_t>> links = {};  // [i][node]: what leaves across onto[i]
    std::vector<std::uint64_t> ports = {};               // [node]; all ports: none
    friend bool operator==(const Phase&, const Phase&) = default;
  };
  std::vector<int> onto;
  std::vector<Phase> phases;
  friend bool operator==(const Dual&, const Dual&) = default;
};

// Cube: the dimensions that elements must cross, all together, over the links that a step has.
struct Traffic {
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// Cube: what must cross the dimensions `over` and starts outside the processors that meet all
// parities comes to them over few dimensions, so that links there stand still at first.
struct Arrivals {
  std::vector<Parity> where;
  Word over = 0;
  friend bool operator==(const Arrivals&, const Arrivals&) = default;
};

// SIMD mesh: for each dimension elements whose distances along it need so many routes, lowest
// dimension first; nothing: all elements.
struct Displacements {
  std::vector<std::optional<std::vector<Word>>> sources;
  friend bool operator==(const Displacements&, const Displacements&) = default;
};

// POPS: two elements that move from one group to one group.
struct Pair {
  Word first = 0;
  Word second = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// POPS: what leaves a group or comes to it, where the last slot, or the first, is of use only to
// what goes straight home.
struct Group {
  std::uint64_t group = 0;
  Way way = Way::out;
  friend bool operator==(const Group&, const Group&) = default;
};

// POPS: of the data between two groups only one a slot goes straight; the others need two couplers.
struct Hops {
  friend bool operator==(const Hops&, const Hops&) = default;
};

// Butterfly networks: how many numbers the results on one side of a dimension depend on that begin
// on the other.
struct Rank {
  int dimension = 0;
  friend bool operator==(const Rank&, const Rank&) = default;
};

}  // namespace faro::inline v1::certificate

namespace faro::inline v1 {

// Nothing: the bound is claimed in words alone.
using Certificate =
    std::variant<std::monostate, certificate::Distance, certificate::Cut, certificate::Slab,
                 certificate::Port, certificate::Weights, certificate::Dual, certificate::Traffic,
                 certificate::Displacements, certificate::Pair, certificate::Group,
                 certificate::Hops, certificate::Rank, certificate::Arrivals>;

// What a schedule costs, counted from its steps. Each machine counts in its own words; the others
// stay zero.
struct Cost {
  Count steps = 0;           // cube, mesh with all links: steps with a remote move
  Count remote_moves = 0;    // cube, mesh with all links
  Count unit_routes = 0;     // SIMD mesh: the sum of |by|
  Count long_routes = 0;     // SIMD mesh: routes
  Count register_ops = 0;    // SIMD mesh: copies and swaps
  Count slots = 0;           // POPS: time slots with a send
  Count compute_rounds = 0;  // POPS with operations: sum over slots of the busiest processor's
  friend bool operator==(const Cost&, const Cost&) = default;
};

// What a schedule's header says of its cost. A file may claim a part; verifiers compare what is
// claimed with what they count.
struct CostClaim {
  std::optional<Count> steps;
  std::optional<Count> remote_moves;
  std::optional<Count> unit_routes;
  std::optional<Count> long_routes;
  std::optional<Count> register_ops;
  std::optional<Count> slots;
  std::optional<Count> compute_rounds;

  CostClaim() = default;
  // Claims everything; implicit, so that a planner's header may take a counted cost.
  CostClaim(const Cost& cost);

  // Nothing if `counted` is as claimed, else the first difference: "steps: claimed 5, counted 6".
  std::optional<std::string> difference(const Cost& counted) const;
  friend bool operator==(const CostClaim&, const CostClaim&) = default;
};

// A claim that no schedule takes fewer, with the reason in words and what proves it.
struct Bound {
  Count value = 0;
  std::string reason = {};
  Certificate certificate = {};
  friend bool operator==(const Bound&, const Bound&) = default;
};

// The steps are performed `times` times over, each time with slots of their own for another part of
// the elements: performance j moves those of slots j·K/times and on, in its slots 0 and on.
//
//   2^20 elements of a processor in 256 turns of 4096:  times 256, the steps of one listed once
//
// Where a map has memory bits, elements change places inside their processors by `before`, then
// take their turns, then change places by `after`; maps of processor | slot bits, of width 0 if
// nothing changes.
struct Repeat {
  std::uint64_t times = 1;
  BitMap before = {};
  BitMap after = {};
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct ScheduleHeader {
  Machine machine;
  Goal goal;
  std::string map_text;        // canonical notation of a MapGoal, else empty
  std::uint64_t elements = 1;  // K: per processor
  std::uint64_t slots = 1;     // storage places of a processor: slots or registers
  std::string planner;
  std::optional<CostClaim> cost;
  std::optional<Bound> bound;
  // POPS: the register where elements end, one for all processors or one for each.
  std::vector<Slot> result;
  // Elements, cost and bound above are those of all performances together, slots those of one.
  Repeat repeat = {};
  // Which entries come. A writer has to know it at once: loops want another format of files.
  enum class Entries { steps, loops };
  Entries entries = Entries::steps;
};

// Receives begin once, then steps and loops of the header's machine, then finish once. A sink may
// throw: the builder stops. A sink implements the kinds of step it understands; the others throw
// Error(usage). One that does not know loops gets their steps, lap after lap, as long as they are
// not more than limits::loop_moves_max in all; beyond, Error(limit).
class ScheduleSink {
 public:
  virtual ~ScheduleSink() = default;
  virtual void begin(const ScheduleHeader& header) = 0;
  virtual void step(const CubeStep& step);
  virtual void step(const MeshInstruction& instruction);
  virtual void step(const PopsSlot& slot);
  virtual void loop(const CubeLoop& loop);
  virtual void loop(const PopsLoop& loop);
  virtual void finish() = 0;

 private:
  template <class Step>
  void unroll(const Loop<Step>& loop);
  Count unrolled_ = 0;  // rules and moves, of all laps
};

// Forwards to several sinks, in order. They must outlive it.
class TeeSink : public ScheduleSink {
 public:
  explicit TeeSink(std::vector<ScheduleSink*> sinks) : sinks_(std::move(sinks)) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override;

 private:
  std::vector<ScheduleSink*> sinks_;
};

// Keeps everything, loops lap after lap: for tests, small schedules and planners that work on a
// whole. Nothing virtual is defined here: each source would compile it, with all that a header
// holds.
class RecordingSink : public ScheduleSink {
 public:
  ScheduleHeader header;
  std::vector<CubeStep> cube_steps;
  std::vector<MeshInstruction> mesh_program;
  std::vector<PopsSlot> pops_slots;

  void begin(const ScheduleHeader& h) override;
  void step(const CubeStep& s) override;
  void step(const MeshInstruction& i) override;
  void step(const PopsSlot& s) override;
  void finish() override;

  void replay_into(ScheduleSink& sink) const;
};

}  // namespace faro::inline v1
