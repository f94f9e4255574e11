// h-relations.   [faro; two hops of a class: Mei, Rizzi 2003]
//   applies:  K destinations for each processor, or a map with K elements a processor
//   cost:     2·max(h, ceil(R/g)) slots, R <= h·d data leave or enter a group; half of it for d or
//             g = 1   (tested d <= 8, g <= 6, h <= 4)
//   bound:    h; the demand's bounds
#include "planners/pops/relation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/permutation.hpp"
#include "search/colouring.hpp"
#include "search/flow.hpp"

namespace faro::inline v1::pops {
namespace {

using search::Edge;
using search::edge_colours;
using search::Flow;

// Degrees of processors and groups at one end of the data left.
struct End {
  std::vector<std::int32_t> processor;
  std::vector<std::int32_t> group;
};

Flow::Bounds share(std::int32_t degree, std::uint32_t classes) {
  const auto c = static_cast<std::int32_t>(classes);
  return {degree / c, (degree + c - 1) / c};
}

// One class of `classes` still to be formed from the data left: which of them are in it.
std::vector<bool> one_class(const Pops& machine, const std::vector<Packet>& data,
                            const std::vector<std::uint32_t>& left, std::uint32_t classes) {
  const auto n = static_cast<std::uint32_t>(processors(machine));
  const auto g = static_cast<std::uint32_t>(machine.groups);
  const auto d = static_cast<std::uint32_t>(machine.group_size);
  End out{std::vector<std::int32_t>(n, 0), std::vector<std::int32_t>(g, 0)};
  End in = out;
  for (const std::uint32_t e : left) {
    ++out.processor[data[e].from];
    ++in.processor[data[e].to];
    ++out.group[data[e].from / d];
    ++in.group[data[e].to / d];
  }
  // Nodes: source, sink, sending groups, sending processors, receiving processors and groups.
  const std::uint32_t senders = 2 + g;
  const std::uint32_t receivers = senders + n;
  const std::uint32_t groups_in = receivers + n;
  Flow flow(groups_in + g);
  for (std::uint32_t i = 0; i < g; ++i) {
    flow.edge(0, 2 + i, share(out.group[i], classes));
    flow.edge(groups_in + i, 1, share(in.group[i], classes));
  }
  for (std::uint32_t p = 0; p < n; ++p) {
    flow.edge(2 + p / d, senders + p, share(out.processor[p], classes));
    flow.edge(receivers + p, groups_in + p / d, share(in.processor[p], classes));
  }
  std::vector<std::uint32_t> edges;
  for (const std::uint32_t e : left)
    edges.push_back(flow.edge(senders + static_cast<std::uint32_t>(data[e].from),
                              receivers + static_cast<std::uint32_t>(data[e].to), {0, 1}));
  FARO_CHECK(flow.circulate(0, 1));
  std::vector<bool> chosen;
  for (const std::uint32_t edge : edges) chosen.push_back(flow.through(edge) > 0);
  return chosen;
}

// Two slots for data that are at most one a processor and g a group, at either end.
void two_slots(const Pops& machine, std::vector<Packet>& data,
               const std::vector<std::uint32_t>& members, std::uint32_t slot) {
  const auto g = static_cast<std::uint32_t>(machine.groups);
  std::vector<Edge> edges;
  for (const std::uint32_t e : members)
    edges.push_back({static_cast<std::uint32_t>(group_of(machine, data[e].from)),
                     static_cast<std::uint32_t>(group_of(machine, data[e].to))});
  const auto colours = edge_colours(edges, g, g);
  for (std::size_t i = 0; i < members.size(); ++i) {
    Packet& p = data[members[i]];
    p.relay = Word{colours[i]} * machine.group_size + edges[i].left;
    p.first = slot;
    p.second = slot + 1;
  }
}

// The same for d < g: the data are completed to a permutation, whose relays are fair.
void fair_slots(const Pops& machine, std::vector<Packet>& data,
                const std::vector<std::uint32_t>& members, std::uint32_t slot) {
  const std::uint64_t n = processors(machine);
  std::vector<Word> to(n, no_relay);
  std::vector<std::uint32_t> datum(n, 0);
  std::vector<bool> taken(n, false);
  for (const std::uint32_t e : members) {
    to[data[e].from] = data[e].to;
    taken[data[e].to] = true;
    datum[data[e].from] = e + 1;
  }
  Word unused = 0;
  for (Word p = 0; p < n; ++p) {
    if (to[p] != no_relay) continue;
    while (taken[unused]) ++unused;
    to[p] = unused++;
  }
  for (const Packet& hop : fair_two_hops(machine, to)) {
    if (datum[hop.from] == 0) continue;
    Packet& p = data[datum[hop.from] - 1];
    p.relay = hop.relay;
    p.first = slot;
    p.second = slot + 1;
  }
}

// A class is a matching of groups and goes straight.
bool straight_classes(const Pops& machine) {
  return machine.group_size == 1 || machine.groups == 1;
}

// h, or for d >= g what the fullest group needs at g a class.
std::uint32_t classes_for(const Pops& machine, const std::vector<Packet>& data, std::uint32_t h) {
  if (machine.group_size < machine.groups) return h;
  std::vector<Count> out(machine.groups, 0);
  std::vector<Count> in(machine.groups, 0);
  Count most = 0;
  for (const Packet& p : data)
    most = std::max({most, ++out[group_of(machine, p.from)], ++in[group_of(machine, p.to)]});
  return static_cast<std::uint32_t>(std::max<Count>(h, ceil_div(most, machine.groups)));
}

Estimate relation_estimate(const Request& request) {
  const RelationData relation = relation_of(request);
  const Pops& machine = machine_of(request);
  const Count classes = classes_for(machine, relation.data, relation.h);
  return {{(straight_classes(machine) ? 1 : 2) * classes,
           "2·max(h, ceil(R/g)), R data leave or enter a group; one slot a class for d or g = 1"},
          std::nullopt};
}

void relation_build(const Request& request, ScheduleSink& sink) {
  const RelationData relation = relation_of(request);
  emit_relation(relation, "pops-relation",
                relation_hops(machine_of(request), relation.data, relation.h), sink);
}

}  // namespace

RelationData relation_of(const Request& request) {
  const std::uint64_t k = request.elements();
  const std::uint64_t n = processors(machine_of(request));
  RelationData relation{.data = {}, .h = 0, .request = request};
  std::vector<Word> to = destinations(request);
  if (to.size() == n && k > 1) {
    std::vector<Word> each;
    for (const Word q : to) each.insert(each.end(), k, q);
    to = std::move(each);
  }
  const bool map = request.destinations().empty();
  if (!map) relation.request = Request::of(request.machine(), Relation{to}, k);
  std::vector<std::uint32_t> sent(n, 0);
  std::vector<std::uint32_t> received(n, 0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Word p = i / k;
    if (to[i] == p || to[i] == no_relay) continue;
    Packet packet;
    packet.from = p;
    packet.to = to[i];
    packet.from_register = static_cast<Slot>(i % k);
    packet.to_register = static_cast<Slot>(k) + (map ? packet.from_register : received[to[i]]);
    relation.h = std::max({relation.h, ++sent[p], ++received[to[i]]});
    relation.data.push_back(packet);
  }
  return relation;
}

std::optional<std::string> relation_refusal(const Request& request) {
  if (auto why = no_list(request)) return why;
  const std::uint64_t n = processors(machine_of(request));
  if (Count{n} * request.elements() > bit(limits::pops_data_log2_max))
    return fmt::format("more than 2^{} data are not listed", limits::pops_data_log2_max);
  for (const Word to : request.destinations())
    if (to >= n && to != no_relay)
      return fmt::format("processor {} does not exist; there are {}", to, n);
  return std::nullopt;
}

void emit_relation(const RelationData& relation, std::string_view planner,
                   const std::vector<Packet>& packets, ScheduleSink& sink) {
  const Request& request = relation.request;
  std::vector<Slot> result(processors(machine_of(request)), 0);
  for (const Packet& p : relation.data) result[p.to] = static_cast<Slot>(request.elements());
  if (std::all_of(result.begin(), result.end(), [&](Slot r) { return r == result[0]; }))
    result.resize(1);
  emit(request, planner, packets, std::move(result), sink);
}

std::vector<std::uint32_t> fair_classes(const Pops& machine, const std::vector<Packet>& data,
                                        std::uint32_t classes) {
  std::vector<std::uint32_t> class_of(data.size(), 0);
  std::vector<std::uint32_t> left(data.size());
  for (std::uint32_t e = 0; e < left.size(); ++e) left[e] = e;
  for (std::uint32_t c = 0; c + 1 < classes; ++c) {
    const std::vector<bool> chosen = one_class(machine, data, left, classes - c);
    std::vector<std::uint32_t> rest;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (chosen[i])
        class_of[left[i]] = c;
      else
        rest.push_back(left[i]);
    left = std::move(rest);
  }
  for (const std::uint32_t e : left) class_of[e] = classes - 1;
  return class_of;
}

std::vector<Packet> relation_hops(const Pops& machine, std::vector<Packet> data, std::uint32_t h) {
  const std::uint32_t classes = classes_for(machine, data, h);
  std::vector<std::uint32_t> class_of;
  if (machine.group_size < machine.groups) {
    std::vector<Edge> edges;
    for (const Packet& p : data)
      edges.push_back({static_cast<std::uint32_t>(p.from), static_cast<std::uint32_t>(p.to)});
    class_of = edge_colours(edges, static_cast<std::uint32_t>(processors(machine)), h);
  } else {
    class_of = fair_classes(machine, data, classes);
  }
  std::vector<std::vector<std::uint32_t>> members(classes);
  for (std::uint32_t e = 0; e < data.size(); ++e) members[class_of[e]].push_back(e);
  for (std::uint32_t c = 0; c < classes; ++c) {
    if (straight_classes(machine))
      for (const std::uint32_t e : members[c]) data[e].first = c;
    else if (machine.group_size < machine.groups)
      fair_slots(machine, data, members[c], 2 * c);
    else
      two_slots(machine, data, members[c], 2 * c);
  }
  return data;
}

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_relation({
    "pops-relation",
    "pops",
    "h-relations: K elements of each processor, each with a destination",
    "destinations for all elements, or a map with K elements a processor; listed",
    "2·max(h, ceil(hd/g)) slots or fewer; h = the most a processor sends or receives",
    "faro; Mei, Rizzi 2003",
    pops::relation_refusal,
    pops::relation_estimate,
    pops::relation_build,
});

}  // namespace faro::inline v1
