#include "planners/cube/shuffle/planners.hpp"

#include <memory>

#include "machines/bounds.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/entries.hpp"
#include "planners/cube/shuffle/mixture.hpp"
#include "planners/cube/shuffle/ring.hpp"

namespace faro::inline v1 {
namespace {

using namespace shuffle;

constexpr const char* ours = "faro";
constexpr const char* paper_section_42 =
    "Johnsson, Ho 1991 (shuffles), section 4.2; overlapped by faro";

constexpr Condition one_cycle{[](const Structure& s) { return s.cycles.size() == 1; },
                              "there is more than one cycle"};
constexpr Condition two_dimensions{[](const Structure& s) { return s.cycles[0].length() >= 2; },
                                   "the cycle has one dimension"};
constexpr Condition even_pairs{[](const Structure& s) { return s.ring_only(); },
                               "there is a real cycle other than even ones of length two"};
constexpr Condition has_lanes{
    [](const Structure& s) { return lane_steps(s.cycles[0], 1).has_value(); },
    "lanes are for cycles of one, two, and with even parity three or four dimensions"};
constexpr Condition may_run_ahead{
    [](const Structure& s) { return ahead_applies(s.cycles[0], s.elements()); },
    "it needs a cycle of s >= 4 dimensions, complements of the other parity than s, 2K <= s"};
constexpr Condition more_than_pairs{[](const Structure& s) { return !s.ring_only(); },
                                    "the ring does it"};
constexpr Condition short_search{mixture_fits, "the search would take longer than a second"};
Count bound_of(const Request& request) {
  return lower_bound(std::get<Hypercube>(request.machine()), request.map(), request.elements())
      .value;
}

Estimate of_ring(const Structure& s) {
  return {{ring_steps(s), "ring: max(N, K/2) and at most a wait"}};
}

Estimate of_a1(const Structure& s) {
  return {{a1_ring_steps(s.cycles[0].length(), s.elements()), "max(K/2, s) + ceil(K/2s)"},
          table_3_a1(s)};
}

Estimate of_a2(const Structure& s) {
  return {{a2_ring_steps(s.cycles[0].length(), s.elements()), "max(K, s)"}, table_3_a2(s)};
}

Estimate of_lanes(const Structure& s) {
  Estimate estimate{{lane_steps(s.cycles[0], s.elements()).value(), "lanes"}};
  if (s.cycles[0].even_pair() && s.elements() >= 2)
    estimate.paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2^2)",
                                {ceil_div(s.elements(), 2) + 1, "K/2 + 1"}};
  return estimate;
}

Estimate of_ahead(const Structure& s) {
  return {{static_cast<Count>(s.cycles[0].length()) - 1, "s - 1"}};
}

Estimate of_sequence(const Structure& s) {
  return {{sequence_steps(s), "the ring, then each other cycle"}};
}

Estimate of_one_port(const Structure& s) {
  return {{one_port_steps(s), "K/2 for each dimension of a chain, K/2 (s + 1) a real cycle"}};
}

Offer mixture_offer(const Request& request) {
  const Structure s = structure_of(request);
  const auto found = std::make_shared<const Mixture>(mixture(s, bound_of(request)));
  return {.estimate = {{found->steps, "list schedule, counted"}},
          .push = [request, s, found](ScheduleSink& sink) {
            emit(s, {{s, found->phase}}, request, shuffle_mixture.name(), sink);
          }};
}

}  // namespace

const PlannerEntry shuffle_ring({
    .name = "shuffle-ring",
    .machine = "cube",
    .title = "pairs of elements walk a ring of all dimensions",
    .needs = "bit permutations whose real cycles are even and of length two; K >= 2, all ports",
    .cost = "one chain of m: max(m, K/2) + 1; several: at most max(N, K/2) + 2 with a spare bit",
    .citation = ours,
    .refusal = refused_unless<all_ports, something_remote, two_elements, even_pairs>,
    .estimate = estimated<of_ring>,
    .build = built<ring_phase, shuffle_ring>,
});

