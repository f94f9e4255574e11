// The paper's algorithms: built, verified, and equal to their printed counts where those hold.
#include "papers/printed/shuffle.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/base/limits.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "papers/printed/printed.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/shuffle/requests.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::structured_request;

TEST(ShufflePaper, figure_5_in_general_is_theorem_1) {
  for (int length = 1; length <= 11; ++length)
    for (std::uint64_t jobs = 1; jobs < 60; ++jobs) {
      if (jobs < 4 && length > 3) continue;  // K <= 8: Theorem 1 says pipelining
      EXPECT_EQ(to_string(shuffle::concurrent_plan({length}, jobs).steps),
                to_string(std::min<Count>(shuffle::theorem_1(length, 2 * jobs),
                                          jobs + static_cast<Count>(length) - 1)))
          << length << " " << jobs;
    }
}

// s exchanges for a chain of s dimensions, s - 1 for a cycle, from any pair on, with complements.
TEST(ShufflePaper, neighbours_change_places_from_any_pair_on) {
  Random random(4);
  for (const bool chain : {true, false})
    for (int length = chain ? 1 : 2; length <= 4; ++length)
      for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
        const std::vector<int> lengths = {length};
        testing::Draft request =
            structured_request(2, chain ? lengths : std::vector<int>{},
                               chain ? std::vector<int>{} : lengths, random.next());
        request.machine = Hypercube{.dimensions = length, .ports = ports};
        built_and_verified(shuffle_adjacent, request, true);
        const shuffle::Structure s = shuffle::structure_of(request);
        const int positions = length + (chain ? 1 : 0);
        for (int first = 0; first < positions; ++first) {
          const shuffle::Program program = shuffle::adjacent_program(s, ports, first);
          EXPECT_EQ(static_cast<int>(program.size()), positions - 1);
          const auto replay = make_replay();
          shuffle::emit(s, program, request, "", *replay);
          EXPECT_TRUE(replay->verdict().ok()) << length << " from " << first;
        }
      }
}

