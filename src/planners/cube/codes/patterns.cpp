// Periodic patterns.   [faro]
//   applies:  rotations of 3 and 4 bits on any dimensions of a larger cube, complements that a
//             translation of the cube takes away allowed
//   cost:     least T such that K units of every source finish              (tested K <= 40)
//   bound:    ceil(cK), c of machines/bounds
#include "planners/cube/codes/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "base/check.hpp"
#include "base/search.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/bit_cycles.hpp"
#include "planners/node_slots.hpp"

namespace faro::inline v1::tables {
extern const std::string_view cycle_patterns;
}

namespace faro::inline v1 {
namespace {

using nlohmann::json;

std::vector<Pattern> read() {
  std::vector<Pattern> all;
  const json file = json::parse(tables::cycle_patterns);
  for (const auto& [name, entry] : file.items()) {
    if (!entry.is_object()) continue;
    Pattern p;
    p.name = name;
    p.period = entry.at("P").get<std::uint64_t>();
    p.elements = entry.at("Q").get<std::uint64_t>();
    p.map = BitMap::from_columns(entry.at("columns").get<std::vector<Word>>());
    for (const auto& [node, units] : entry.at("pattern").items()) {
      Pattern::Source source{static_cast<std::size_t>(std::stoul(node)), {}};
      for (const json& unit : units) {
        Pattern::Unit hops;
        for (const json& hop : unit)
          hops.push_back({hop.at(0).get<std::uint64_t>(), hop.at(1).get<std::size_t>(),
                          hop.at(2).get<std::size_t>()});
        source.units.push_back(std::move(hops));
      }
      p.sources.push_back(std::move(source));
    }
    std::sort(p.sources.begin(), p.sources.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
    all.push_back(std::move(p));
  }
  return all;
}

std::uint64_t finish_of(const Pattern::Unit& unit) {
  std::uint64_t finish = 0;
  for (const Pattern::Hop& hop : unit) finish = std::max(finish, hop.time + 1);
  return finish;
}

// The dimensions that the map moves along one cycle, begun at each of them.
std::vector<std::vector<int>> candidate_orders(const BitMap& map) {
  std::vector<std::vector<int>> orders;
  const auto cycles = bit_cycles(map);
  if (!cycles || cycles->size() != 1) return orders;
  std::vector<int> order = (*cycles)[0].dimensions;
  for (std::size_t i = 0; i < order.size(); ++i) {
    orders.push_back(order);
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  return orders;
}

// The map on these dimensions alone, in their order; nothing if it moves others too.
std::optional<BitMap> restricted(const BitMap& map, const std::vector<int>& dimensions) {
  Word all = 0;
  for (const int d : dimensions) all |= bit(d);
  for (int d = 0; d < map.width(); ++d)
    if (!has_bit(all, d) && (map.column(d) != bit(d) || has_bit(map.complement(), d))) return {};
  const auto gather = [&dimensions](Word x) {
    Word y = 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      if (has_bit(x, dimensions[i])) y |= bit(static_cast<int>(i));
    return y;
  };
  std::vector<Word> columns;
  for (const int d : dimensions) {
    if ((map.column(d) & ~all) != 0) return {};
    columns.push_back(gather(map.column(d)));
  }
  return BitMap::from_columns(columns, gather(map.complement()));
}

}  // namespace

std::span<const Pattern> patterns() {
  static const std::vector<Pattern> all = read();
  return all;
}

std::optional<PatternPlace> find_pattern(const BitMap& map) {
  for (const std::vector<int>& order : candidate_orders(map)) {
    const auto small = restricted(map, order);
    if (!small) continue;
    for (const Pattern& p : patterns()) {
      if (p.map.matrix() != small->matrix()) continue;
      // x -> P(x ^ t) ^ t has the complement c ^ A·t ^ t.
      BitMatrix plus_identity = p.map.matrix();
      for (int i = 0; i < plus_identity.columns(); ++i)
        plus_identity.set_column(i, plus_identity.column(i) ^ bit(i));
      if (const auto t = plus_identity.solve(p.map.complement() ^ small->complement()))
        return PatternPlace{&p, order, *t};
    }
  }
  return {};
}

Count pattern_cost(const Pattern& pattern, std::uint64_t elements) {
  const auto enough = [&](std::uint64_t steps) {
    for (const Pattern::Source& source : pattern.sources) {
      std::uint64_t home = 0;
      for (const Pattern::Unit& unit : source.units)
        if (const std::uint64_t f = finish_of(unit); f <= steps)
          home += (steps - f) / pattern.period + 1;
      if (home < elements) return false;
    }
    return true;
  };
  return least_that(0, pattern.period * elements + 64, enough);
}

StepSource pattern_steps(const PatternPlace& place, std::uint64_t elements) {
  const Pattern& p = *place.pattern;
  const auto steps = static_cast<std::uint64_t>(pattern_cost(p, elements));
  struct Event {
    std::uint64_t time;
    std::size_t source;
    std::uint64_t element;
    std::size_t from;
    std::size_t to;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    const std::vector<Pattern::Unit>& units = p.sources[i].units;
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> runs;  // finish, batch, unit
    for (std::size_t q = 0; q < units.size(); ++q)
      for (std::uint64_t f = finish_of(units[q]), j = 0; f + p.period * j <= steps; ++j)
        runs.emplace_back(f + p.period * j, j, q);
    std::sort(runs.begin(), runs.end());
    for (std::uint64_t e = 0; e < elements; ++e)
      for (const Pattern::Hop& hop : units[std::get<2>(runs[e])])
        events.push_back({hop.time + p.period * std::get<1>(runs[e]), i, e, hop.from, hop.to});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.time, a.source, a.element) < std::tuple(b.time, b.source, b.element);
  });

