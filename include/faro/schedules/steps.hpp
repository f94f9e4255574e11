// What a schedule is made of: one step of a cube, one instruction of a mesh program, one slot of a
// POPS network. Plain data; what is legal is machines/model's and the verifiers' matter.
//
//   {[[0b10, 1]], slot 0, across 0, to 0}    every processor with bit 1 set sends its slot 0 across
//                                            dimension 0 into slot 0 of its neighbour
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"

// The machines a schedule can be for, as a schedule file names them. What each may do is in
// its folder in src/machines; this is only the description.
//
//   cube:4,one-port        Hypercube{.dimensions = 4, .ports = Hypercube::Ports::one}
//   cube:4,2-ports         Hypercube{.dimensions = 4, .ports = Hypercube::Ports{2}}
//   torus:4x8              Mesh{.sides_log2 = {2, 3}, .wrap = Mesh::Wrap::orthogonal}
//   pops:32,8              Pops{.group_size = 32, .groups = 8}
//   ranks:64               Crossbar{.bits = 6}
//   fat-tree:4x8,up=2      Crossbar{.bits = 5, .tiers = {{.processors_log2 = 3, .up_log2 = 1}}}

namespace faro::inline v1 {

// 2^dimensions processors; two are joined where their numbers differ in one bit.
struct Hypercube {
  // How many dimensions a processor uses at once: all, or so many, Ports{k} with k from 2.
  enum class Ports { all, one };
  int dimensions = 0;
  Ports ports = Ports::all;
  friend bool operator==(const Hypercube&, const Hypercube&) = default;
};

// A mesh of processors, row-major: the last side owns the lowest address bits.
struct Mesh {
  // none: what is routed off an edge is lost. orthogonal: each dimension is a ring. propagating:
  // routing along a dimension shifts the linear address.
  enum class Wrap { none, orthogonal, propagating };
  // one_route: the SIMD machine, one route at a time. all: every directed link carries one element
  // a step, store and forward.
  enum class Links { one_route, all };
  std::vector<int> sides_log2;  // [q-1], ..., [0] as the shape is written; a side is 2^entry
  Wrap wrap = Wrap::none;
  Links links = Links::one_route;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// A partitioned optical passive star: `groups` groups of `group_size` processors, processor =
// group * group_size + local; coupler c(i, j) joins group j to group i.
struct Pops {
  std::uint64_t group_size = 1;  // d
  std::uint64_t groups = 1;      // g
  bool multi_receive = false;
  friend bool operator==(const Pops&, const Pops&) = default;
};

// A switch with one port a processor: in a step each of the 2^bits processors sends one element to
// any processor and receives one. Of a fat tree the processors whose numbers agree but for the low
// bits stand behind a switch of their own, whose links upward carry fewer elements than that: in a
// step at most 2^up_log2 leave its 2^processors_log2 processors, and at most as many enter them.
struct Crossbar {
  struct Tier {
    int processors_log2 = 0;
    int up_log2 = 0;
    friend bool operator==(const Tier&, const Tier&) = default;
  };
  int bits = 0;
  std::vector<Tier> tiers = {};  // the largest first; none: one switch
  friend bool operator==(const Crossbar&, const Crossbar&) = default;
};

using Machine = std::variant<Hypercube, Mesh, Pops, Crossbar>;

// How many processors there are: at most 2^63, see limits::machine_bits_max.
Count processors(const Machine& machine);

// The bits of a processor number; nothing where the number of processors is no power of two.
std::optional<int> address_bits(const Machine& machine);

using Slot = std::uint32_t;

// One element over one link, or inside a processor.
struct Move {
  Word from_processor = 0;
  Slot from_slot = 0;
  Word to_processor = 0;
  Slot to_slot = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

inline constexpr int inside = -1;  // a rule that crosses no dimension

// The same move at every processor that meets all conditions.
struct Rule {
  std::vector<Parity> where = {};
  Slot from = 0;
  int across = inside;
  Slot to = 0;
  friend bool operator==(const Rule&, const Rule&) = default;
};

// The computation of one butterfly of stage `stage`: at every processor that meets `where`, slots
// low and high hold the operands. In place both results replace their operands; a declared half
// forms one result, the top (low) or the bottom (high) one, into slot `to`, which may be an
// operand's.
struct ButterflyRule {
  enum class Result { both, top, bottom };
  std::vector<Parity> where;
  Slot low = 0;
  Slot high = 0;
  int stage = 0;
  Result result = Result::both;
  Slot to = 0;
  friend bool operator==(const ButterflyRule&, const ButterflyRule&) = default;
};

// The same, for one processor.
struct Butterfly {
  Word processor = 0;
  Slot low = 0;
  Slot high = 0;
  int stage = 0;
  ButterflyRule::Result result = ButterflyRule::Result::both;
  Slot to = 0;
  friend bool operator==(const Butterfly&, const Butterfly&) = default;
};

// All reads happen before all writes; butterflies happen after the moves, explicit ones first.
struct CubeStep {
  std::vector<Rule> rules;
  std::vector<Move> moves;
  std::vector<Butterfly> butterflies;
  std::vector<ButterflyRule> butterfly_rules;

