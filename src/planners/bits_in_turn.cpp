// Bits in turn.   [faro]
//   applies:  every map of processor bits but code conversions, which have algorithms of their own;
//             one variant a port model
//   cost:     counted from the list schedule, about K + n and less for many bits; one port: the sum
//             over operations of the fuller lane               (tested n <= 10, 60; K <= 5000)
//   bound:    machines/bounds
#include "faro/planners/bits_in_turn.hpp"

#include <fmt/format.h>

#include "exchange_lanes.hpp"
#include "faro/planners/code_fields.hpp"
#include "faro/planners/cube_request.hpp"
#include "faro/planners/step_source.hpp"

namespace faro {
namespace {

std::optional<std::string> refusal_for(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request, ports)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  if (code_conversion(split->processors)) return "code conversions have algorithms of their own";
  return {};
}

std::shared_ptr<const ExchangePlan> group_plan(const Request& request, const BitMap& map,
                                               std::uint64_t elements) {
  return found_once(request.workings, fmt::format("bits-in-turn {}", elements), [&] {
    return exchange_plan(map.matrix(), std::vector<Word>(elements, map.complement()),
                         cube_of(request)->ports, Effort::full);
  });
}

Estimate estimate(const Request& request) {
  const BitMap map = split_map(request)->processors;
  const std::uint64_t groups = request.elements / exchange_group;
  const std::uint64_t rest = request.elements % exchange_group;
  Count steps = 0;
  if (groups != 0)
    steps = multiply_checked(groups, group_plan(request, map, exchange_group)->steps);
  if (rest != 0) steps += group_plan(request, map, rest)->steps;
  return {.cost = {steps, fmt::format("counted, from {} row operations",
                                      operations_in_turn(map.matrix(), 0, map.width()).size())}};
}

void build_as(const Request& request, const char* name, ScheduleSink& sink) {
  const SplitMap split = *split_map(request);
  const std::uint64_t k = request.elements;
  sink.begin(cube_header(request, name, k));
  std::shared_ptr<const ExchangePlan> whole;
  std::uint64_t first = 0;
  for (; first + exchange_group <= k; first += exchange_group) {
    if (!whole) whole = group_plan(request, split.processors, exchange_group);
    push_exchanges(*whole, first, sink);
  }
  if (first < k) push_exchanges(*group_plan(request, split.processors, k - first), first, sink);
  push_slots(split, k, sink);
  sink.finish();
}

std::optional<std::string> refusal_all(const Request& request) {
  return refusal_for(request, Hypercube::Ports::all);
}
std::optional<std::string> refusal_one(const Request& request) {
  return refusal_for(request, Hypercube::Ports::one);
}
void build_all(const Request& request, ScheduleSink& sink) {
  build_as(request, bits_in_turn.name, sink);
}
void build_one(const Request& request, ScheduleSink& sink) {
  build_as(request, bits_in_turn_one_port.name, sink);
}

}  // namespace

const Planner bits_in_turn{
    .name = "bits-in-turn",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn, two elements on a link",
    .needs =
        "a map whose processor bits depend on processor bits alone, no code conversion; "
        "all ports",
    .cost = "counted: about K + n steps, fewer with many bits",
    .citation = "faro",
    .refusal = refusal_all,
    .estimate = estimate,
    .build = build_all,
};

const Planner bits_in_turn_one_port{
    .name = "bits-in-turn-one-port",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn on one dimension at a time",
    .needs =
        "a map whose processor bits depend on processor bits alone, no code conversion; "
        "one port",
    .cost = "counted: about nK steps, half of that where a bit serves all others",
    .citation = "faro",
    .refusal = refusal_one,
    .estimate = estimate,
    .build = build_one,
};

}  // namespace faro
