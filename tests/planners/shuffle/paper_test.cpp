// The paper's algorithms: built, verified, and equal to their printed counts where those hold.
#include "faro/planners/shuffle/paper.hpp"

#include "../planning.hpp"
#include "faro/base/random.hpp"
#include "faro/planners/shuffle/planners.hpp"
#include "faro/planners/shuffle/ring.hpp"
#include "requests.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::structured_request;

TEST(ShufflePaper, figure_5_in_general_is_theorem_1) {
  for (int length = 1; length <= 11; ++length)
    for (std::uint64_t jobs = 1; jobs < 60; ++jobs) {
      if (jobs < 4 && length > 3) continue;  // K <= 8: Theorem 1 says pipelining
      EXPECT_EQ(to_string(shuffle::concurrent_plan(length, jobs).steps),
                to_string(std::min<Count>(shuffle::theorem_1(length, 2 * jobs),
                                          jobs + static_cast<Count>(length) - 1)))
          << length << " " << jobs;
    }
}

TEST(ShufflePaper, single_chains) {
  Random random(5);
  for (int length = 1; length <= 8; ++length)
    for (int k = 1; k <= 6; ++k) {
      const Request request = structured_request(k, {length}, {}, random.next());
      const Count pipelined = built_and_verified(shuffle_pipelined, request, length + k <= 9).steps;
      EXPECT_EQ(to_string(pipelined), to_string(bit(k) / 2 + static_cast<Count>(length) - 1));
      if (k < 2) continue;
      const Count concurrent =
          built_and_verified(shuffle_concurrent, request, length + k <= 9).steps;
      EXPECT_EQ(to_string(concurrent), to_string(shuffle::theorem_1(length, bit(k))));
    }
}

TEST(ShufflePaper, several_chains) {
  Random random(6);
  const std::vector<std::vector<int>> all = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {3, 1}, {2, 2, 2}};
  for (const auto& chains : all)
    for (int k = static_cast<int>(chains.size()); k <= 6; ++k) {
      const Request request = structured_request(k, chains, {}, random.next());
      const int q = testing::sum_of(chains) + k;
      built_and_verified(shuffle_pipelined, request, q <= 10);
      if (shuffle_by_exchange.refusal(request)) continue;
      const Count b = chains.size();
      const auto n = static_cast<Count>(testing::sum_of(chains));
      EXPECT_EQ(to_string(built_and_verified(shuffle_by_exchange, request, q <= 10).steps),
                to_string(b * ceil_div(bit(k) / 2, b) + n - b));
    }
}

TEST(ShufflePaper, real_cycles) {
  for (int length = 2; length <= 6; ++length)
    for (int k = 0; k <= 5; ++k)
      for (Word complement = 0; complement < 2; ++complement) {
        Request request = structured_request(k, {}, {length}, complement << k);
        if (k > 0) built_and_verified(real_a1, request, length + k <= 8);
        built_and_verified(real_a2, request, length + k <= 8);
        request.machine = Hypercube{.dimensions = length, .ports = Hypercube::Ports::one};
        built_and_verified(real_a2_one_port, request, length + k <= 8);
      }
}

TEST(ShufflePaper, all_to_all_personalised_communication_takes_half_the_elements) {
  for (int n = 1; n <= 6; ++n) {
    std::vector<int> source;
    for (int i = 0; i < 2 * n; ++i) source.push_back((i + n) % (2 * n));
    const Request request = testing::shuffle_request(n, n, source, 0);
    EXPECT_EQ(to_string(built_and_verified(all_to_all, request, n <= 4).steps),
              to_string(std::max<Count>(static_cast<Count>(n), bit(n) / 2)));
  }
}

// The smallest cases where the printed count is below the lower bound.
TEST(ShufflePaper, theorem_2_claims_less_than_the_bound) {
  EXPECT_EQ(to_string(shuffle::theorem_2({4, 1}, 16)), "8");         // bound 9
  EXPECT_EQ(to_string(shuffle::theorem_2({4, 1, 1, 1}, 32)), "10");  // bound 17
}

}  // namespace
}  // namespace faro
