// What tests of planners share: build into sinks, count, verify by both verifiers.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <vector>

#include "faro/machines/verify/verifier.hpp"
#include "faro/planners/planner.hpp"

namespace faro::testing {

inline Request cube_request_of(int dimensions, const BitMap& map, std::uint64_t elements,
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
    ADD_FAILURE() << planner.name << " does not apply: " << *why;
    return {};
  }
  const auto proof = make_proof();
  const auto replay = make_replay();
  std::vector<ScheduleSink*> sinks{proof.get()};
  if (by_replay) sinks.push_back(replay.get());
  TeeSink tee(sinks);
  planner.build(request, tee);
  const Verdict proved = proof->verdict();
  EXPECT_TRUE(proved.ok()) << planner.name << " proof: " << proved.limit
                           << (proved.violations.empty() ? "" : proved.violations[0].message);
  if (by_replay) {
    const Verdict replayed = replay->verdict();
    EXPECT_TRUE(replayed.ok()) << planner.name << " replay: "
                               << (replayed.violations.empty() ? ""
                                                               : replayed.violations[0].message);
    EXPECT_EQ(replayed.cost, proved.cost) << planner.name;
  }
  EXPECT_EQ(to_string(proved.cost.steps), to_string(planner.estimate(request).cost.value))
      << planner.name << " K=" << request.elements;
  return proved.cost;
}

// One search serves estimate and build where the request keeps workings, and the schedule is the
// one that a search of its own gives.
inline void one_search_serves_both(const Planner& planner, Request request) {
  RecordingSink searched;
  planner.build(request, searched);
  request.workings = std::make_shared<Workings>();
  planner.estimate(request);
  const std::size_t searches = request.workings->size();
  EXPECT_GT(searches, 0U) << planner.name;
  RecordingSink built;
  planner.build(request, built);
  EXPECT_EQ(request.workings->size(), searches) << planner.name;
  EXPECT_EQ(built.cube_steps, searched.cube_steps) << planner.name;
  EXPECT_EQ(built.pops_slots, searched.pops_slots) << planner.name;
}

}  // namespace faro::testing