const PlannerEntry shuffle_a1({
    .name = "shuffle-a1",
    .machine = "cube",
    .title = "pairs of elements walk one real cycle with a storage bit",
    .needs = "one real cycle of s >= 2 dimensions, K >= 2, all ports",
    .cost = "max(K/2, s) + ceil(K/2s)",
    .citation = paper_section_42,
    .refusal = refused_unless<all_ports, something_remote, only_cycles, one_cycle, two_elements,
                              two_dimensions>,
    .estimate = estimated<of_a1>,
    .build = built<a1_ring_phase, shuffle_a1>,
});

const PlannerEntry shuffle_a2({
    .name = "shuffle-a2",
    .machine = "cube",
    .title = "single elements walk one real cycle, each with a free slot",
    .needs = "one real cycle of s >= 2 dimensions, all ports",
    .cost = "max(K, s), 2K slots",
    .citation = paper_section_42,
    .refusal = refused_unless<all_ports, something_remote, only_cycles, one_cycle, two_dimensions>,
    .estimate = estimated<of_a2>,
    .build = built<a2_ring_phase, shuffle_a2>,
});

const PlannerEntry shuffle_lanes({
    .name = "shuffle-lanes",
    .machine = "cube",
    .title = "fixed paths for each class of elements of a short real cycle",
    .needs = "one real cycle of one, two, or with even parity three or four dimensions, all ports",
    .cost =
        "complement K; even 2-cycle K/2 + 1; odd 2-cycle 3K/4; even cycle of 3 about 4K/7 + 1, of "
        "4 "
        "7K/12 + 3",
    .citation = "faro; even 2-cycle: Johnsson, Ho 1991 (shuffles), A2^2",
    .refusal = refused_unless<all_ports, something_remote, only_cycles, one_cycle, has_lanes>,
    .estimate = estimated<of_lanes>,
    .build = built<lanes_phase, shuffle_lanes>,
});

const PlannerEntry shuffle_ahead({
    .name = "shuffle-ahead",
    .machine = "cube",
    .title = "A2, one step ahead after the first idle operation",
    .needs = "one real cycle of s >= 4 dimensions, complements of the other parity, 2K <= s",
    .cost = "s - 1",
    .citation = ours,
    .refusal = refused_unless<all_ports, something_remote, only_cycles, one_cycle, may_run_ahead>,
    .estimate = estimated<of_ahead>,
    .build = built<ahead_phase, shuffle_ahead>,
});

const PlannerEntry shuffle_mixture({
    .name = "shuffle-mixture",
    .machine = "cube",
    .title = "chains and real cycles together by list scheduling",
    .needs = "a bit permutation with a real cycle other than even 2-cycles, K >= 2, all ports",
    .cost = "counted; at the lower bound for most",
    .citation = ours,
    .refusal =
        refused_unless<all_ports, something_remote, two_elements, more_than_pairs, short_search>,
    .offer = mixture_offer,
    .searches = true,
});

const PlannerEntry shuffle_sequence({
    .name = "shuffle-sequence",
    .machine = "cube",
    .title = "the ring, then one real cycle after another",
    .needs = "any permutation of bits with complements, all ports; optimal for K = 1",
    .cost = "the sum of its parts; K = 1: the largest distance",
    .citation = ours,
    .refusal = refused_unless<all_ports, something_remote>,
    .estimate = estimated<of_sequence>,
    .build = built<sequence_program, shuffle_sequence>,
});

const PlannerEntry shuffle_one_port({
    .name = "shuffle-one-port",
    .machine = "cube",
    .title = "one dimension a step, one pair of elements after another",
    .needs = "any permutation of bits with complements, one port",
    .cost = "K/2 a dimension of a chain; K a complement; K + 1 an even 2-cycle; K/2 (s+1) a cycle; "
            "even 3-cycle from K = 16: 12K/7 + 2",
    .citation = "Johnsson, Ho 1991 (shuffles), Tables 1 to 3; even cycles of two and three: faro",
    .refusal = refused_unless<one_port, something_remote>,
    .estimate = estimated<of_one_port>,
    .build = built<one_port_program, shuffle_one_port>,
});

}  // namespace faro::inline v1
