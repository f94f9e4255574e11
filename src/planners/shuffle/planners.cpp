#include "faro/planners/shuffle/planners.hpp"

#include <fmt/format.h>

#include "faro/machines/bounds/bounds.hpp"
#include "faro/planners/cube_request.hpp"
#include "faro/planners/shuffle/cycles.hpp"
#include "faro/planners/shuffle/mixture.hpp"
#include "faro/planners/shuffle/ring.hpp"
#include "faro/planners/shuffle/router.hpp"

namespace faro {
namespace {

using shuffle::Structure;

constexpr const char* ours = "faro";
constexpr const char* paper_section_42 =
    "Johnsson, Ho 1991 (shuffles), section 4.2; overlapped by faro";

std::optional<std::string> refusal_with(const Request& request, Hypercube::Ports ports) {
  if (auto reason = shuffle::refusal(request)) return reason;
  if (std::get<Hypercube>(request.machine).ports != ports)
    return ports == Hypercube::Ports::all ? "it uses all ports" : "it is for one port";
  if (shuffle::structure_of(request).nothing_remote()) return "nothing moves between processors";
  return std::nullopt;
}

std::optional<std::string> all_ports(const Request& request) {
  return refusal_with(request, Hypercube::Ports::all);
}

Count bound_of(const Request& request) {
  return lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value;
}

// One real cycle and no chain.
std::optional<std::string> lone_cycle(const Request& request) {
  if (auto reason = all_ports(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (!s.chains.empty()) return "storage bits take part";
  if (s.cycles.size() != 1) return "there is more than one cycle";
  return std::nullopt;
}

std::optional<std::string> ring_refusal(const Request& request) {
  if (auto reason = all_ports(request)) return reason;
  if (request.elements < 2) return "it needs two elements in a processor";
  if (!shuffle::structure_of(request).ring_only())
    return "there is a real cycle other than even ones of length two";
  return std::nullopt;
}

std::optional<std::string> a1_refusal(const Request& request) {
  if (auto reason = lone_cycle(request)) return reason;
  if (request.elements < 2) return "it needs two elements in a processor";
  if (shuffle::structure_of(request).cycles[0].length() < 2) return "the cycle has one dimension";
  return std::nullopt;
}

std::optional<std::string> a2_refusal(const Request& request) {
  if (auto reason = lone_cycle(request)) return reason;
  if (shuffle::structure_of(request).cycles[0].length() < 2) return "the cycle has one dimension";
  return std::nullopt;
}

std::optional<std::string> lanes_refusal(const Request& request) {
  if (auto reason = lone_cycle(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (!shuffle::lane_steps(s.cycles[0], 1))
    return "lanes are for cycles of one, two, and with even parity three or four dimensions";
  return std::nullopt;
}

std::optional<std::string> ahead_refusal(const Request& request) {
  if (auto reason = lone_cycle(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (!shuffle::ahead_applies(s.cycles[0], request.elements))
    return "it needs a cycle of s >= 4 dimensions, complements of the other parity than s, 2K <= s";
  return std::nullopt;
}

std::optional<std::string> one_port_refusal(const Request& request) {
  return refusal_with(request, Hypercube::Ports::one);
}

Estimate ring_estimate(const Request& request) {
  const Structure s = shuffle::structure_of(request);
  Estimate estimate{.cost = {shuffle::ring_steps(s), "ring: max(N, K/2) and at most a wait"},
                    .paper = std::nullopt};
  return estimate;
}

Estimate a1_estimate(const Request& request) {
  const int length = shuffle::structure_of(request).cycles[0].length();
  const auto s = static_cast<Count>(length);
  return {.cost = {shuffle::a1_ring_steps(length, request.elements), "max(K/2, s) + ceil(K/2s)"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A1)",
                              {(s + 1) * ceil_div(request.elements, 2 * s), "(s + 1) ceil(K/2s)"}}};
}

Estimate a2_estimate(const Request& request) {
  const int length = shuffle::structure_of(request).cycles[0].length();
  const auto s = static_cast<Count>(length);
  return {.cost = {shuffle::a2_ring_steps(length, request.elements), "max(K, s)"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2)",
                              {s * ceil_div(request.elements, s), "s ceil(K/s)"}}};
}

Estimate lanes_estimate(const Request& request) {
  const Structure s = shuffle::structure_of(request);
  const shuffle::Cycle& cycle = s.cycles[0];
  Estimate estimate{.cost = {shuffle::lane_steps(cycle, request.elements).value(), "lanes"},
                    .paper = std::nullopt};
  if (cycle.even_pair() && request.elements >= 2)
    estimate.paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2^2)",
                                {ceil_div(request.elements, 2) + 1, "K/2 + 1"}};
  return estimate;
}

Estimate ahead_estimate(const Request& request) {
  const int length = shuffle::structure_of(request).cycles[0].length();
  return {.cost = {static_cast<Count>(length) - 1, "s - 1"}, .paper = std::nullopt};
}

Estimate sequence_estimate(const Request& request) {
  return {.cost = {shuffle::sequence_steps(shuffle::structure_of(request)),
                   "the ring, then each other cycle"},
          .paper = std::nullopt};
}

Estimate one_port_estimate(const Request& request) {
  return {.cost = {shuffle::one_port_steps(shuffle::structure_of(request)),
                   "K/2 for each dimension of a chain, K/2 (s + 1) a real cycle"},
          .paper = std::nullopt};
}

std::optional<std::string> mixture_refusal(const Request& request) {
  if (auto reason = all_ports(request)) return reason;
  if (request.elements < 2) return "it needs two elements in a processor";
  const Structure s = shuffle::structure_of(request);
  if (s.ring_only()) return "the ring does it";
  if (!shuffle::mixture_fits(s)) return "the search would take longer than a second";
  return std::nullopt;
}

shuffle::Mixture mixture_of(const Request& request) {
  return shuffle::mixture(shuffle::structure_of(request), bound_of(request));
}

Estimate mixture_estimate(const Request& request) {
  return {.cost = {mixture_of(request).steps, "list schedule, counted"}, .paper = std::nullopt};
}

void mixture_build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, {{s, mixture_of(request).phase}}, request, shuffle_mixture.name, sink);
}

std::optional<std::string> router_refusal(const Request& request) {
  if (auto reason = all_ports(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (!shuffle::router_fits(s))
    return "it needs 2 <= K <= 4a and 2^a K <= 2^12, a dimensions that take part";
  if (s.ring_only() && shuffle::ring_steps(s) <= bound_of(request))
    return "the ring meets the bound";
  return std::nullopt;
}

shuffle::Routing routing_of(const Request& request) {
  return shuffle::route(shuffle::structure_of(request), bound_of(request));
}

Estimate router_estimate(const Request& request) {
  return {.cost = {routing_of(request).steps, "routed, counted"}, .paper = std::nullopt};
}

void router_build(const Request& request, ScheduleSink& sink) {
  std::uint64_t slots = 0;
  const auto steps =
      shuffle::routed_steps(shuffle::structure_of(request), routing_of(request), slots);
  sink.begin(cube_header(request, shuffle_router.name, slots));
  for (const CubeStep& step : steps) sink.step(step);
  sink.finish();
}

void ring_build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, {{s, shuffle::ring_phase(s)}}, request, shuffle_ring.name, sink);
}

template <shuffle::Phase (*make)(const Structure&), const Planner& planner>
void cycle_build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, {{s, make(s)}}, request, planner.name, sink);
}

