// Which structures each of them takes, and what it promises.
#include "planners/cube/shuffle/planners.hpp"

#include <memory>

#include "machines/bounds.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/entries.hpp"
#include "planners/cube/shuffle/mixture.hpp"
#include "planners/cube/shuffle/ring.hpp"

namespace faro::inline v1 {

// The first condition that a request fails.
std::optional<std::string> shuffle::first_refusal(
    const Request& request, Hypercube::Ports ports,
    std::initializer_list<const Condition*> conditions) {
  if (auto reason = refusal(request)) return reason;
  if (std::get<Hypercube>(request.machine()).ports != ports)
    return ports == all_ports ? "it uses all ports" : "it is for one port";
  const Structure s = structure_of(request);
  for (const Condition* condition : conditions)
    if (!condition->holds(s)) return condition->otherwise;
  return std::nullopt;
}

namespace {

using namespace shuffle;

constexpr Condition all_exchanged{[](const Structure& s) {
                                    return s.chains[0].length() == 1 &&
                                           static_cast<int>(s.chains.size()) == s.processor_bits;
                                  },
                                  "not every processor bit changes places with a memory bit"};
constexpr Condition even_pairs{[](const Structure& s) { return s.ring_only(); },
                               "there is a real cycle other than even ones of length two"};
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

Estimate of_all_to_all(const Structure& s) {
  return {.cost = {ring_steps(s), "max(n, K/2)"}};
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

const PlannerEntry all_to_all({
    .name = "all-to-all",
    .machine = "cube",
    .title = "all-to-all personalised communication: processor and memory bits change places",
    .needs =
        "every processor bit changes places with a memory bit, as i:n | m:n -> m | i; all ports",
    .cost = "max(n, K/2)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2",
    .refusal = refused_unless<all_ports, has_chains, only_chains, all_exchanged>,
    .estimate = estimated<of_all_to_all>,
    .build = built<ring_phase, all_to_all>,
});

const PlannerEntry shuffle_ring({
    .name = "shuffle-ring",
    .machine = "cube",
    .title = "pairs of elements walk a ring of all dimensions",
    .needs = "bit permutations whose real cycles are even and of length two; K >= 2, all ports",
    .cost = "one chain of m: max(m, K/2) + 1; several: at most max(N, K/2) + 2 with a spare bit",
    .refusal = refused_unless<all_ports, something_remote, two_elements, even_pairs>,
    .estimate = estimated<of_ring>,
    .build = built<ring_phase, shuffle_ring>,
});

const PlannerEntry shuffle_mixture({
    .name = "shuffle-mixture",
    .machine = "cube",
    .title = "chains and real cycles together by list scheduling",
    .needs = "a bit permutation with a real cycle other than even 2-cycles, K >= 2, all ports",
    .cost = "counted; at the lower bound for most",
    .refusal =
        refused_unless<all_ports, something_remote, two_elements, more_than_pairs, short_search>,
    .offer = mixture_offer,
    .searches = true,
    .of_mirrors = {.most = 4, .turn = 1},
});

const PlannerEntry shuffle_sequence({
    .name = "shuffle-sequence",
    .machine = "cube",
    .title = "the ring, then one real cycle after another",
    .needs = "any permutation of bits with complements, all ports; optimal for K = 1",
    .cost = "the sum of its parts; K = 1: the largest distance",
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
    .of_mirrors = {.most = 4, .turn = 1},
});

}  // namespace faro::inline v1
