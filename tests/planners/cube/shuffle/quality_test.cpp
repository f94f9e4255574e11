// How near the lower bound the planners come: every small permutation, random larger ones.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "paths.hpp"
#include "planners/cube/lists/list_routing.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/shuffle/requests.hpp"
#include "planners/cube/shuffle/structure.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::shuffle_request;

const std::vector<const Planner*> all_port_planners = {
    &shuffle_ring,
    &shuffle_mixture,
    &shuffle_sequence,
    &balanced_maps,
};

Count bound_of(const testing::Draft& request) {
  return lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value;
}

// The cheapest, built and verified; 0 where nothing crosses a link, which the bound must say too.
Count best_steps(const testing::Draft& request, bool by_replay) {
  const Planner* best = nullptr;
  Count steps = 0;
  for (const Planner* p : all_port_planners) {
    if (p->refusal(request)) continue;
    const Count cost = p->offer(request).estimate.cost.value;
    if (best == nullptr || cost < steps) {
      best = p;
      steps = cost;
    }
  }
  if (best == nullptr) {
    EXPECT_EQ(bound_of(request), 0U);
    return 0;
  }
  return testing::built_and_verified(*best, request, by_replay).steps;
}

TEST(ShuffleQuality, all_1698_permutations_of_four_address_bits_meet_the_bound) {
  int cases = 0;
  int above = 0;
  const int largest = testing::sanitized() ? 3 : 4;
  for (int q = 1; q <= largest; ++q) {
    std::vector<int> source(static_cast<std::size_t>(q));
    std::iota(source.begin(), source.end(), 0);
    do {
      for (Word complement = 0; complement < bit(q); ++complement)
        for (int n = 1; n <= q; ++n) {
          const testing::Draft request = shuffle_request(n, q - n, source, complement);
          const Count steps = best_steps(request, true);
          if (steps != bound_of(request)) {
            ++above;
          }
          ++cases;
        }
    } while (std::next_permutation(source.begin(), source.end()));
  }
  EXPECT_EQ(cases, largest == 4 ? 1698 : 162);
  EXPECT_EQ(above, 0);
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
    const testing::Draft request =
        shuffle_request(n, q - n, testing::random_places(q, random), random.below(bit(q)));
    const Count bound = bound_of(request);
    const Count steps = best_steps(request, q <= 8);
    ASSERT_GE(steps, bound);
    if (bound == 0) continue;
    ++counted;
    ratios += static_cast<double>(steps) / static_cast<double>(bound);
    ++gaps[to_string(steps - bound)];
    if (testing::full_run() && steps > bound + 2)
      for (const std::string& line : shuffle::describe(shuffle::structure_of(request)))
        std::printf("K=%d +%d %s\n", static_cast<int>(request.elements),
                    static_cast<int>(steps - bound), line.c_str());
    if (request.elements >= 8) {
      EXPECT_LE(static_cast<std::uint64_t>(steps), static_cast<std::uint64_t>(bound) + 3);
    }
  }
  for (const auto& [gap, count] : gaps) RecordProperty("gap_" + gap, count);
  EXPECT_GT(counted, rounds * 9 / 10);
  // The mean of a few maps scatters: the fewer, the more.
  const double mean_max = testing::full_run() ? 1.025 : testing::sanitized() ? 1.035 : 1.03;
  EXPECT_LE(ratios / counted, mean_max);
  if (testing::full_run()) {
    std::string text;
    for (const auto& [gap, count] : gaps) text += "+" + gap + ": " + std::to_string(count) + "  ";
    std::printf("%d permutations, mean of steps over bound %.4f, above the bound %s\n", counted,
                ratios / counted, text.c_str());
  }
}

// tests/data/shuffle_steps.json: what another planner reached.
nlohmann::json reached_elsewhere() {
  std::ifstream file(testing::source_path("tests/data/shuffle_steps.json"));
  return nlohmann::json::parse(file);
}

testing::Draft request_of(const nlohmann::json& row, Hypercube::Ports ports) {
  Word complement = 0;
  for (std::size_t i = 0; i < row[3].size(); ++i)
    if (row[3][i] == 1) complement |= bit(static_cast<int>(i));
  return shuffle_request(row[0], row[1], row[2], complement, ports);
}

TEST(ShuffleQuality, no_random_permutation_takes_more_steps_than_were_reached_elsewhere) {
  const nlohmann::json reached = reached_elsewhere();
  testing::Judged judged(static_cast<int>(reached["random"].size()) * 9 / 10);
  for (const auto& row : reached["random"]) {
    const testing::Draft all = request_of(row, Hypercube::Ports::all);
    const Count steps = best_steps(all, all.map.map.width() <= 8);
    EXPECT_LE(static_cast<std::uint64_t>(steps), row[4].get<std::uint64_t>()) << row.dump();
    const testing::Draft one = request_of(row, Hypercube::Ports::one);
    if (shuffle_one_port.refusal(one)) continue;
    ++judged;
    EXPECT_LE(
        static_cast<std::uint64_t>(
            testing::built_and_verified(shuffle_one_port, one, one.map.map.width() <= 8).steps),
        row[6].get<std::uint64_t>())
        << row.dump();
  }
}

TEST(ShuffleQuality, no_structure_takes_more_steps_than_were_reached_elsewhere) {
  int rows = 0;
  const nlohmann::json reached = reached_elsewhere();
  testing::Judged judged(static_cast<int>(reached["structures"].size()) / 17);
  for (const auto& row : reached["structures"]) {
    const int k = row[1];
    if (!testing::full_run() && ++rows % (testing::sanitized() ? 16 : 4) != 0) continue;
    ++judged;
    std::vector<int> cycles;
    Word complement = 0;
    int first = k;
    const std::vector<int> chains = row[2];
    for (const int length : chains) first += length;
    for (const auto& cycle : row[3]) {
      cycles.push_back(cycle[0]);
      if (cycle[1] == 1) complement |= bit(first);
      first += cycle[0].get<int>();
    }
    const testing::Draft all = testing::structured_request(k, chains, cycles, complement);
    const Count steps = best_steps(all, false);
    EXPECT_LE(static_cast<std::uint64_t>(steps), row[4].get<std::uint64_t>()) << row.dump();
    testing::Draft one = all;
    one.machine = Hypercube{.dimensions = row[0], .ports = Hypercube::Ports::one};
    const Count one_port = shuffle_one_port.offer(one).estimate.cost.value;
    EXPECT_LE(static_cast<std::uint64_t>(one_port), row[6].get<std::uint64_t>()) << row.dump();
  }
}

}  // namespace
}  // namespace faro
