// Bits in turn.   [faro]
//   applies:  every map of processor bits but code conversions, which have algorithms of their own;
//             one variant a port model
//   cost:     counted from the list schedule, about K + n and less for many bits; one port: the sum
//             over operations of the fuller lane               (tested n <= 10, 60; K <= 5000)
//   bound:    machines/bounds
#include "planners/cube/affine/bits_in_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"

namespace faro::inline v1 {
namespace {

template <Hypercube::Ports ports>
std::optional<std::string> refusal_bits_in_turn(const Request& request) {
  if (auto why = cube_refusal(request, ports)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  if (code_conversion(split->processors)) return "code conversions have algorithms of their own";
  return {};
}

// Whole groups of elements are planned alike, and the rest of K; one group after the other.
Offer offer_bits_in_turn_as(const Request& request, std::string_view name) {
  const BitMap map = split_map(request)->processors;
  const auto planned = [&](std::uint64_t elements) {
    if (elements == 0) return std::make_shared<const ExchangeOrder>();
    return std::make_shared<const ExchangeOrder>(exchange_order(
        map.matrix(), std::vector<Word>(elements, map.complement()), cube_of(request)->ports));
  };
  const std::uint64_t whole = request.elements() / exchange_group;
  const auto each = planned(whole == 0 ? 0 : exchange_group);
  const auto rest = planned(request.elements() % exchange_group);
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    const std::uint64_t group = each->steps == 0 ? whole : std::min(t / each->steps, whole);
    add_exchanges(group < whole ? *each : *rest, t - group * each->steps, group * exchange_group,
                  out);
  };
  return offer_of(request, name,
                  node_of(name, {.slots = request.elements(),
                                 .steps = whole * each->steps + rest->steps,
                                 .make = make}),
                  fmt::format("counted, from {} row operations",
                              operations_in_turn(map.matrix(), 0, map.width()).size()));
}

template <const PlannerEntry* planner>
Offer offer_bits_in_turn(const Request& request) {
  return offer_bits_in_turn_as(request, planner->name());
}

}  // namespace

const PlannerEntry bits_in_turn({
    .name = "bits-in-turn",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn, two elements on a link",
    .needs = "a map whose processor bits depend on processor bits alone, no code conversion; "
             "all ports",
    .cost = "counted: about K + n steps, fewer with many bits",
    .refusal = refusal_bits_in_turn<Hypercube::Ports::all>,
    .offer = offer_bits_in_turn<&bits_in_turn>,
    .searches = true,
    .of_mirrors = {.most = 40},
});

const PlannerEntry bits_in_turn_one_port({
    .name = "bits-in-turn-one-port",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn on one dimension at a time",
    .needs = "a map whose processor bits depend on processor bits alone, no code conversion; "
             "one port",
    .cost = "counted: about nK steps, half of that where a bit serves all others",
    .refusal = refusal_bits_in_turn<Hypercube::Ports::one>,
    .offer = offer_bits_in_turn<&bits_in_turn_one_port>,
    .searches = true,
    .of_mirrors = {.most = 40},
});

}  // namespace faro::inline v1
