// Butterfly networks that give their results in natural order.
#include <algorithm>

#include "full.hpp"
#include "planners/cube/butterfly/planned.hpp"
#include "planners/cube/butterfly/rows.hpp"
#include "planners/planning.hpp"

namespace faro::testing {
namespace {

constexpr const char* name = "butterfly-natural";

// Every restored network it takes: both judges agree, the rows are those of natural order, no
// butterfly twice. Where n <= log K, and n < log K in the code of the whole index, K steps: what no
// plan beats.
TEST(natural_order, is_right_in_place_and_at_its_bound) {
  int judged = 0;
  int optimal = 0;
  for (int n = 1; n <= (full_run() ? 6 : 4); ++n)
    for (int m = 1; m <= (full_run() ? 6 : 4); ++m)
      for (const ButterflyNetwork& network : requests(n, m)) {
        const Request request = request_of(network);
        const bool taken =
            network.finish == Finish::restored && network.output != Output::gray_through;
        SCOPED_TRACE(text_of(network));
        ASSERT_EQ(!find_planner(name)->refusal(request), taken);
        if (!taken) continue;
        const Offer offer = find_planner(name)->offer(request);
        const ButterflyGoal goal = goal_of(offer);
        for (int j = 0; j < n; ++j) {
          const int b = butterfly::base_of(network) + n - 1 - j;
          const bool gray = network.output == Output::gray && j > 0;
          EXPECT_EQ(goal.final_processor_rows[static_cast<std::size_t>(j)],
                    bit(b) | (gray ? bit(b + 1) : 0));
        }
        const Count steps = built_and_verified(*find_planner(name), request, n + m <= 9).steps;
        const Count bound = std::max<Count>(static_cast<Count>(n), bit(m));
        ASSERT_GE(steps, bound);
        ASSERT_TRUE(offer.expression.starts_with("sequence(butterfly-")) << offer.expression;
        if (n < m || (n == m && !butterfly::whole_cyclic(network))) {
          ASSERT_TRUE(goal.in_place);
          ASSERT_EQ(steps, bound);
          ++optimal;
        }
        ++judged;
      }
  EXPECT_GT(judged, full_run() ? 900 : 400);
  EXPECT_GT(optimal, full_run() ? 500 : 250);
}

TEST(natural_order, costs_what_is_known_on_larger_machines) {
  using Order = ButterflyGoal::Order;
  const auto steps = [](int n, int p, Encoding encoding, Allocation allocation,
                        Order order = Order::most_significant_first) {
    const ButterflyNetwork network{
        .index_bits = p,
        .allocation = allocation,
        .encoding = encoding,
        .order = order,
        .output = encoding == Encoding::binary ? Output::binary : Output::gray,
        .finish = Finish::restored};
    return find_planner(name)
        ->offer(Request::of(Hypercube{.dimensions = n}, network))
        .estimate.cost.value;
  };
  EXPECT_EQ(steps(8, 16, Encoding::binary, Allocation::cyclic), 256U);
  EXPECT_EQ(steps(8, 16, Encoding::binary_gray, Allocation::cyclic), 256U);
  EXPECT_EQ(steps(8, 16, Encoding::gray, Allocation::consecutive), 256U);
  EXPECT_EQ(steps(8, 16, Encoding::gray, Allocation::cyclic), 257U);
  EXPECT_EQ(steps(7, 14, Encoding::gray, Allocation::cyclic), 129U);
  // The code of the whole index, the processor stages before the one of the bit that is tied.
  const Order lsb = Order::least_significant_first;
  EXPECT_EQ(steps(7, 14, Encoding::gray, Allocation::cyclic, lsb), 128U);
  EXPECT_EQ(steps(4, 8, Encoding::gray, Allocation::cyclic, lsb), 16U);
  EXPECT_EQ(steps(8, 12, Encoding::gray, Allocation::cyclic, lsb), 24U);
  // Too many elements to search for a rearrangement.
  EXPECT_EQ(steps(40, 50, Encoding::binary_gray, Allocation::cyclic), 1064U);
  EXPECT_EQ(steps(8, 22, Encoding::gray, Allocation::cyclic), 16384U);
}

}  // namespace
}  // namespace faro::testing