TEST(ShufflePaper, single_chains) {
  Random random(5);
  for (int length = 1; length <= 8; ++length)
    for (int k = 1; k <= 6; ++k) {
      const testing::Draft request = structured_request(k, {length}, {}, random.next());
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
  testing::Judged judged(24);
  const std::vector<std::vector<int>> all = {{1, 1}, {2, 2},    {3, 3},    {5, 5},
                                             {3, 1}, {2, 2, 2}, {3, 2, 1}, {4, 1}};
  for (const auto& chains : all)
    for (int k = static_cast<int>(chains.size()); k <= 6; ++k) {
      const testing::Draft request = structured_request(k, chains, {}, random.next());
      const int q = testing::sum_of(chains) + k;
      built_and_verified(shuffle_pipelined, request, q <= 10);
      ++judged;
      if (chains.front() != chains.back()) {
        // Never shorter than its longest queue: a dimension's K/2 exchanges.
        EXPECT_GE(built_and_verified(shuffle_by_exchange, request, q <= 10).steps, bit(k) / 2);
        continue;
      }
      const Count b = chains.size();
      const auto n = static_cast<Count>(testing::sum_of(chains));
      EXPECT_EQ(to_string(built_and_verified(shuffle_by_exchange, request, q <= 10).steps),
                to_string(b * ceil_div(bit(k) / 2, b) + n - b));
    }
}

// Section 4.1.2: K/2 + N - b up to K = 8b or chains of three, N + 3b, K/2 + 2b.
TEST(ShufflePaper, rounds_of_two_chains_begin_concurrently) {
  for (int length = 1; length <= 6; ++length)
    for (int k = 4; k <= 7; ++k) {
      const testing::Draft request = structured_request(k, {length, length}, {}, Word{0});
      const auto n = static_cast<Count>(2 * length);
      const Count elements = bit(k);
      const Count printed = length <= 3 || elements <= 16 ? elements / 2 + n - 2
                            : elements <= 2 * (n + 2)     ? n + 6
                                                          : elements / 2 + 4;
      const Count steps =
          built_and_verified(shuffle_by_exchange_concurrent, request, 2 * length + k <= 12).steps;
      EXPECT_EQ(to_string(steps), to_string(printed)) << length << " K = " << to_string(elements);
    }
  EXPECT_TRUE(shuffle_by_exchange_concurrent.refusal(structured_request(3, {4, 4}, {}, 0)));
  EXPECT_TRUE(shuffle_by_exchange_concurrent.refusal(structured_request(5, {4, 5}, {}, 0)));
  EXPECT_TRUE(shuffle_by_exchange_concurrent.refusal(structured_request(5, {4, 4}, {}, 1U << 7U)));
}

// What Theorem 2 comes to for b chains of equal length.
Count several_formula(int chains, int length, std::uint64_t jobs) {
  const auto all = static_cast<Count>(chains * length);
  const Count pipelined = jobs <= all ? all - 1 + ceil_div(jobs, static_cast<Count>(chains))
                                      : jobs + static_cast<Count>(length) - 1;
  return length < 4 ? pipelined : std::min(pipelined, std::max<Count>(all + 3, jobs + 2));
}

TEST(ShufflePaper, figure_9_in_general_is_theorem_2) {
  for (int chains = 2; chains <= 6; ++chains)
    for (int length = 1; chains * length <= 36; ++length)
      for (std::uint64_t jobs = static_cast<std::uint64_t>(chains); jobs < 80; ++jobs) {
        const std::vector<int> lengths(static_cast<std::size_t>(chains), length);
        const Count steps = shuffle::concurrent_plan(lengths, jobs).steps;
        EXPECT_EQ(to_string(steps), to_string(several_formula(chains, length, jobs)))
            << chains << " x " << length << ", " << jobs;
        EXPECT_EQ(to_string(steps),
                  to_string(shuffle::steps_of(shuffle::concurrent_rows(lengths, jobs))));
        if (jobs % static_cast<std::uint64_t>(chains) == 0) {
          EXPECT_LE(steps, shuffle::theorem_2(lengths, 2 * jobs).value);
        }
      }
}

TEST(ShufflePaper, several_chains_at_once) {
  Random random(7);
  for (int chains = 2; chains <= 4; ++chains)
    for (int length = 1; chains * length <= 14; ++length)
      for (int k = chains + 1; k <= 7; ++k) {
        if (testing::sanitized() && chains * length + k > 12) continue;
        const std::vector<int> lengths(static_cast<std::size_t>(chains), length);
        const testing::Draft request = structured_request(k, lengths, {}, random.next());
        const Count steps =
            built_and_verified(shuffle_concurrent, request, chains * length + k <= 12).steps;
        EXPECT_EQ(to_string(steps), to_string(several_formula(chains, length, bit(k) / 2)));
      }
}

TEST(ShufflePaper, several_chains_of_unequal_length_at_once) {
  Random random(8);
  const int runs = testing::full_run() ? 2000 : testing::sanitized() ? 20 : 150;
  for (int run = 0; run < runs; ++run) {
    const int chains = 2 + static_cast<int>(random.below(3));
    const int k = chains + 1 + static_cast<int>(random.below(4));
    std::vector<int> lengths;
    for (int c = 0; c < chains; ++c) lengths.push_back(1 + static_cast<int>(random.below(8)));
    const int n = testing::sum_of(lengths);
    const testing::Draft request = structured_request(k, lengths, {}, random.next());
    const Count steps = built_and_verified(shuffle_concurrent, request, n + k <= 12).steps;
    const Count jobs = bit(k) / 2;
    EXPECT_LE(steps, std::max<Count>(static_cast<Count>(n) + 3, jobs + 2));
  }
}

// Pairs of jobs that start inside a chain exist for all that fits an address, and are disjoint.
TEST(ShufflePaper, jobs_that_start_inside_chains_find_partners) {
  for (int chains = 2; chains <= 8; ++chains)
    for (int length = 4; chains * length <= 50; ++length)
      for (int k = chains + 1; k <= 10 && chains * length + k <= limits::address_bits_max; ++k) {
        const std::vector<int> lengths(static_cast<std::size_t>(chains), length);
        const testing::Draft request = structured_request(k, lengths, {}, 0);
        const shuffle::Structure s = shuffle::structure_of(request);
        EXPECT_EQ(to_string(shuffle::finish_of(s, shuffle::concurrent_phase(s))),
                  to_string(several_formula(chains, length, bit(k) / 2)));
      }
}

// A plan is not held against a claim that no plan can meet.
TEST(ShufflePaper, concurrent_starts_name_no_count_below_the_bound) {
  EXPECT_FALSE(shuffle_concurrent.offer(structured_request(4, {4, 1}, {}, 0)).estimate.paper);
  EXPECT_FALSE(shuffle_concurrent.offer(structured_request(5, {4, 1, 1, 1}, {}, 0)).estimate.paper);
  EXPECT_EQ(
      shuffle_concurrent.offer(structured_request(5, {4, 1}, {}, 0)).estimate.paper->formula.text,
      "K/2 + 2");
}

TEST(ShufflePaper, concurrent_starts_say_what_they_need) {
  EXPECT_EQ(shuffle_concurrent.refusal(structured_request(2, {4, 4}, {}, 0)),
            "it needs a storage bit beside the chains'");
  EXPECT_EQ(shuffle_concurrent.refusal(structured_request(3, {4, 4}, {2}, 0)),
            "there is a real cycle");
  EXPECT_EQ(shuffle_concurrent.refusal(structured_request(3, {}, {3}, 0)),
            "no storage bit moves into a processor bit");
  EXPECT_EQ(shuffle_concurrent.refusal(structured_request(3, {4, 4}, {}, 0, Hypercube::Ports::one)),
            "it uses all ports");
}

TEST(ShufflePaper, real_cycles) {
  for (int length = 2; length <= 6; ++length)
    for (int k = 0; k <= 5; ++k)
      for (Word complement = 0; complement < 2; ++complement) {
        testing::Draft request = structured_request(k, {}, {length}, complement << k);
        if (k > 0) built_and_verified(real_a1, request, length + k <= 8);
        built_and_verified(real_a2, request, length + k <= 8);
        request.machine = Hypercube{.dimensions = length, .ports = Hypercube::Ports::one};
        built_and_verified(real_a2_one_port, request, length + k <= 8);
        if (k == 0) continue;
        EXPECT_EQ(built_and_verified(real_a1_one_port, request, length + k <= 8).steps,
                  static_cast<Count>(length + 1) * bit(k) / 2);
      }
}

TEST(ShufflePaper, all_to_all_personalised_communication_takes_half_the_elements) {
  for (int n = 1; n <= 6; ++n) {
    std::vector<int> source;
    for (int i = 0; i < 2 * n; ++i) source.push_back((i + n) % (2 * n));
    const testing::Draft request = testing::shuffle_request(n, n, source, 0);
    EXPECT_EQ(to_string(built_and_verified(all_to_all, request, n <= 4).steps),
              to_string(std::max<Count>(static_cast<Count>(n), bit(n) / 2)));
  }
}

// The smallest cases where the printed count is below the lower bound.
TEST(ShufflePaper, theorem_2_claims_less_than_the_bound) {
  EXPECT_EQ(to_string(shuffle::theorem_2({4, 1}, 16).value), "8");         // bound 9
  EXPECT_EQ(to_string(shuffle::theorem_2({4, 1, 1, 1}, 32).value), "10");  // bound 17
}

}  // namespace
}  // namespace faro
