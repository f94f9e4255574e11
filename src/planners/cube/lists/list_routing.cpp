// List scheduling over chosen paths.   [faro; seats after McMurchie, Ebeling 1995]
//   applies:  destinations of all processors of a cube of at most 10 dimensions, any ports
//   cost:     counted; on random permutations a few steps above the bound      (tested n <= 8)
//   bound:    distance and crossings of each dimension, machines/bounds
#include "planners/cube/lists/list_routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "machines/cube/flow_bounds.hpp"
#include "machines/cube/ports.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/lists/list_paths.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/step_source.hpp"
#include "planners/links/ports.hpp"

namespace faro::inline v1 {
namespace {

using links::Detours;
using links::LinkTable;
using links::Packet;
using links::rounds_for;
using links::Timetable;

// Efforts, a fraction of a second each on a machine of today: rounds of times cost packets and
// steps, searches for seats links and steps.
constexpr std::uint64_t improve_work = std::uint64_t{1} << 24U;
constexpr int improve_rounds_max = 100;
constexpr std::uint64_t seats_work = std::uint64_t{1} << 27U;
constexpr std::uint64_t ports_work = std::uint64_t{1} << 25U;
constexpr int ports_rounds_max = 200;
constexpr int ports_attempts = 12;
constexpr std::uint64_t maps_work = std::uint64_t{1} << 12U;  // elements of all mirrors of a map
constexpr std::uint64_t maps_tried = 6;
constexpr std::uint64_t ports_turns_least = 20;  // of every packet; less finds nothing

// Where each processor's elements go.
std::vector<Word> goals_of(const Request& request) {
  if (!request.is_map()) return request.destinations();
  std::vector<Word> to(bit(processor_bits(request)));
  for (Word p = 0; p < to.size(); ++p) to[p] = request.map().map(p);
  return to;
}

bool has_memory_bits(const Request& request) {
  return request.is_map() && request.map().cut;
}

// The elements that leave their processors, on ascending shortest ways; without memory bits those
// of one slot together.
std::vector<Packet> packets_of(const Request& request) {
  std::vector<Move> moves = links::moves_of(request);
  if (!has_memory_bits(request))
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.from_slot < b.from_slot; });
  std::vector<Packet> packets;
  for (const Move& move : moves)
    if (move.from_processor != move.to_processor)
      packets.push_back({move, links::ascending_way(processor_bits(request), move.from_processor,
                                                    move.to_processor)});
  return packets;
}

// So many dimensions a processor and step, the same for sending and receiving: step after step
// those with most left go where both ends have a port free or use the same dimension.
Timetable ports_times(const LinkTable& table, const std::vector<Packet>& packets, int ports) {
  const std::size_t n = table.size() / table.processors();
  Timetable times;
  times.starts.resize(packets.size());
  const auto left = [&](std::uint32_t i) { return packets[i].way.size() - times.starts[i].size(); };
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < packets.size(); ++i)
    if (left(i) != 0) waiting.push_back(i);
  for (std::uint32_t step = 0; !waiting.empty(); ++step) {
    still_working();
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&left](std::uint32_t a, std::uint32_t b) { return left(a) > left(b); });
    std::vector<Word> used(table.processors());  // dimensions, as bits
    std::vector<bool> taken(table.size());
    for (const std::uint32_t i : waiting) {
      const links::Link link = packets[i].way[times.starts[i].size()];
      Word& here = used[table.from[link]];
      Word& there = used[table.to[link]];
      const Word d = bit(static_cast<int>(link % n));
      const auto full = [&](Word dimensions) { return std::popcount(dimensions | d) > ports; };
      if (taken[link] || full(here) || full(there)) continue;
      taken[link] = true;
      here |= d;
      there |= d;
      times.starts[i].push_back(step);
    }
    std::erase_if(waiting, [&left](std::uint32_t i) { return left(i) == 0; });
    times.steps = step + 1;
  }
  return times;
}

// Packets and when they move.
struct Routed {
  std::vector<Packet> packets;
  Timetable times;
};

links::ListedSteps listed(const Request& request, const Routed& routed) {
  return links::listed(request, LinkTable::of_cube(processor_bits(request)), routed.packets,
                       routed.times, links::OwnSlots::everywhere);
}

bool few_ports(const Request& request) {
  return cube_of(request)->ports != Hypercube::Ports::all;
}

