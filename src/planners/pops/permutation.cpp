// Any permutation on a POPS network.   [Mei, Rizzi 2003; single hop: Gravenstreter, Melhem 1998]
//   applies:  destinations that are a permutation, listed or given by a map; one element each
//   cost:     single hop max D; two hops 2 floor(R/g) + min(2, R mod g) for d >= g, 2 for d < g
//             (1 for d = 1)
//             (tested: all permutations of POPS(3,2), (2,3), (4,2), (3,3), random ones beyond)
//   bound:    machines/bounds/pops_bounds
// D(i, j) counts the data that move from group i to j, R the largest row or column sum.
#include "planners/pops/permutation.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "machines/pops/model.hpp"
#include "search/colouring.hpp"

namespace faro::inline v1::pops {
namespace {

using search::Edge;
using search::edge_colours;
using search::largest_degree;

constexpr Count slots_of_rounds(Count degree, Count groups) {
  return 2 * (degree / groups) + std::min<Count>(2, degree % groups);
}

// What moves, numbered 0, 1, ... within its pair of groups: (processor, number).
struct Numbered {
  Word from = 0;
  std::uint32_t number = 0;
};

std::vector<Numbered> numbered(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Numbered> moved;
  std::vector<std::pair<std::uint64_t, Word>> pairs;  // (destination group, processor) of a group
  for (std::uint64_t group = 0; group < machine.groups; ++group) {
    pairs.clear();
    const Word first = group * machine.group_size;
    for (Word p = first; p < first + machine.group_size; ++p)
      if (to[p] != p) pairs.emplace_back(group_of(machine, to[p]), p);
    std::sort(pairs.begin(), pairs.end());
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      number = i > 0 && pairs[i].first == pairs[i - 1].first ? number + 1 : 0;
      moved.push_back({pairs[i].second, number});
    }
  }
  return moved;
}

// Colours of a d-regular graph on g >= 2d nodes cut into chunks of d edges, one colour after the
// other; what is left of a colour is completed from the next with edges that share no group with
// it. A chunk has no two edges at a node. Returns the chunk of each edge.
std::vector<std::uint32_t> fair_chunks(const std::vector<Edge>& edges, std::uint32_t nodes,
                                       std::uint32_t degree) {
  std::vector<std::vector<std::uint32_t>> by_colour(degree);
  const auto colours = edge_colours(edges, nodes, degree);
  for (std::uint32_t e = 0; e < edges.size(); ++e) by_colour[colours[e]].push_back(e);
  std::vector<std::uint32_t> chunk_of(edges.size(), 0);
  std::uint32_t chunk = 0;
  std::vector<std::uint32_t> marked_left(nodes, 0);
  std::vector<std::uint32_t> marked_right(nodes, 0);
  for (std::uint32_t c = 0; c < degree; ++c) {
    const auto& all = by_colour[c];
    std::size_t at = 0;
    for (; at + degree <= all.size(); at += degree, ++chunk)
      for (std::size_t i = at; i < at + degree; ++i) chunk_of[all[i]] = chunk;
    if (at == all.size()) continue;
    std::uint32_t filled = 0;
    for (; at < all.size(); ++at, ++filled) {
      chunk_of[all[at]] = chunk;
      marked_left[edges[all[at]].left] = chunk + 1;
      marked_right[edges[all[at]].right] = chunk + 1;
    }
    FARO_CHECK(c + 1 < degree);
    std::erase_if(by_colour[c + 1], [&](std::uint32_t e) {
      if (filled == degree || marked_left[edges[e].left] == chunk + 1 ||
          marked_right[edges[e].right] == chunk + 1)
        return false;
      chunk_of[e] = chunk;
      ++filled;
      return true;
    });
    FARO_CHECK(filled == degree);
    ++chunk;
  }
  return chunk_of;
}

// Colours of the graph padded to 2g - d nodes a side and degree g: a colour has 2g - d edges, of
// which 2(g - d) touch a node that stands for nothing; d real ones remain.
std::vector<std::uint32_t> fair_colours(const std::vector<Edge>& edges, std::uint32_t groups,
                                        std::uint32_t degree) {
  std::vector<Edge> padded = edges;
  for (std::uint32_t real = 0; real < groups; ++real)
    for (std::uint32_t dummy = groups; dummy < 2 * groups - degree; ++dummy) {
      padded.push_back({real, dummy});
      padded.push_back({dummy, real});
    }
  auto colours = edge_colours(padded, 2 * groups - degree, groups);
  colours.resize(edges.size());
  return colours;
}

}  // namespace

std::vector<Packet> single_hop(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Packet> packets;
  for (const Numbered& m : numbered(machine, to))
    packets.push_back(hop(m.from, to[m.from], m.number));
  return packets;
}