  // Keeps the memory, as a builder that emits step after step wants it.
  void clear();
  friend bool operator==(const CubeStep&, const CubeStep&) = default;
};

// Mesh registers: Rr is routed, Rs holds the data, Rt is scratch.
enum class MeshRegister { r, s, t };

// One of 0, 1, x for each address bit: bits of `care` must equal those of `value`.
struct TernaryMask {
  Word care = 0;
  Word value = 0;
  bool holds(Word p) const { return ((p ^ value) & care) == 0; }
  friend bool operator==(const TernaryMask&, const TernaryMask&) = default;
};

struct MeshRoute {
  int dimension = 0;
  std::int64_t by = 0;
  friend bool operator==(const MeshRoute&, const MeshRoute&) = default;
};

struct MeshCopy {
  MeshRegister to = MeshRegister::r;
  MeshRegister from = MeshRegister::s;
  TernaryMask mask;
  std::vector<Parity> where;
  friend bool operator==(const MeshCopy&, const MeshCopy&) = default;
};

struct MeshSwap {
  MeshRegister a = MeshRegister::r;
  MeshRegister b = MeshRegister::s;
  TernaryMask mask;
  std::vector<Parity> where;
  friend bool operator==(const MeshSwap&, const MeshSwap&) = default;
};

using MeshInstruction = std::variant<MeshRoute, MeshCopy, MeshSwap>;

// processor sends `reg` over the couplers to the groups named.
struct PopsSend {
  Word processor = 0;
  Slot reg = 0;
  std::vector<std::uint64_t> to_groups;
  friend bool operator==(const PopsSend&, const PopsSend&) = default;
};

// processor keeps in `reg` what comes over the coupler from the group named.
struct PopsReceive {
  Word processor = 0;
  std::uint64_t from_group = 0;
  Slot reg = 0;
  friend bool operator==(const PopsReceive&, const PopsReceive&) = default;
};

// Every processor p that meets `where` sends `reg` to the processor whose bit n-1-r is
// parity(p & to[r].mask) ^ to[r].value, which keeps it in register `into`.
struct PopsRule {
  std::vector<Parity> where;
  Slot reg = 0;
  std::vector<Parity> to;
  Slot into = 0;
  friend bool operator==(const PopsRule&, const PopsRule&) = default;
};

struct PopsOperation {
  enum class Kind { multiply, multiply_add, add, copy, zero };
  Kind kind = Kind::zero;
  Word processor = 0;
  Slot to = 0;
  Slot a = 0;
  Slot b = 0;
  friend bool operator==(const PopsOperation&, const PopsOperation&) = default;
};

// Sends and receives together, then the operations in order.
struct PopsSlot {
  std::vector<PopsSend> sends;
  std::vector<PopsReceive> receives;
  std::vector<PopsRule> rules;
  std::vector<PopsOperation> operations;

  void clear();
  friend bool operator==(const PopsSlot&, const PopsSlot&) = default;
};

// How far the two slots of a rule or a move go from one lap of a loop to the next.
struct Advance {
  std::int64_t from = 0;
  std::int64_t to = 0;
  friend bool operator==(const Advance&, const Advance&) = default;
};

// Steps that are performed lap after lap. Who moves, and over which links, is the same in every
// lap; slots go on by their advance, so that a schedule need not grow with the elements that a
// processor has.
//
//   laps 3, body {[slot 0, to 5] with advance {1, 0}}  =  slot 0 to 5, then 1 to 5, then 2 to 5
//
// The steps have rules, those of a cube also moves, and nothing else. (The turns of a header are
// another matter: every turn has slots of its own.)
template <class Step>
struct Loop {
  struct Entry {
    Step first;                     // as lap 0 performs it
    std::vector<Advance> advances;  // one for each rule, then one for each move
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint64_t laps = 1;
  std::vector<Entry> body;
  friend bool operator==(const Loop&, const Loop&) = default;
};
using CubeLoop = Loop<CubeStep>;
using PopsLoop = Loop<PopsSlot>;

// What an entry does in lap `lap`, into a step whose memory is kept. Throws Error(usage) for
// advances that are not one for each rule and move, for a step with more than these, and for slots
// outside the 32 bits of Slot.
void at_lap(const CubeLoop::Entry& entry, std::uint64_t lap, CubeStep& step);
void at_lap(const PopsLoop::Entry& entry, std::uint64_t lap, PopsSlot& step);

}  // namespace faro::inline v1