Routed shortest(const Request& request) {
  const LinkTable table = LinkTable::of_cube(processor_bits(request));
  Routed routed{packets_of(request), {}};
  routed.times = few_ports(request)
                     ? ports_times(table, routed.packets, ports_of(*cube_of(request)))
                     : links::first_come(table, routed.packets, {});
  return routed;
}

// For one step less than before, again and again.
void negotiate(const Hypercube& cube, const LinkTable& table, std::uint32_t enough, Routed& best) {
  const bool few_ports = cube.ports != Hypercube::Ports::all;
  while (best.times.steps > enough) {
    const std::uint64_t search = table.size() * best.times.steps;
    const std::uint32_t steps = best.times.steps - 1;
    if (few_ports && ports_work / search < ports_turns_least * best.packets.size()) return;
    const bool found =
        few_ports
            ? links::negotiate_ports(table, ports_of(cube), best.packets, best.times, steps,
                                     {.attempts = ports_attempts,
                                      .rounds = ports_rounds_max,
                                      .searches = ports_work / search})
            : links::negotiate_seats(table, best.packets, best.times, steps, seats_work / search);
    if (!found) return;
  }
}

// What no plan can beat.
std::uint32_t enough_for(const Request& request) {
  const Bound bound =
      has_memory_bits(request)
          ? lower_bound(*cube_of(request), request.map(), request.elements())
          : lower_bound(*cube_of(request), std::span<const std::uint64_t>(goals_of(request)),
                        request.elements());
  auto enough = static_cast<std::uint32_t>(bound.value);
  if (request.is_map())
    if (const auto flow = flow_bound(*cube_of(request), request.map(), request.elements()))
      enough = std::max(enough, static_cast<std::uint32_t>(flow->value));
  return enough;
}

// The best of several ways and times, then negotiated step by step towards the bound.
Routed balanced(const Request& request, std::uint32_t enough) {
  const int n = processor_bits(request);
  const LinkTable table = LinkTable::of_cube(n);
  Routed best = shortest(request);
  if (best.packets.empty()) return best;
  Random random(1991);
  for (const Detours detours : {Detours::none, Detours::one}) {
    Routed tried{best.packets, {}};
    links::balance_on_cube(n, tried.packets, detours);
    const std::uint64_t work = tried.packets.size() * best.times.steps;
    tried.times =
        few_ports(request)
            ? ports_times(table, tried.packets, ports_of(*cube_of(request)))
            : links::improve(
                  table, tried.packets,
                  rounds_for({.work = improve_work, .each = work, .most = improve_rounds_max}),
                  enough, random);
    if (tried.times.steps < best.times.steps) best = std::move(tried);
  }
  negotiate(*cube_of(request), table, enough, best);
  return best;
}

std::optional<std::string> refusal(const Request& request) {
  const Hypercube* cube = cube_of(request);
  if (request.destinations().empty()) return "it plans lists of destinations";
  if (request.get_if<Relation>() != nullptr)
    return "elements of a processor have destinations of their own";
  if (cube->dimensions > limits::list_routing_dimensions_max)
    return fmt::format("it lists every processor, of at most {} dimensions; this cube has {}",
                       limits::list_routing_dimensions_max, cube->dimensions);
  if (request.elements() > limits::list_routing_elements_max >>
      static_cast<unsigned>(cube->dimensions))
    return fmt::format("it lists every element, at most {} of the whole machine",
                       limits::list_routing_elements_max);
  return {};
}

std::optional<std::string> refusal_map(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  const int n = processor_bits(request);
  const int most = few_ports(request) ? limits::list_map_few_ports_dimensions_max
                                      : limits::list_map_few_elements_dimensions_max;
  if (n > most)
    return fmt::format("it lists every processor, of at most {} dimensions; this cube has {}", most,
                       n);
  // Ports are dearer to negotiate than links.
  const std::uint64_t listed = limits::list_map_elements_max / (few_ports(request) ? 2 : 1);
  if (n > limits::list_map_dimensions_max) {
    if (request.elements() > limits::list_map_few_elements_max)
      return fmt::format("on more than {} dimensions it lists at most {} elements of a processor",
                         limits::list_map_dimensions_max, limits::list_map_few_elements_max);
  } else if (request.elements() > listed >> static_cast<unsigned>(n)) {
    return fmt::format("it lists every element, at most {} of the whole machine", listed);
  }
  if (request.map().cut &&
      request.elements() > limits::list_map_addresses_max >> static_cast<unsigned>(n))
    return fmt::format("with memory bits it lists at most {} elements of the whole machine",
                       limits::list_map_addresses_max);
  return {};
}

