// The catalogue's entries of the paper's own algorithms.
#include <algorithm>

#include "planners/cube/shuffle/entries.hpp"
#include "planners/cube/shuffle/paper.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/shuffle/ring.hpp"

namespace faro::inline v1 {
namespace {

using namespace shuffle;

constexpr Condition spare_bit{[](const Structure& s) { return s.spare().has_value(); },
                              "it needs a storage bit beside the chains'"};
constexpr Condition equal_lengths{
    [](const Structure& s) {
      return std::all_of(s.chains.begin(), s.chains.end(),
                         [&](const Chain& c) { return c.length() == s.chains[0].length(); });
    },
    "the chains differ in length"};
constexpr Condition all_exchanged{[](const Structure& s) {
                                    return s.chains[0].length() == 1 &&
                                           static_cast<int>(s.chains.size()) == s.processor_bits;
                                  },
                                  "not every processor bit changes places with a memory bit"};
constexpr Condition one_long_cycle{
    [](const Structure& s) { return s.cycles.size() == 1 && s.cycles[0].length() >= 2; },
    "it needs one cycle of two or more processor bits"};

constexpr Condition two_with_spares{exchanges_concurrently,
                                    "it needs two chains of equal length without complements and "
                                    "two storage bits beside theirs"};

Estimate of_pipelined(const Structure& s) {
  const auto all = static_cast<Count>(s.distance());
  const std::vector<int> lengths = s.chain_lengths();
  const auto longest = static_cast<Count>(*std::max_element(lengths.begin(), lengths.end()));
  const Count k = s.elements();
  PaperCount paper{"Johnsson, Ho 1991 (shuffles), section 4.1.1", {k / 2 + all - 1, "K/2 + s - 1"}};
  if (lengths.size() > 1) {
    const bool few = k <= 2 * all;
    paper = {"Johnsson, Ho 1991 (shuffles), Table 2",
             {few ? ceil_div(k, 2 * lengths.size()) + all - 1 : k / 2 + longest - 1,
              few ? "ceil(K/2b) + s - 1" : "K/2 + max s - 1"}};
  }
  return {.cost = {finish_of(s, pipelined_phase(s)),
                   lengths.size() == 1 ? "K/2 + s - 1" : "pipelined, counted"},
          .paper = paper};
}

Estimate of_concurrent(const Structure& s) {
  const std::vector<int> lengths = s.chain_lengths();
  const Count k = s.elements();
  const Count steps = concurrent_plan(lengths, s.elements() / 2).steps;
  if (lengths.size() > 1) {
    Estimate estimate{{steps, "pipelined, at most max(N + 3, K/2 + 2)"}};
    // Unequal chains: the theorem's pipelining can be less than the bound, 8 for 4 1 with K = 16.
    const auto all = static_cast<Count>(s.distance());
    if (equal_lengths.holds(s) ||
        theorem_2(lengths, s.elements()).value >= std::max(all, k / 2 + 1))
      estimate.paper =
          PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 2", theorem_2(lengths, s.elements())};
    return estimate;
  }
  return {.cost = {steps, "min(K/2 + s - 1, max(s + 3, K/2 + 2))"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 1",
                              {theorem_1(lengths[0], s.elements()),
                               lengths[0] <= 3 || k <= 8 ? "K/2 + s - 1" : "max(s + 3, K/2 + 2)"}}};
}

Estimate of_by_exchange(const Structure& s) {
  const auto chains = static_cast<Count>(s.chains.size());
  const auto all = static_cast<Count>(s.distance());
  const Count jobs = s.elements() / 2;
  const Count steps = finish_of(s, by_exchange_phase(s));
  if (!equal_lengths.holds(s)) return {.cost = {steps, "counted"}};
  // A last group with fewer jobs than chains still runs through all chains.
  return {.cost = {steps, "b ceil(K/2b) + N - b"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 2 (pipelined AAPC)",
                              {jobs + all - chains, "K/2 + N - b"}}};
}

// Section 4.1.2, its three cases for two chains.
Estimate of_concurrent_exchange(const Structure& s) {
  const auto all = static_cast<Count>(s.distance());
  const Count k = s.elements();
  Formula paper{k / 2 + all - 2, "K/2 + N - b"};
  if (all >= 8 && k > 16)
    paper = k <= 2 * (all + 2) ? Formula{all + 6, "N + 3b"} : Formula{k / 2 + 4, "K/2 + 2b"};
  return {.cost = {concurrent_exchange_steps(s), "min(K/2 + N - b, max(N + 3b, K/2 + 2b))"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), section 4.1.2 (AAPC)", paper}};
}

Estimate of_all_to_all(const Structure& s) {
  return {.cost = {ring_steps(s), "max(n, K/2)"}};
}

Estimate of_real_a1(const Structure& s) {
  const PaperCount paper = table_3_a1(s);
  return {.cost = paper.formula, .paper = paper};
}

Estimate of_real_a2(const Structure& s) {
  const PaperCount paper = table_3_a2(s);
  return {.cost = paper.formula, .paper = paper};
}

Estimate of_real_a1_one_port(const Structure& s) {
  const Formula f{(static_cast<Count>(s.cycles[0].length()) + 1) * s.elements() / 2, "(s + 1) K/2"};
  return {.cost = f,
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A1, one port)", f}};
}

Estimate of_real_a2_one_port(const Structure& s) {
  const Formula f{static_cast<Count>(s.cycles[0].length()) * s.elements(), "s K"};
  return {.cost = f,
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2, one port)", f}};
}

}  // namespace

const PlannerEntry shuffle_pipelined({
    .name = "shuffle-pipelined",
    .machine = "cube",
    .title = "every pair of elements starts in the first dimension of a chain",
    .needs = "chains and no real cycle, all ports",
    .cost = "one chain: K/2 + s - 1; several: counted",
    .citation = "Johnsson, Ho 1991 (shuffles), sections 4.1.1 and 4.1.2, Figures 2 and 8",
    .refusal = refused_unless<all_ports, has_chains, only_chains>,
    .estimate = estimated<of_pipelined>,
    .build = built<pipelined_phase, shuffle_pipelined>,
});

const PlannerEntry shuffle_concurrent({
    .name = "shuffle-concurrent",
    .machine = "cube",
    .title = "some pairs start inside a chain with an extra storage bit",
    .needs = "chains and no real cycle, a storage bit beside theirs, all ports",
    .cost = "max(N + 3, K/2 + 2), pipelined where that is less; one chain: N = s",
    .citation = "Johnsson, Ho 1991 (shuffles), Theorems 1 and 2, Figures 5 and 9",
    .refusal = refused_unless<all_ports, has_chains, only_chains, spare_bit>,
    .estimate = estimated<of_concurrent>,
    .build = built<concurrent_phase, shuffle_concurrent>,
});

const PlannerEntry shuffle_by_exchange({
    .name = "shuffle-by-exchange",
    .machine = "cube",
    .title = "chains, one all-to-all personalised communication after another",
    .needs = "chains and no real cycle, all ports",
    .cost = "b ceil(K/2b) + N - b for equal lengths, else counted",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2 (AAPC)",
    .refusal = refused_unless<all_ports, has_chains, only_chains>,
    .estimate = estimated<of_by_exchange>,
    .build = built<by_exchange_phase, shuffle_by_exchange>,
});

const PlannerEntry shuffle_by_exchange_concurrent({
    .name = "shuffle-by-exchange-concurrent",
    .machine = "cube",
    .title = "the same for two chains, some pairs begin in a later round with spare bits",
    .needs =
        "two chains of equal length, no complements, two storage bits beside theirs, all ports",
    .cost = "min(K/2 + N - b, max(N + 3b, K/2 + 2b)), b = 2",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2 (AAPC)",
    .refusal = refused_unless<all_ports, has_chains, only_chains, two_with_spares>,
    .estimate = estimated<of_concurrent_exchange>,
    .build = built<concurrent_exchange_phase, shuffle_by_exchange_concurrent>,
});

const PlannerEntry all_to_all({
    .name = "all-to-all",
    .machine = "cube",
    .title = "all-to-all personalised communication: processor and memory bits change places",
    .needs =
        "every processor bit changes places with a memory bit, as i:n | m:n -> m | i; all ports",
    .cost = "max(n, K/2)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2",
    .refusal = refused_unless<all_ports, has_chains, only_chains, equal_lengths, all_exchanged>,
    .estimate = estimated<of_all_to_all>,
    .build = built<ring_phase, all_to_all>,
});

const PlannerEntry real_a1({
    .name = "real-a1",
    .machine = "cube",
    .title = "algorithm A1: rounds of s pairs along a real cycle",
    .needs = "one real cycle of s >= 2 dimensions, K >= 2, all ports",
    .cost = "(s + 1) ceil(K/2s)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = refused_unless<all_ports, only_cycles, one_long_cycle, two_elements>,
    .estimate = estimated<of_real_a1>,
    .build = built<real_a1_phase, real_a1>,
});

const PlannerEntry real_a2({
    .name = "real-a2",
    .machine = "cube",
    .title = "algorithm A2: rounds of s elements along a real cycle, twice the memory",
    .needs = "one real cycle of s >= 2 dimensions, all ports",
    .cost = "s ceil(K/s)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = refused_unless<all_ports, only_cycles, one_long_cycle>,
    .estimate = estimated<of_real_a2>,
    .build = built<real_a2_phase, real_a2>,
});

const PlannerEntry real_a1_one_port({
    .name = "real-a1-one-port",
    .machine = "cube",
    .title = "algorithm A1, pair after pair, one dimension a step",
    .needs = "one real cycle of s >= 2 dimensions, K >= 2, one port",
    .cost = "(s + 1) K/2",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = refused_unless<one_port, only_cycles, one_long_cycle, two_elements>,
    .estimate = estimated<of_real_a1_one_port>,
    .build = built<real_a1_one_port_phase, real_a1_one_port>,
});

const PlannerEntry real_a2_one_port({
    .name = "real-a2-one-port",
    .machine = "cube",
    .title = "algorithm A2, one dimension a step",
    .needs = "one real cycle of s >= 2 dimensions, one port",
    .cost = "s K",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = refused_unless<one_port, only_cycles, one_long_cycle>,
    .estimate = estimated<of_real_a2_one_port>,
    .build = built<real_a2_one_port_phase, real_a2_one_port>,
});

}  // namespace faro::inline v1
