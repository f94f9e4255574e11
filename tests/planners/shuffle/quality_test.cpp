// How near the lower bound the planners come: every small permutation, random larger ones.
#include <map>

#include "../planning.hpp"
#include "faro/base/random.hpp"
#include "faro/machines/bounds/bounds.hpp"
#include "faro/planners/shuffle/planners.hpp"
#include "faro/planners/shuffle/structure.hpp"
#include "full.hpp"
#include "requests.hpp"

namespace faro {
namespace {

using testing::shuffle_request;

const std::vector<const Planner*> all_port_planners = {
    &shuffle_ring,  &shuffle_lanes,   &shuffle_a1,       &shuffle_a2,
    &shuffle_ahead, &shuffle_mixture, &shuffle_sequence,
};

// The cheapest, built and verified; 0 if nothing is to be moved.
Count best_steps(const Request& request, bool by_replay) {
  const Planner* best = nullptr;
  Count steps = 0;
  for (const Planner* p : all_port_planners) {
    if (p->refusal(request)) continue;
    const Count cost = p->estimate(request).cost.value;
    if (best == nullptr || cost < steps) {
      best = p;
      steps = cost;
    }
  }
  if (best == nullptr) return 0;
  return testing::built_and_verified(*best, request, by_replay).steps;
}

Count bound_of(const Request& request) {
  return lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value;
}

TEST(ShuffleQuality, all_1698_permutations_of_four_address_bits_meet_the_bound) {
  int cases = 0;
  int above = 0;
  for (int q = 1; q <= 4; ++q) {
    std::vector<int> source(static_cast<std::size_t>(q));
    std::iota(source.begin(), source.end(), 0);
    do {
      for (Word complement = 0; complement < bit(q); ++complement)
        for (int n = 1; n <= q; ++n) {
          const Request request = shuffle_request(n, q - n, source, complement);
          const Count steps = best_steps(request, true);
          if (steps != bound_of(request)) {
            ++above;
          }
          ++cases;
        }
    } while (std::next_permutation(source.begin(), source.end()));
  }
  EXPECT_EQ(cases, 1698);
  EXPECT_EQ(above, 104);
}

TEST(ShuffleQuality, random_permutations_are_near_the_bound) {
  Random random(7);
  const int rounds = testing::full_run() ? 3000 : testing::sanitized() ? 40 : 300;
  double ratios = 0;
  int counted = 0;
  std::map<std::string, int> gaps;
  for (int round = 0; round < rounds; ++round) {
    const int q = 5 + static_cast<int>(random.below(8));
    const int n = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(q)));
    const Request request =
        shuffle_request(n, q - n, testing::random_permutation(random, q), random.below(bit(q)));
    const Count bound = bound_of(request);
    const Count steps = best_steps(request, q <= 8);
    ASSERT_GE(steps, bound);
    if (bound == 0) continue;
    ++counted;
    ratios += static_cast<double>(steps) / static_cast<double>(bound);
    ++gaps[to_string(steps - bound)];
    if (request.elements >= 8) {
      EXPECT_LE(static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(bound) + 5);
    }
  }
  for (const auto& [gap, count] : gaps) RecordProperty("gap_" + gap, count);
  EXPECT_LE(ratios / counted, 1.04);
  if (testing::full_run()) {
    std::string text;
    for (const auto& [gap, count] : gaps) text += "+" + gap + ": " + std::to_string(count) + "  ";
    std::printf("%d permutations, mean of steps over bound %.4f, above the bound %s\n", counted,
                ratios / counted, text.c_str());
  }
}

}  // namespace
}  // namespace faro