// A rule for each move: it names every bit of its processor, and so fits into a larger cube's plan.
CubeStep rules_of(const CubeStep& step, int dimensions) {
  CubeStep rules;
  for (const Move& m : step.moves) {
    const Word across = m.from_processor ^ m.to_processor;
    rules.rules.push_back({only_at(m.from_processor, dimensions), m.from_slot,
                           across == 0 ? inside : lowest_bit(across), m.to_slot});
  }
  return rules;
}

Offer offer_of(const Request& request, std::string_view name, Routed found, const char* words) {
  const auto routed = std::make_shared<const Routed>(std::move(found));
  return {.estimate = {.cost = {routed->times.steps, words}},
          .push = [request, routed, name](ScheduleSink& sink) {
            const links::ListedSteps plan = listed(request, *routed);
            sink.begin(header_of(request, name, plan.slots));
            for (const CubeStep& step : plan.steps)
              if (!step.moves.empty())
                sink.step(request.is_map() ? rules_of(step, processor_bits(request)) : step);
            sink.finish();
          }};
}

Offer offer_shortest(const Request& request) {
  return offer_of(request, shortest_path_lists.name(), shortest(request),
                  "counted, ascending shortest paths");
}

// A search's luck depends on names: it is tried on mirrors of the representative of all, there and
// back, so that all maps of an orbit cost the same.
Offer offer_map(const Request& request) {
  using mirrors::Mirror;
  const Mirror whole = Mirror::representative(request);
  mirrors::Numbered numbered(whole, 1995, mirrors::Numbered::Names::mixed_for_two);
  const std::uint32_t enough = enough_for(request);
  Routed best;
  std::optional<Mirror> best_mirror;
  const std::uint64_t elements = request.elements()
                                 << static_cast<unsigned>(processor_bits(request));
  const std::uint64_t tried = std::min(maps_tried, maps_work / elements);
  for (std::uint64_t i = 0; i < tried && (!best_mirror || best.times.steps > enough); ++i) {
    const Mirror mirror = numbered.next();
    Routed found = balanced(mirror.question(), enough);
    if (best_mirror && best.times.steps <= found.times.steps) continue;
    best = std::move(found);
    best_mirror = mirror;
  }
  constexpr const char* words = "counted, paths and times negotiated";
  return best_mirror->taken_back(
      offer_of(best_mirror->question(), balanced_maps.name(), std::move(best), words),
      balanced_maps.name(), words);
}
Offer offer_balanced(const Request& request) {
  return offer_of(request, balanced_lists.name(), balanced(request, enough_for(request)),
                  "counted, paths and times negotiated");
}

}  // namespace

const PlannerEntry shortest_path_lists({
    .name = "shortest-path-lists",
    .machine = "cube",
    .title = "any permutation of processors, list scheduling over shortest paths",
    .needs = "a list of destinations, at most 10 dimensions",
    .cost = "counted",
    .refusal = refusal,
    .offer = offer_shortest,
});

const PlannerEntry balanced_lists({
    .name = "balanced-lists",
    .machine = "cube",
    .title =
        "any permutation of processors, paths over the emptiest links, paths and times negotiated",
    .needs = "a list of destinations, at most 10 dimensions",
    .cost = "counted; prices of links stand for the linear program of the best flow",
    .citation = "faro, after McMurchie, Ebeling 1995",
    .refusal = refusal,
    .offer = offer_balanced,
    .searches = true,
    .several_ports = true,
});

const PlannerEntry balanced_maps({
    .name = "balanced-maps",
    .machine = "cube",
    .title = "a small map as a list: paths over the emptiest links, paths and times negotiated",
    .needs = "a map of at most 7 processor bits, of 2^11 elements in all, 4 bits and 2^10 with few "
             "ports; "
             "of 8 and 9 bits with at most 8 elements each; with memory bits at most 2^10 in all",
    .cost = "counted",
    .citation = "faro, after McMurchie, Ebeling 1995",
    .refusal = refusal_map,
    .offer = offer_map,
    .searches = true,
    .finds_by_luck = true,
    .several_ports = true,
});

}  // namespace faro::inline v1
