// What proves a lower bound: data from which anybody can check it by hand. It is made where the
// bound is made; a verifier checks it from the goal and the machine alone. Each kind is an
// argument, stated in docs/bounds.md with its inequality, an example and its JSON.
//
//   Distance{5, 0}       what starts in slot 0 of processor 5 is that far from its goal
//   Cut{{{0b100, 0}}}    what must leave the processors with bit 2 clear, over the links that leave
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "faro/algebra/affine_space.hpp"
#include "faro/base/bits.hpp"

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

}  // namespace faro::inline v1
