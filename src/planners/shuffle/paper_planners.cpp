// The catalogue's entries of the paper's own algorithms.
#include <algorithm>

#include "faro/planners/shuffle/paper.hpp"
#include "faro/planners/shuffle/planners.hpp"
#include "faro/planners/shuffle/ring.hpp"

namespace faro {
namespace {

using shuffle::Structure;

std::optional<std::string> ports_refusal(const Request& request, Hypercube::Ports ports) {
  if (auto reason = shuffle::refusal(request)) return reason;
  if (std::get<Hypercube>(request.machine).ports != ports)
    return ports == Hypercube::Ports::all ? "it uses all ports" : "it is for one port";
  return std::nullopt;
}

// Chains and nothing else.
std::optional<std::string> mixed_refusal(const Request& request) {
  if (auto reason = ports_refusal(request, Hypercube::Ports::all)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (s.chains.empty()) return "no storage bit moves into a processor bit";
  if (!s.cycles.empty()) return "there is a real cycle";
  return std::nullopt;
}

std::optional<std::string> spare_refusal(const Request& request) {
  if (auto reason = mixed_refusal(request)) return reason;
  if (!shuffle::structure_of(request).spare()) return "it needs a storage bit beside the chains'";
  return std::nullopt;
}

std::optional<std::string> equal_refusal(const Request& request) {
  if (auto reason = mixed_refusal(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  for (const shuffle::Chain& c : s.chains)
    if (c.length() != s.chains[0].length()) return "the chains differ in length";
  return std::nullopt;
}

std::optional<std::string> all_to_all_refusal(const Request& request) {
  if (auto reason = equal_refusal(request)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (s.chains[0].length() != 1 || static_cast<int>(s.chains.size()) != s.processor_bits)
    return "not every processor bit changes places with a memory bit";
  return std::nullopt;
}

std::optional<std::string> real_refusal(const Request& request, Hypercube::Ports ports) {
  if (auto reason = ports_refusal(request, ports)) return reason;
  const Structure s = shuffle::structure_of(request);
  if (!s.chains.empty()) return "storage bits take part";
  if (s.cycles.size() != 1 || s.cycles[0].length() < 2)
    return "it needs one cycle of two or more processor bits";
  return std::nullopt;
}

std::optional<std::string> real_a2_refusal(const Request& request) {
  return real_refusal(request, Hypercube::Ports::all);
}

std::optional<std::string> real_a2_one_port_refusal(const Request& request) {
  return real_refusal(request, Hypercube::Ports::one);
}

std::optional<std::string> real_a1_refusal(const Request& request) {
  if (auto reason = real_a2_refusal(request)) return reason;
  if (request.elements < 2) return "it needs two elements in a processor";
  return std::nullopt;
}

std::vector<int> lengths_of(const Structure& s) {
  std::vector<int> lengths;
  for (const shuffle::Chain& c : s.chains) lengths.push_back(c.length());
  return lengths;
}

Count cycle_length(const Request& request) {
  return static_cast<Count>(shuffle::structure_of(request).cycles[0].length());
}

Estimate pipelined_estimate(const Request& request) {
  const Structure s = shuffle::structure_of(request);
  const auto all = static_cast<Count>(s.distance());
  const std::vector<int> lengths = lengths_of(s);
  const auto longest = static_cast<Count>(*std::max_element(lengths.begin(), lengths.end()));
  const Count k = request.elements;
  PaperCount paper{"Johnsson, Ho 1991 (shuffles), section 4.1.1", {k / 2 + all - 1, "K/2 + s - 1"}};
  if (lengths.size() > 1) {
    const bool few = k <= 2 * all;
    paper = {"Johnsson, Ho 1991 (shuffles), Table 2",
             {few ? ceil_div(k, 2 * lengths.size()) + all - 1 : k / 2 + longest - 1,
              few ? "ceil(K/2b) + s - 1" : "K/2 + max s - 1"}};
  }
  return {.cost = {shuffle::finish_of(s, shuffle::pipelined_phase(s)),
                   lengths.size() == 1 ? "K/2 + s - 1" : "pipelined, counted"},
          .paper = paper};
}

Estimate concurrent_estimate(const Request& request) {
  const std::vector<int> lengths = lengths_of(shuffle::structure_of(request));
  const Count k = request.elements;
  const Count steps = shuffle::concurrent_plan(lengths, request.elements / 2).steps;
  if (lengths.size() > 1)
    return {.cost = {steps, "pipelined, at most max(N + 3, K/2 + 2)"},
            .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 2",
                                shuffle::theorem_2(lengths, request.elements)}};
  return {.cost = {steps, "min(K/2 + s - 1, max(s + 3, K/2 + 2))"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Theorem 1",
                              {shuffle::theorem_1(lengths[0], request.elements),
                               lengths[0] <= 3 || k <= 8 ? "K/2 + s - 1" : "max(s + 3, K/2 + 2)"}}};
}

Estimate by_exchange_estimate(const Request& request) {
  const Structure s = shuffle::structure_of(request);
  const auto chains = static_cast<Count>(s.chains.size());
  const auto all = static_cast<Count>(s.distance());
  const Count jobs = request.elements / 2;
  // A last group with fewer jobs than chains still runs through all chains.
  return {.cost = {shuffle::finish_of(s, shuffle::by_exchange_phase(s)), "b ceil(K/2b) + N - b"},
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 2 (pipelined AAPC)",
                              {jobs + all - chains, "K/2 + N - b"}}};
}

Estimate all_to_all_estimate(const Request& request) {
  const Structure s = shuffle::structure_of(request);
  return {.cost = {shuffle::ring_steps(s), "max(n, K/2)"}, .paper = std::nullopt};
}

Estimate real_a1_estimate(const Request& request) {
  const Count s = cycle_length(request);
  const Count jobs = request.elements / 2;
  const Formula f{(s + 1) * ceil_div(jobs, s), "(s + 1) ceil(K/2s)"};
  return {.cost = f, .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A1)", f}};
}

Estimate real_a2_estimate(const Request& request) {
  const Count s = cycle_length(request);
  const Formula f{s * ceil_div(request.elements, s), "s ceil(K/s)"};
  return {.cost = f, .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2)", f}};
}

Estimate real_a2_one_port_estimate(const Request& request) {
  const Formula f{cycle_length(request) * request.elements, "s K"};
  return {.cost = f,
          .paper = PaperCount{"Johnsson, Ho 1991 (shuffles), Table 3 (A2, one port)", f}};
}

template <shuffle::Phase (*make)(const Structure&), const Planner& planner>
void build(const Request& request, ScheduleSink& sink) {
  const Structure s = shuffle::structure_of(request);
  shuffle::emit(s, {{s, make(s)}}, request, planner.name, sink);
}

}  // namespace

const Planner shuffle_pipelined = {
    .name = "shuffle-pipelined",
    .machine = "cube",
    .title = "every pair of elements starts in the first dimension of a chain",
    .needs = "chains and no real cycle, all ports",
    .cost = "one chain: K/2 + s - 1; several: counted",
    .citation = "Johnsson, Ho 1991 (shuffles), sections 4.1.1 and 4.1.2, Figures 2 and 8",
    .refusal = mixed_refusal,
    .estimate = pipelined_estimate,
    .build = build<shuffle::pipelined_phase, shuffle_pipelined>,
};

const Planner shuffle_concurrent = {
    .name = "shuffle-concurrent",
    .machine = "cube",
    .title = "some pairs start inside a chain with an extra storage bit",
    .needs = "chains and no real cycle, a storage bit beside theirs, all ports",
    .cost = "max(N + 3, K/2 + 2), pipelined where that is less; one chain: N = s",
    .citation = "Johnsson, Ho 1991 (shuffles), Theorems 1 and 2, Figures 5 and 9",
    .refusal = spare_refusal,
    .estimate = concurrent_estimate,
    .build = build<shuffle::concurrent_phase, shuffle_concurrent>,
};

const Planner shuffle_by_exchange = {
    .name = "shuffle-by-exchange",
    .machine = "cube",
    .title = "chains of equal length, one all-to-all personalised communication after another",
    .needs = "chains of equal length and no real cycle, all ports",
    .cost = "b ceil(K/2b) + N - b",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2 (AAPC)",
    .refusal = equal_refusal,
    .estimate = by_exchange_estimate,
    .build = build<shuffle::by_exchange_phase, shuffle_by_exchange>,
};

const Planner all_to_all = {
    .name = "all-to-all",
    .machine = "cube",
    .title = "all-to-all personalised communication: processor and memory bits change places",
    .needs =
        "every processor bit changes places with a memory bit, as i:n | m:n -> m | i; all ports",
    .cost = "max(n, K/2)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.1.2",
    .refusal = all_to_all_refusal,
    .estimate = all_to_all_estimate,
    .build = build<shuffle::ring_phase, all_to_all>,
};

const Planner real_a1 = {
    .name = "real-a1",
    .machine = "cube",
    .title = "algorithm A1: rounds of s pairs along a real cycle",
    .needs = "one real cycle of s >= 2 dimensions, K >= 2, all ports",
    .cost = "(s + 1) ceil(K/2s)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = real_a1_refusal,
    .estimate = real_a1_estimate,
    .build = build<shuffle::real_a1_phase, real_a1>,
};

const Planner real_a2 = {
    .name = "real-a2",
    .machine = "cube",
    .title = "algorithm A2: rounds of s elements along a real cycle, twice the memory",
    .needs = "one real cycle of s >= 2 dimensions, all ports",
    .cost = "s ceil(K/s)",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = real_a2_refusal,
    .estimate = real_a2_estimate,
    .build = build<shuffle::real_a2_phase, real_a2>,
};

const Planner real_a2_one_port = {
    .name = "real-a2-one-port",
    .machine = "cube",
    .title = "algorithm A2, one dimension a step",
    .needs = "one real cycle of s >= 2 dimensions, one port",
    .cost = "s K",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4.2, Table 3",
    .refusal = real_a2_one_port_refusal,
    .estimate = real_a2_one_port_estimate,
    .build = build<shuffle::real_a2_one_port_phase, real_a2_one_port>,
};

}  // namespace faro