void sequence_build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, shuffle::sequence_program(s), request, shuffle_sequence.name, sink);
}

void one_port_build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, shuffle::one_port_program(s), request, shuffle_one_port.name, sink);
}

}  // namespace

const Planner shuffle_ring = {
    .name = "shuffle-ring",
    .machine = "cube",
    .title = "pairs of elements walk a ring of all dimensions",
    .needs = "bit permutations whose real cycles are even and of length two; K >= 2, all ports",
    .cost = "one chain of m: max(m, K/2) + 1; several: at most max(N, K/2) + 2 with a spare bit",
    .citation = ours,
    .refusal = ring_refusal,
    .estimate = ring_estimate,
    .build = ring_build,
};

const Planner shuffle_a1 = {
    .name = "shuffle-a1",
    .machine = "cube",
    .title = "pairs of elements walk one real cycle with a storage bit",
    .needs = "one real cycle of s >= 2 dimensions, K >= 2, all ports",
    .cost = "max(K/2, s) + ceil(K/2s)",
    .citation = paper_section_42,
    .refusal = a1_refusal,
    .estimate = a1_estimate,
    .build = cycle_build<shuffle::a1_ring_phase, shuffle_a1>,
};

const Planner shuffle_a2 = {
    .name = "shuffle-a2",
    .machine = "cube",
    .title = "single elements walk one real cycle, each with a free slot",
    .needs = "one real cycle of s >= 2 dimensions, all ports",
    .cost = "max(K, s), 2K slots",
    .citation = paper_section_42,
    .refusal = a2_refusal,
    .estimate = a2_estimate,
    .build = cycle_build<shuffle::a2_ring_phase, shuffle_a2>,
};

