// Shuffles on a cube with one more dimension than the map has processor bits.
#include "papers/printed/extended_cube.hpp"

#include "base/random.hpp"
#include "draft.hpp"
#include "judged.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/shuffle/requests.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::structured_request;

int built(const testing::Draft& request, int extra) {
  EXPECT_FALSE(shuffle::extended_cube_refusal(request, extra).has_value());
  const auto replay = make_replay();
  shuffle::build_extended_cube(request, extra, *replay);
  const Verdict verdict = replay->verdict();
  EXPECT_TRUE(verdict.ok()) << (verdict.violations.empty() ? "" : verdict.violations[0].message);
  const Count cost = shuffle::extended_cube_cost(request, extra);
  EXPECT_EQ(to_string(verdict.cost.steps), to_string(cost));
  return static_cast<int>(cost);
}

TEST(ExtendedCube, a_chain_of_five_is_faster_with_one_port_and_one_more_dimension) {
  const auto one = Hypercube::Ports::one;
  EXPECT_EQ(built(structured_request(3, {5}, {}, 0, one), 1), 18);
  EXPECT_EQ(built(structured_request(3, {5}, {}, 0), 1), 14);
  EXPECT_EQ(built(structured_request(4, {5}, {}, 0, one), 2), 34);
  EXPECT_EQ(built(structured_request(3, {2}, {}, 0), 1), 11);
}

TEST(ExtendedCube, four_dimensions_scatter_over_rotated_trees) {
  EXPECT_EQ(built(structured_request(5, {}, {4}, 0), 4), 15 + 4 + 15);
  EXPECT_EQ(built(structured_request(5, {}, {4}, 0, Hypercube::Ports::one), 4), 65);
}

TEST(ExtendedCube, random_permutations_with_complements) {
  Random random(4);
  testing::Judged judged(40);
  for (int round = 0; round < 60; ++round) {
    const int q = 3 + static_cast<int>(random.below(5));
    const int n = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(q)));
    const testing::Draft request =
        testing::shuffle_request(n, q - n, testing::random_places(q, random), random.below(bit(q)),
                                 round % 2 == 0 ? Hypercube::Ports::all : Hypercube::Ports::one);
    for (int extra = 1; extra <= 3; ++extra)
      if (!shuffle::extended_cube_refusal(request, extra)) {
        ++judged;
        built(request, extra);
      }
  }
}

}  // namespace
}  // namespace faro
