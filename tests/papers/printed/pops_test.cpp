// The named maps of the POPS paper take the slots of its theorems.
#include "planners/pops/named.hpp"

#include <gtest/gtest.h>

#include "draft.hpp"
#include "faro/machines/pops/model.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/packets.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::pops_request;
using testing::replayed_slots;

std::vector<Word> transpose_list(Word order) {
  std::vector<Word> to(order * order);
  for (Word p = 0; p < to.size(); ++p) to[p] = p % order * order + p / order;
  return to;
}

testing::Draft named_map(const char* map, int width, int local_bits, std::uint64_t elements = 1) {
  return pops_request(say(map, {.processors = bit(width)}).map.as_bits(), local_bits, elements);
}

// Theorem 4, with N² - N for one group, and the bound of every machine on which it is claimed.
TEST(PopsTranspose, takes_ceil_d_over_g_slots_and_no_schedule_takes_fewer) {
  testing::Judged judged(40);
  for (Word order = 1; order <= 12; ++order)
    for (Word d = 1; d <= order * order; ++d) {
      if (order * order % d != 0) continue;
      const Word g = order * order / d;
      const testing::Draft request = pops_request(d, g, transpose_list(order));
      if (order % d != 0 && order % g != 0) {
        EXPECT_NE(pops_transpose.refusal(request)->find("divides the order"), std::string::npos);
        continue;
      }
      ++judged;
      const Count slots = replayed_slots(pops_transpose, request);
      EXPECT_EQ(slots, order == 1 ? 0U
                       : g == 1   ? order * order - order
                                  : (d + g - 1) / g)
          << order << " " << d;
      EXPECT_EQ(slots, lower_bound(Pops{d, g, false}, request.destinations, 1).value)
          << order << " " << d;
    }
}

TEST(PopsTranspose, of_a_map_takes_the_same_slots_and_is_proved) {
  for (const int width : {0, 2, 4, 6, 8})
    for (int ld = 0; ld <= width; ++ld) {
      if (testing::sanitized() && width == 8 && ld % 4 != 0) continue;
      const testing::Draft request = named_map("transpose", width, ld);
      const Word order = bit(width / 2);
      EXPECT_EQ(replayed_slots(pops_transpose, request),
                replayed_slots(pops_transpose,
                               pops_request(bit(ld), bit(width - ld), transpose_list(order))));
    }
  const testing::Draft large = named_map("transpose", 60, 34, 2);
  const auto proof = make_proof();
  pops_transpose.offer(large).push(*proof);
  EXPECT_TRUE(proof->verdict().ok());
  EXPECT_EQ(proof->verdict().cost.slots, 2U * 256U);
}

TEST(PopsTranspose, refuses_what_is_no_transpose) {
  EXPECT_TRUE(pops_transpose.refusal(named_map("bit-reversal", 6, 3)).has_value());
  EXPECT_TRUE(pops_transpose.refusal(named_map("perfect-shuffle", 5, 3)).has_value());
  EXPECT_TRUE(pops_transpose.refusal(pops_request(3, 4, std::vector<Word>(12, 0))).has_value());
}

struct NamedShuffle {
  const Planner* planner;
  const char* map;
};
constexpr NamedShuffle named_shuffles[] = {{&pops_perfect_shuffle, "perfect-shuffle"},
                                           {&pops_unshuffle, "unshuffle"},
                                           {&pops_bit_shuffle, "bit-shuffle"}};

// For d <= g the optimum: 0 if nothing moves, 1 if no local bit stays local, else 2. For d > g at
// most the paper's 2d/g, and never below the bound.
TEST(PopsShuffles, take_the_slots_of_section_4_on_every_split) {
  for (const NamedShuffle& shuffle : named_shuffles)
    for (int width = 1; width <= 8; ++width) {
      if (shuffle.planner == &pops_bit_shuffle && width % 2 != 0) continue;
      for (int ld = 0; ld <= width; ++ld) {
        const testing::Draft request = named_map(shuffle.map, width, ld);
        const Count slots = replayed_slots(*shuffle.planner, request);
        const auto proof = make_proof();
        shuffle.planner->offer(request).push(*proof);
        ASSERT_TRUE(proof->verdict().ok()) << shuffle.map << " " << width << " " << ld;
        const Bound bound = lower_bound(std::get<Pops>(request.machine), request.map, 1);
        EXPECT_GE(slots, bound.value);
        if (2 * ld <= width) {
          EXPECT_EQ(slots, bound.value) << shuffle.map << " " << width << " " << ld;
          EXPECT_LE(slots, 2U);
        } else {
          EXPECT_LE(slots, bit(2 * ld - width + 1));
        }
      }
    }
}

TEST(PopsShuffles, are_proved_on_two_to_the_sixty_processors) {
  for (const NamedShuffle& shuffle : named_shuffles) {
    const testing::Draft request = named_map(shuffle.map, 60, 33, 2);
    const auto proof = make_proof();
    shuffle.planner->offer(request).push(*proof);
    ASSERT_TRUE(proof->verdict().ok()) << shuffle.map;
    EXPECT_EQ(proof->verdict().cost.slots, 2 * 128U) << shuffle.map;
    EXPECT_TRUE(shuffle.planner->refusal(named_map("gray", 60, 30)).has_value());
  }
}

TEST(PopsShuffles, refuse_other_maps_of_any_width) {
  for (int width = 0; width <= 7; ++width)
    for (const NamedShuffle& shuffle : named_shuffles)
      EXPECT_TRUE(shuffle.planner->refusal(named_map("vector-reversal", width, width / 2)) ||
                  width == 0);
}

// Sections 4.1 and 4.2 as printed, d = g: relay group (i + j) mod g, or the sum of the bits that
// stay before those that go; the printed formulas are those of the inverse permutations, and both
// directions work.
std::vector<pops::Packet> printed_shuffle(const BitMap& map, int half) {
  const Word g = bit(half);
  std::vector<pops::Packet> packets;
  for (Word p = 0; p < g * g; ++p) {
    if (map(p) == p) continue;
    Word i = 0;  // stay(i) go(i), stay(j) go(j)
    Word j = 0;
    for (const bool stays : {true, false})
      for (int b = half - 1; b >= 0; --b) {
        if ((highest_bit(map.column(b + half)) >= half) == stays)
          i = 2 * i + (has_bit(p, b + half) ? 1 : 0);
        if ((highest_bit(map.column(b)) < half) == stays) j = 2 * j + (has_bit(p, b) ? 1 : 0);
      }
    pops::Packet packet;
    packet.from = p;
    packet.to = map(p);
    packet.relay = (i + j) % g * g + p % g;
    packet.second = 1;
    packets.push_back(packet);
  }
  return packets;
}

TEST(PopsShuffles, the_printed_sum_modulo_g_works_in_both_directions) {
  for (const char* map : {"perfect-shuffle", "unshuffle", "bit-shuffle", "shuffled-row-major"})
    for (int half = 2; half <= 5; ++half) {
      const testing::Draft request = named_map(map, 2 * half, half);
      const auto replay = make_replay();
      pops::emit_permutation(request, "printed", printed_shuffle(request.map.map, half), *replay);
      EXPECT_TRUE(replay->verdict().ok()) << map << " " << half;
      EXPECT_EQ(replay->verdict().cost.slots, 2U);
    }
}

}  // namespace
}  // namespace faro
