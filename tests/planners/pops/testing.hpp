// What the tests of POPS planners share: requests, verified builds, the golden values.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "paths.hpp"
#include "planners/pops/packets.hpp"

namespace faro::testing {

inline const nlohmann::json& golden_pops() {
  static const nlohmann::json golden =
      nlohmann::json::parse(std::ifstream(source_path("tests/data/pops.json")));
  return golden;
}

inline Draft pops_request(std::uint64_t d, std::uint64_t g, std::vector<Word> destinations) {
  Draft request;
  request.machine = Pops{d, g, false};
  request.destinations = std::move(destinations);
  return request;
}

inline Draft pops_request(const BitMap& map, int local_bits, std::uint64_t elements = 1) {
  Draft request;
  request.machine = Pops{bit(local_bits), bit(map.width() - local_bits), false};
  request.map = MapGoal{map, false, 0};
  request.elements = elements;
  return request;
}

// h permutations, one for each element of a processor, entries left out at random.
inline Draft random_relation(std::uint64_t d, std::uint64_t g, std::uint64_t h, Random& random) {
  std::vector<Word> to(d * g * h, pops::no_relay);
  for (std::uint64_t s = 0; s < h; ++s) {
    const std::vector<Word> one = random_permutation(d * g, random);
    for (Word p = 0; p < one.size(); ++p)
      if (random.below(8) != 0) to[p * h + s] = one[p];
  }
  Draft request = pops_request(d, g, std::move(to));
  request.elements = h;
  return request;
}

// Slots counted by replay; fails the test if the plan is refused, not legal or not as promised.
inline Count replayed_slots(const Planner& planner, const Draft& request) {
  const auto refusal = planner.refusal(request);
  EXPECT_FALSE(refusal.has_value()) << planner.name() << ": " << refusal.value_or("");
  if (refusal) return 0;
  const auto replay = make_replay();
  const Offer offer = planner.offer(request);
  offer.push(*replay);
  const Verdict verdict = replay->verdict();
  EXPECT_TRUE(verdict.ok()) << planner.name() << ": "
                            << (verdict.violations.empty() ? "" : verdict.violations[0].message);
  EXPECT_EQ(to_string(verdict.cost.slots), to_string(offer.estimate.cost.value)) << planner.name();
  return verdict.cost.slots;
}

// One place on, cyclically, in the first groups.
inline std::vector<Word> shift_in_groups(std::uint64_t d, std::uint64_t g,
                                         std::uint64_t groups_moved) {
  std::vector<Word> to(d * g);
  for (Word p = 0; p < to.size(); ++p)
    to[p] = p / d < groups_moved ? p / d * d + (p % d + 1) % d : p;
  return to;
}

inline std::vector<Word> reversal(std::uint64_t n) {
  std::vector<Word> to(n);
  for (Word p = 0; p < n; ++p) to[p] = n - 1 - p;
  return to;
}

// Where the golden value is known.
inline void expect_slots(const Planner& planner, const Draft& request,
                         const nlohmann::json& golden) {
  if (golden.is_null()) return;
  EXPECT_EQ(replayed_slots(planner, request), golden.get<std::uint64_t>()) << planner.name();
}

// A product of column additions, most of them more than a random matrix needs.
inline BitMap random_product(int width, Random& random) {
  BitMatrix m = BitMatrix::identity(width);
  for (int round = 0; round < 4 * width * width; ++round) {
    const int a = static_cast<int>(random.below(static_cast<Word>(width)));
    const int b = static_cast<int>(random.below(static_cast<Word>(width)));
    if (a != b) m.set_column(a, m.column(a) ^ m.column(b));
  }
  return BitMap::from_matrix(m, random.next() & low_mask(width));
}

}  // namespace faro::testing
