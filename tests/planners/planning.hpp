// What tests of planners share: build into sinks, count, verify by both verifiers.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "draft.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"

namespace faro::testing {

inline Draft cube_request_of(int dimensions, const BitMap& map, std::uint64_t elements,
                             Hypercube::Ports ports = Hypercube::Ports::all) {
  return {.machine = Hypercube{.dimensions = dimensions, .ports = ports},
          .map = {.map = map},
          .destinations = {},
          .elements = elements};
}

// ungray on fields of these lengths, the first on the top bits.
inline BitMap gray_to_binary(std::vector<int> lengths) {
  int width = 0;
  for (const int length : lengths) width += length;
  std::vector<Word> columns(static_cast<std::size_t>(width));
  int top = width;
  for (const int length : lengths) {
    for (int b = top - length; b < top; ++b)
      columns[static_cast<std::size_t>(b)] = bit_range(top - length, b);
    top -= length;
  }
  return BitMap::from_columns(columns);
}

// Builds, checks the promised cost against the counted one, and has both verifiers look where they
// apply. Returns the counted cost.
inline Cost built_and_verified(const Planner& planner, const Request& request, bool by_replay) {
  if (const auto why = planner.refusal(request)) {
    ADD_FAILURE() << planner.name() << " does not apply: " << *why;
    return {};
  }
  const auto proof = make_proof();
  const auto replay = make_replay();
  std::vector<ScheduleSink*> sinks{proof.get()};
  if (by_replay) sinks.push_back(replay.get());
  TeeSink tee(sinks);
  const Offer offer = planner.offer(request);
  offer.push(tee);
  const Verdict proved = proof->verdict();
  EXPECT_TRUE(proved.ok()) << planner.name() << " proof: " << proved.limit
                           << (proved.violations.empty() ? "" : proved.violations[0].message);
  if (by_replay) {
    const Verdict replayed = replay->verdict();
    EXPECT_TRUE(replayed.ok()) << planner.name() << " replay: "
                               << (replayed.violations.empty() ? ""
                                                               : replayed.violations[0].message);
    EXPECT_EQ(replayed.cost, proved.cost) << planner.name();
  }
  EXPECT_EQ(to_string(proved.cost.steps), to_string(offer.estimate.cost.value))
      << planner.name() << " K=" << request.elements();
  return proved.cost;
}

// The plan of a request: right, and no cheaper than its bound.
inline MachinePlan planned(const Request& request, const PlanOptions& options = {}) {
  MachinePlan made = plan(request, options);
  const std::string words = request.text() + " on " + to_string(request.machine());
  EXPECT_TRUE(made.ok()) << words << " K=" << request.elements();
  EXPECT_GE(made.value(), made.bound().value) << words << " K=" << request.elements();
  return made;
}

// The plan as a file, judged from there: what was planned, at its cost.
inline std::string judged_file(const MachinePlan& made, std::initializer_list<VerifyBy> judges) {
  TextSink text;
  JsonWriter writer(text);
  made.push(writer);
  for (const VerifyBy by : judges) {
    TextSource source(text.text());
    const VerifyReport report = verify_schedule(source, {.by = by, .map = {}});
    EXPECT_TRUE(report.verdict.ok()) << made.request().text() << report.verdict.limit;
    EXPECT_EQ(report.verdict.cost, made.listed_cost());
    EXPECT_EQ(report.fingerprint, made.fingerprint());
  }
  return text.text();
}

// An offer pushes the same schedule as often as wanted, and another offer of the same request too.
inline void one_search_serves_all(const Planner& planner, const Request& request) {
  const Offer offer = planner.offer(request);
  std::vector<RecordingSink> sinks(3);
  offer.push(sinks[0]);
  offer.push(sinks[1]);
  planner.offer(request).push(sinks[2]);
  EXPECT_GT(sinks[0].cube_steps.size() + sinks[0].pops_slots.size(), 0U) << planner.name();
  for (const RecordingSink& sink : sinks) {
    EXPECT_EQ(sink.cube_steps, sinks[0].cube_steps) << planner.name();
    EXPECT_EQ(sink.pops_slots, sinks[0].pops_slots) << planner.name();
  }
}

}  // namespace faro::testing