  const std::size_t nodes = std::size_t{1} << place.dimensions.size();
  NodeSlots slots(nodes, elements);
  std::vector<std::vector<Slot>> slot_of(p.sources.size());
  std::vector<std::vector<std::size_t>> node_of(p.sources.size());
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    for (std::uint64_t e = 0; e < elements; ++e) slot_of[i].push_back(static_cast<Slot>(e));
    node_of[i].assign(elements, p.sources[i].node);
  }
  const auto where = [&place](std::size_t node) {
    std::vector<Parity> conditions;
    for (std::size_t i = place.dimensions.size(); i-- > 0;)
      conditions.push_back(
          {bit(place.dimensions[i]), has_bit(node ^ place.flip, static_cast<int>(i)) ? 1U : 0U});
    return conditions;
  };
  std::vector<CubeStep> out(steps + 1);
  for (auto begin = events.begin(); begin != events.end();) {
    const auto end = std::find_if(begin, events.end(),
                                  [begin](const Event& e) { return e.time != begin->time; });
    std::vector<NodeSlots::Hop> hops;
    for (auto e = begin; e != end; ++e)
      hops.push_back(
          {e->from, slot_of[e->source][e->element], e->to, static_cast<Slot>(e->element)});
    slots.hop(hops, [&](std::size_t i, Slot to) {
      const Event& e = begin[static_cast<std::ptrdiff_t>(i)];
      const int across = place.dimensions[static_cast<std::size_t>(lowest_bit(e.from ^ e.to))];
      out[e.time].rules.push_back({where(e.from), hops[i].slot, across, to});
      slot_of[e.source][e.element] = to;
      node_of[e.source][e.element] = e.to;
    });
    begin = end;
  }
  for (std::size_t i = 0; i < p.sources.size(); ++i)
    for (std::uint64_t e = 0; e < elements; ++e)
      if (slot_of[i][e] != e)
        out[steps].rules.push_back(
            {where(node_of[i][e]), slot_of[i][e], inside, static_cast<Slot>(e)});
  return kept_steps(slots.slots(), std::move(out));
}

namespace {

struct Found {
  PatternPlace place;
  Direction direction;
};
std::optional<Found> find(const Request& request) {
  const auto split = split_map(request);
  if (!split) return {};
  if (auto place = find_pattern(split->processors)) return Found{*place, Direction::forward};
  if (auto place = find_pattern(split->processors.inverse()))
    return Found{*place, Direction::inverse};
  return {};
}

std::optional<std::string> refusal_patterns(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (request.elements() > limits::pattern_elements_max) return "its schedule is kept in memory";
  if (!find(request)) return "no pattern is known for this map";
  return {};
}

Offer offer_patterns(const Request& request) {
  const Found found = *find(request);
  const Pattern& p = *found.place.pattern;
  const std::uint64_t k = request.elements();
  const Node node{pattern_cost(p, k), std::string(periodic_pattern.name()),
                  [place = found.place, k] { return pattern_steps(place, k); }};
  return offer_of(request, periodic_pattern.name(), directed(node, found.direction),
                  fmt::format("{} elements in {} steps, pattern {}", p.elements, p.period, p.name));
}

}  // namespace

const PlannerEntry periodic_pattern({
    .name = "periodic-pattern",
    .machine = "cube",
    .title = "flows of small cubes repeated, found by search",
    .needs = "a rotation of 3 or 4 processor bits, all ports",
    .cost = "at most P(ceil(K/Q)-1) + F steps: rates 4/7, 7/12",
    .citation = "faro",
    .refusal = refusal_patterns,
    .offer = offer_patterns,
});

}  // namespace faro::inline v1