std::vector<Packet> fair_two_hops(const Pops& machine, const std::vector<Word>& to) {
  const auto d = static_cast<std::uint32_t>(machine.group_size);
  const auto g = static_cast<std::uint32_t>(machine.groups);
  FARO_CHECK(d < g);
  if (d == 1) return single_hop(machine, to);
  std::vector<Edge> edges;
  for (Word p = 0; p < to.size(); ++p)
    edges.push_back({static_cast<std::uint32_t>(group_of(machine, p)),
                     static_cast<std::uint32_t>(group_of(machine, to[p]))});
  const auto relay_group = g >= 2 * d ? fair_chunks(edges, g, d) : fair_colours(edges, g, d);
  std::vector<std::uint32_t> used(g, 0);
  std::vector<Packet> packets;
  for (Word p = 0; p < to.size(); ++p) {
    const Word x = relay_group[p];
    const Word local = used[x]++;
    FARO_CHECK(local < d);
    if (to[p] == p) continue;
    packets.push_back(hop_over(p, x * d + local, to[p], 0));
  }
  return packets;
}

std::vector<Packet> rounds_of_two_hops(const Pops& machine, const std::vector<Word>& to) {
  FARO_CHECK(machine.group_size >= machine.groups);
  const auto g = static_cast<std::uint32_t>(machine.groups);
  std::vector<Word> moved;
  std::vector<Edge> edges;
  for (const Numbered& m : numbered(machine, to)) {
    moved.push_back(m.from);
    edges.push_back({static_cast<std::uint32_t>(group_of(machine, m.from)),
                     static_cast<std::uint32_t>(group_of(machine, to[m.from]))});
  }
  const std::uint32_t degree = largest_degree(edges, g);
  const auto colours = edge_colours(edges, g, degree);
  std::vector<Packet> packets;
  for (std::size_t e = 0; e < moved.size(); ++e) {
    const Word p = moved[e];
    const std::uint32_t round = colours[e] / g;
    // A last round of one colour is a matching of groups and goes straight in one slot.
    if (degree % g == 1 && round == degree / g)
      packets.push_back(hop(p, to[p], 2 * round));
    else
      packets.push_back(
          hop_over(p, Word{colours[e] % g} * machine.group_size + edges[e].left, to[p], 2 * round));
  }
  return packets;
}

std::vector<Packet> two_hops(const Pops& machine, const std::vector<Word>& to) {
  return machine.group_size < machine.groups ? fair_two_hops(machine, to)
                                             : rounds_of_two_hops(machine, to);
}

namespace {

bool moves(const std::vector<Word>& to) {
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p) return true;
  return false;
}

Estimate straight_home_estimate(const Request& request) {
  Count slots = 0;
  for (const Numbered& m : numbered(machine_of(request), destinations(request)))
    slots = std::max<Count>(slots, m.number + 1);
  return {{slots, "max D"}, std::nullopt};
}

void straight_home_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-single-hop",
                   single_hop(machine_of(request), destinations(request)), sink);
}

Estimate two_hop_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const std::vector<Word> to = destinations(request);
  if (!moves(to)) return {{0, "0: nothing moves"}, std::nullopt};
  if (machine.group_size < machine.groups)
    return {{machine.group_size == 1 ? 1U : 2U, machine.group_size == 1 ? "1" : "2"}, std::nullopt};
  std::vector<Edge> edges;
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p)
      edges.push_back({static_cast<std::uint32_t>(group_of(machine, p)),
                       static_cast<std::uint32_t>(group_of(machine, to[p]))});
  const Count degree = largest_degree(edges, static_cast<std::uint32_t>(machine.groups));
  return {{slots_of_rounds(degree, machine.groups), "2 floor(R/g) + min(2, R mod g)"},
          std::nullopt};
}

void two_hop_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-two-hop", two_hops(machine_of(request), destinations(request)),
                   sink);
}

constexpr const char* permutation_needs = "any permutation of the processors, listed";

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_single_hop({
    "pops-single-hop",
    "pops",
    "every datum straight home",
    pops::permutation_needs,
    "max D slots, D(i, j) data from group i to j",
    "Gravenstreter, Melhem 1998, as in Sahni 2000, section 3",
    pops::no_permutation,
    pops::straight_home_estimate,
    pops::straight_home_build,
});

const PlannerEntry pops_two_hop({
    "pops-two-hop",
    "pops",
    "edge colouring of the groups' multigraph, a relay for every datum",
    pops::permutation_needs,
    "2 for d < g; 2 floor(R/g) + min(2, R mod g), R data leave or enter a group",
    "Mei, Rizzi 2003",
    pops::no_permutation,
    pops::two_hop_estimate,
    pops::two_hop_build,
});

}  // namespace faro::inline v1