const Planner shuffle_lanes = {
    .name = "shuffle-lanes",
    .machine = "cube",
    .title = "fixed paths for each class of elements of a short real cycle",
    .needs = "one real cycle of one, two, or with even parity three or four dimensions, all ports",
    .cost =
        "complement K; even 2-cycle K/2 + 1; odd 2-cycle 3K/4; even cycle of 3 about 4K/7 + 1, of "
        "4 "
        "7K/12 + 3",
    .citation = "faro; even 2-cycle: Johnsson, Ho 1991 (shuffles), A2^2",
    .refusal = lanes_refusal,
    .estimate = lanes_estimate,
    .build = cycle_build<shuffle::lanes_phase, shuffle_lanes>,
};

const Planner shuffle_ahead = {
    .name = "shuffle-ahead",
    .machine = "cube",
    .title = "A2, one step ahead after the first idle operation",
    .needs = "one real cycle of s >= 4 dimensions, complements of the other parity, 2K <= s",
    .cost = "s - 1",
    .citation = ours,
    .refusal = ahead_refusal,
    .estimate = ahead_estimate,
    .build = cycle_build<shuffle::ahead_phase, shuffle_ahead>,
};

const Planner shuffle_mixture = {
    .name = "shuffle-mixture",
    .machine = "cube",
    .title = "chains and real cycles together by list scheduling",
    .needs = "a bit permutation with a real cycle other than even 2-cycles, K >= 2, all ports",
    .cost = "counted; at the lower bound for most",
    .citation = ours,
    .refusal = mixture_refusal,
    .estimate = mixture_estimate,
    .build = mixture_build,
};

const Planner shuffle_router = {
    .name = "shuffle-router",
    .machine = "cube",
    .title = "each element on shortest paths, links negotiated",
    .needs =
        "a bit permutation of few elements: 2 <= K <= 4a, 2^a K <= 2^12, a dimensions; all ports",
    .cost = "counted; at the lower bound for most",
    .citation = ours,
    .refusal = router_refusal,
    .estimate = router_estimate,
    .build = router_build,
};

const Planner shuffle_sequence = {
    .name = "shuffle-sequence",
    .machine = "cube",
    .title = "the ring, then one real cycle after another",
    .needs = "any permutation of bits with complements, all ports; optimal for K = 1",
    .cost = "the sum of its parts; K = 1: the largest distance",
    .citation = ours,
    .refusal = all_ports,
    .estimate = sequence_estimate,
    .build = sequence_build,
};

const Planner shuffle_one_port = {
    .name = "shuffle-one-port",
    .machine = "cube",
    .title = "one dimension a step, one pair of elements after another",
    .needs = "any permutation of bits with complements, one port",
    .cost =
        "K/2 a dimension of a chain; K a complement; K + 1 an even 2-cycle; K/2 (s+1) a cycle; "
        "even 3-cycle from K = 16: 12K/7 + 2",
    .citation = "Johnsson, Ho 1991 (shuffles), Tables 1 to 3; even cycles of two and three: faro",
    .refusal = one_port_refusal,
    .estimate = one_port_estimate,
    .build = one_port_build,
};

}  // namespace faro
