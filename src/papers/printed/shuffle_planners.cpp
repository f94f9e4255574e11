// The catalogue's entries of the paper's own algorithms.
#include <algorithm>

#include "papers/printed/printed.hpp"
#include "papers/printed/shuffle.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/entries.hpp"
#include "planners/cube/shuffle/structure.hpp"

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
constexpr Condition one_long_cycle{
    [](const Structure& s) { return s.cycles.size() == 1 && s.cycles[0].length() >= 2; },
    "it needs one cycle of two or more processor bits"};

constexpr Condition two_with_spares{exchanges_concurrently,
                                    "it needs two chains of equal length without complements and "
                                    "two storage bits beside theirs"};

// Section 4.1.1 and Table 2.
PaperCount pipelined_count(const Structure& s) {
  const auto all = static_cast<Count>(s.distance());
  const std::vector<int> lengths = s.chain_lengths();
  const Count k = s.elements();
  if (lengths.size() == 1)
    return {"Johnsson, Ho 1991 (shuffles), section 4.1.1", {k / 2 + all - 1, "K/2 + s - 1"}};
  const auto longest = static_cast<Count>(*std::max_element(lengths.begin(), lengths.end()));
  const bool few = k <= 2 * all;
  return {"Johnsson, Ho 1991 (shuffles), Table 2",
          {few ? ceil_div(k, 2 * lengths.size()) + all - 1 : k / 2 + longest - 1,
           few ? "ceil(K/2b) + s - 1" : "K/2 + max s - 1"}};
}

std::optional<PaperCount> concurrent_count(const Structure& s) {
  const std::vector<int> lengths = s.chain_lengths();
  const Count k = s.elements();
  if (lengths.size() == 1)
    return PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 1",
                      {theorem_1(lengths[0], s.elements()),
                       lengths[0] <= 3 || k <= 8 ? "K/2 + s - 1" : "max(s + 3, K/2 + 2)"}};
  // Unequal chains: the theorem's pipelining can be less than the bound, 8 for 4 1 with K = 16.
  const auto all = static_cast<Count>(s.distance());
  if (!equal_lengths.holds(s) && theorem_2(lengths, s.elements()).value < std::max(all, k / 2 + 1))
    return {};
  return PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 2", theorem_2(lengths, s.elements())};
}

// A last group with fewer jobs than chains still runs through all chains.
std::optional<PaperCount> by_exchange_count(const Structure& s) {
  if (!equal_lengths.holds(s)) return {};
  return PaperCount{
      "Johnsson, Ho 1991 (shuffles), Table 2 (pipelined AAPC)",
      {s.elements() / 2 + static_cast<Count>(s.distance()) - static_cast<Count>(s.chains.size()),
       "K/2 + N - b"}};
}

// Section 4.1.2, its three cases for two chains.
PaperCount concurrent_exchange_count(const Structure& s) {
  const auto all = static_cast<Count>(s.distance());
  const Count k = s.elements();
  Formula paper{k / 2 + all - 2, "K/2 + N - b"};
  if (all >= 8 && k > 16)
    paper = k <= 2 * (all + 2) ? Formula{all + 6, "N + 3b"} : Formula{k / 2 + 4, "K/2 + 2b"};
  return {"Johnsson, Ho 1991 (shuffles), section 4.1.2 (AAPC)", paper};
}

// Table 3: what an algorithm along one cycle of s dimensions counts.
struct CycleCount {
  const char* citation;
  const char* text;
  Count (*steps)(Count s, Count k);
};
constexpr CycleCount a1{"Johnsson, Ho 1991 (shuffles), Table 3 (A1)", "(s + 1) ceil(K/2s)",
                        [](Count s, Count k) { return (s + 1) * ceil_div(k, 2 * s); }};
constexpr CycleCount a2{"Johnsson, Ho 1991 (shuffles), Table 3 (A2)", "s ceil(K/s)",
                        [](Count s, Count k) { return s * ceil_div(k, s); }};
constexpr CycleCount a2_squared{"Johnsson, Ho 1991 (shuffles), Table 3 (A2^2)", "K/2 + 1",
                                [](Count, Count k) { return ceil_div(k, 2) + 1; }};
constexpr CycleCount a1_one_port{"Johnsson, Ho 1991 (shuffles), Table 3 (A1, one port)",
                                 "(s + 1) K/2", [](Count s, Count k) { return (s + 1) * k / 2; }};
constexpr CycleCount a2_one_port{"Johnsson, Ho 1991 (shuffles), Table 3 (A2, one port)", "s K",
                                 [](Count s, Count k) { return s * k; }};

