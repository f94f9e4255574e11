// Bits in turn.   [faro]
//   applies:  every map of processor bits but code conversions, which have algorithms of their own;
//             one variant a port model
//   cost:     counted from the list schedule, about K + n and less for many bits; one port: the sum
//             over operations of the fuller lane               (tested n <= 10, 60; K <= 5000)
//   bound:    machines/bounds
#include "planners/cube/affine/bits_in_turn.hpp"

#include <fmt/format.h>

#include <memory>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {
namespace {

std::optional<std::string> refusal_for(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request, ports)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  if (code_conversion(split->processors)) return "code conversions have algorithms of their own";
  return {};
}

// Whole groups of elements are planned alike, and the rest of K beside them.
struct Groups {
  SplitMap split;
  std::uint64_t whole = 0;
  ExchangeOrder each = {};
  ExchangeOrder rest = {};
};

ExchangeOrder group_plan(const Request& request, const BitMap& map, std::uint64_t elements) {
  if (elements == 0) return {};
  return exchange_order(map.matrix(), std::vector<Word>(elements, map.complement()),
                        cube_of(request)->ports, Effort::full);
}

Groups groups_of(const Request& request) {
  Groups groups{.split = *split_map(request), .whole = request.elements() / exchange_group};
  const BitMap& map = groups.split.processors;
  groups.each = group_plan(request, map, groups.whole == 0 ? 0 : exchange_group);
  groups.rest = group_plan(request, map, request.elements() % exchange_group);
  return groups;
}

void build(const Request& request, const Groups& groups, std::string_view name,
           ScheduleSink& sink) {
  const std::uint64_t k = request.elements();
  sink.begin(cube_header(request, name, k));
  std::uint64_t first = 0;
  for (; first + exchange_group <= k; first += exchange_group)
    push_exchanges(groups.each, first, sink);
  if (first < k) push_exchanges(groups.rest, first, sink);
  push_slots(groups.split, k, sink);
  sink.finish();
}

Offer offer_as(const Request& request, std::string_view name) {
  const auto groups = std::make_shared<const Groups>(groups_of(request));
  const BitMap& map = groups->split.processors;
  const Count steps = Count{groups->whole} * groups->each.steps + groups->rest.steps;
  return {
      .estimate = {.cost = {steps,
                            fmt::format("counted, from {} row operations",
                                        operations_in_turn(map.matrix(), 0, map.width()).size())}},
      .push = [request, groups, name](ScheduleSink& sink) { build(request, *groups, name, sink); }};
}

std::optional<std::string> refusal_all(const Request& request) {
  return refusal_for(request, Hypercube::Ports::all);
}
std::optional<std::string> refusal_one(const Request& request) {
  return refusal_for(request, Hypercube::Ports::one);
}
Offer offer_all(const Request& request) {
  return offer_as(request, bits_in_turn.name());
}
Offer offer_one(const Request& request) {
  return offer_as(request, bits_in_turn_one_port.name());
}

}  // namespace

const PlannerEntry bits_in_turn({
    .name = "bits-in-turn",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn, two elements on a link",
    .needs = "a map whose processor bits depend on processor bits alone, no code conversion; "
             "all ports",
    .cost = "counted: about K + n steps, fewer with many bits",
    .citation = "faro",
    .refusal = refusal_all,
    .offer = offer_all,
    .searches = true,
});

const PlannerEntry bits_in_turn_one_port({
    .name = "bits-in-turn-one-port",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn on one dimension at a time",
    .needs = "a map whose processor bits depend on processor bits alone, no code conversion; "
             "one port",
    .cost = "counted: about nK steps, half of that where a bit serves all others",
    .citation = "faro",
    .refusal = refusal_one,
    .offer = offer_one,
    .searches = true,
});

}  // namespace faro::inline v1
