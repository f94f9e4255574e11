// The printed costs of generalized shuffles: rows of the tables, the best packet, where two
// algorithms break even.
#include "machines/cube/shuffle_costs.hpp"

#include <gtest/gtest.h>

namespace faro {
namespace {

TEST(ShuffleCosts, a_row_of_each_table) {
  const ShuffleSize size{.length = 6, .elements = 256, .packet = 8};
  const PacketTimes times{.startup = 32, .transfer = 1};
  EXPECT_DOUBLE_EQ(mixed_pipelined_time(size, times), 840);
  EXPECT_DOUBLE_EQ(mixed_concurrent_pipelined_time(size, times), 720);
  EXPECT_DOUBLE_EQ(mixed_one_port_time(size, times), 3840);
}

TEST(ShuffleCosts, the_best_packet_is_a_minimum) {
  const PacketTimes times{.startup = 32, .transfer = 1};
  const double best = best_packet(128, 5, times);
  EXPECT_NEAR(best, 28.62, 0.01);
  const auto smooth = [&](double b) {
    return (128 + 5 * b) * times.transfer + (128 / b + 5) * times.startup;
  };
  EXPECT_LT(smooth(best), smooth(best * 1.01));
  EXPECT_LT(smooth(best), smooth(best / 1.01));
}

TEST(ShuffleCosts, at_break_even_both_algorithms_cost_the_same) {
  for (const int length : {3, 4, 6}) {
    const ShuffleSize size{.length = length, .elements = 64, .packet = 1e9};
    const double startup = break_even_one_port(size, {.startup = 0, .transfer = 1});
    // One port: A1 sends K/2 elements in s + 1 packets each, A2 all K in s.
    EXPECT_NEAR((length + 1) * (32 + startup), length * (64 + startup), 1e-9);
  }
}

}  // namespace
}  // namespace faro