PaperCount count_of(const CycleCount& count, const Structure& s) {
  const auto length = static_cast<Count>(s.cycles[0].length());
  return {count.citation, {count.steps(length, s.elements()), count.text}};
}

// An entry of such an algorithm: its cost is what the paper counts.
template <const CycleCount& count>
Estimate as_printed(const Structure& s) {
  const PaperCount printed = count_of(count, s);
  return {.cost = printed.formula, .paper = printed};
}
template <const CycleCount& count, Phase (*phase)(const Structure&), const PlannerEntry& planner,
          Hypercube::Ports ports, const Condition&... more>
constexpr PlannerEntry::Parts along_a_cycle(const char* name, const char* title,
                                            const char* needs) {
  return {.name = name,
          .machine = "cube",
          .title = title,
          .needs = needs,
          .cost = count.text,
          .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
          .refusal = refused_unless<ports, only_cycles, one_long_cycle, more...>,
          .estimate = estimated<as_printed<count>>,
          .build = built<phase, planner>};
}

Estimate of_pipelined(const Structure& s) {
  return {.cost = {finish_of(s, pipelined_phase(s)),
                   s.chains.size() == 1 ? "K/2 + s - 1" : "pipelined, counted"},
          .paper = pipelined_count(s)};
}

Estimate of_concurrent(const Structure& s) {
  const Count steps = concurrent_plan(s.chain_lengths(), s.elements() / 2).steps;
  return {.cost = {steps, s.chains.size() == 1 ? "min(K/2 + s - 1, max(s + 3, K/2 + 2))"
                                               : "pipelined, at most max(N + 3, K/2 + 2)"},
          .paper = concurrent_count(s)};
}

Estimate of_by_exchange(const Structure& s) {
  return {.cost = {finish_of(s, by_exchange_phase(s)),
                   equal_lengths.holds(s) ? "b ceil(K/2b) + N - b" : "counted"},
          .paper = by_exchange_count(s)};
}

Estimate of_concurrent_exchange(const Structure& s) {
  return {.cost = {concurrent_exchange_steps(s), "min(K/2 + N - b, max(N + 3b, K/2 + 2b))"},
          .paper = concurrent_exchange_count(s)};
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

const PlannerEntry real_a1(along_a_cycle<a1, real_a1_phase, real_a1, all_ports, two_elements>(
    "real-a1", "algorithm A1: rounds of s pairs along a real cycle",
    "one real cycle of s >= 2 dimensions, K >= 2, all ports"));
const PlannerEntry real_a2(along_a_cycle<a2, real_a2_phase, real_a2, all_ports>(
    "real-a2", "algorithm A2: rounds of s elements along a real cycle, twice the memory",
    "one real cycle of s >= 2 dimensions, all ports"));
const PlannerEntry real_a1_one_port(
    along_a_cycle<a1_one_port, real_a1_one_port_phase, real_a1_one_port, one_port, two_elements>(
        "real-a1-one-port", "algorithm A1, pair after pair, one dimension a step",
        "one real cycle of s >= 2 dimensions, K >= 2, one port"));
const PlannerEntry real_a2_one_port(
    along_a_cycle<a2_one_port, real_a2_one_port_phase, real_a2_one_port, one_port>(
        "real-a2-one-port", "algorithm A2, one dimension a step",
        "one real cycle of s >= 2 dimensions, one port"));

std::optional<PaperCount> printed_shuffle_count(const Request& request) {
  if (shuffle::refusal(request)) return {};
  const Structure s = structure_of(request);
  const bool chains = !s.chains.empty() && s.cycles.empty();
  const bool cycle = s.chains.empty() && one_long_cycle.holds(s);
  const bool pairs = s.elements() >= 2;
  std::optional<PaperCount> least;
  const auto take = [&least](bool applies, auto count) {
    if (!applies) return;
    least = fewer(least, count());
  };
  if (std::get<Hypercube>(request.machine()).ports == one_port) {
    take(cycle && pairs, [&] { return count_of(a1_one_port, s); });
    take(cycle, [&] { return count_of(a2_one_port, s); });
    return least;
  }
  take(chains, [&] { return pipelined_count(s); });
  take(chains && spare_bit.holds(s), [&] { return concurrent_count(s); });
  take(chains, [&] { return by_exchange_count(s); });
  take(chains && exchanges_concurrently(s), [&] { return concurrent_exchange_count(s); });
  take(cycle && pairs, [&] { return count_of(a1, s); });
  take(cycle, [&] { return count_of(a2, s); });
  take(cycle && pairs && s.cycles[0].even_pair(), [&] { return count_of(a2_squared, s); });
  return least;
}

}  // namespace faro::inline v1
