// The machines a schedule can be for, as a schedule file names them. What each may do is in
// its folder in src/machines; this is only the description.
//
//   cube:4,one-port        Hypercube{.dimensions = 4, .ports = Hypercube::Ports::one}
//   cube:4,2-ports         Hypercube{.dimensions = 4, .ports = Hypercube::Ports{2}}
//   torus:4x8              Mesh{.sides_log2 = {2, 3}, .wrap = Mesh::Wrap::orthogonal}
//   pops:32,8              Pops{.group_size = 32, .groups = 8}
//   ranks:64               Crossbar{.bits = 6}
//   fat-tree:4x8,up=2      Crossbar{.bits = 5, .tiers = {{.processors_log2 = 3, .up_log2 = 1}}}
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"

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

}  // namespace faro::inline v1
