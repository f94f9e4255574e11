// Tables, placements with copies, and what a move costs: beside enumeration.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "faro/words/say.hpp"
#include "layouts/fit.hpp"
#include "layouts/foreign.hpp"
#include "layouts/placement_move.hpp"
#include "maps.hpp"

namespace faro {
namespace {

TEST(Fit, a_table_is_its_map) {
  EXPECT_EQ(to_notation(fit(std::vector<std::uint64_t>{0, 2, 4, 6, 1, 3, 5, 7})),
            "i:3 -> rot(i, 1)");
  Random random(18);
  for (int width = 0; width <= 10; ++width) {
    const BitMap map = testing::random_affine(width, random);
    std::vector<std::uint64_t> table(bit(width));
    for (Word x = 0; x < table.size(); ++x) table[x] = map(x);
    EXPECT_EQ(fit(table), map);
    if (width < 3) continue;
    std::swap(table[5], table[6]);
    EXPECT_THROW(fit(table), NotAffine);
  }
}

TEST(Fit, what_is_no_map_is_refused) {
  try {
    fit(std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 7, 6});
    ADD_FAILURE();
  } catch (const NotAffine& error) {
    EXPECT_STREQ(error.what(), "index 6 goes to 7; the images of 0, 2 and 4 say 6");
  }
  EXPECT_THROW(fit(std::vector<std::uint64_t>{0, 1, 2}), Error);
  EXPECT_THROW(fit(std::vector<std::uint64_t>{}), Error);
  EXPECT_THROW(fit(std::vector<std::uint64_t>{0, 0}), Error);
  EXPECT_THROW(fit(std::vector<std::uint64_t>{0, 2}), Error);
}

TEST(Placement, copies_lie_on_their_devices) {
  // rep:1 x:3 -> x[2] rep | x[1:0]
  const Notation notation = say("rep:1 x:3 -> x[2] rep | x[1:0]").as_bits();
  const Placement placement(notation.map, 2, 1);
  EXPECT_EQ(placement.device(5), 2U);
  EXPECT_EQ(placement.device(5, 1), 3U);
  EXPECT_EQ(placement.memory(5, 1), 1U);
  EXPECT_EQ(placement.index_at(3, 1), 5U);
  EXPECT_EQ(placement.text(), "rep:1 i:3 -> i[2] rep | i[1:0]");
  // Other numberings of the copies are the same placement.
  const Placement other(say("rep:1 x:3 -> x[2] rep^x[0] | x[1:0]").map.as_bits(), 2, 1);
  EXPECT_EQ(placement, other);
}

using Holders = std::map<Word, std::set<Word>>;  // index -> devices

Holders holders(const Placement& p) {
  Holders result;
  for (Word i = 0; i < bit(p.index_bits()); ++i)
    for (Word r = 0; r < bit(p.replica_bits()); ++r) result[i].insert(p.device(i, r));
  return result;
}

TEST(Move, traffic_is_what_enumeration_counts) {
  Random random(7);
  int judged = 0;
  for (int round = 0; round < 300; ++round) {
    const int index = 2 + static_cast<int>(random.next() % 4);
    const int d_from = static_cast<int>(random.next() % 4);
    const int r_from = static_cast<int>(random.next() % 3);
    const int r_to = static_cast<int>(random.next() % 3);
    const int d_to = round % 2 == 0 ? d_from : static_cast<int>(random.next() % 4);
    const int devices = std::max(d_from, d_to);
    if (devices > index) continue;
    const Placement from(testing::random_affine(index + r_from, random), d_from, r_from);
    const Placement to(testing::random_affine(index + r_to, random), d_to, r_to);
    if (d_from != d_to) {
      EXPECT_FALSE(PlacementMove(from, to).map());
    }
    const Holders before = holders(from);
    const Holders after = holders(to);
    std::vector<std::uint64_t> kept(bit(devices));
    std::vector<std::uint64_t> received(bit(devices));
    for (const auto& [i, needed] : after)
      for (const Word d : needed) ++(before.at(i).count(d) != 0 ? kept : received)[d];
    const Traffic traffic = PlacementMove(from, to).traffic();
    EXPECT_EQ(traffic.kept_by_device, kept);
    EXPECT_EQ(traffic.received_by_device, received);
    const auto sum = [](const std::vector<std::uint64_t>& v) {
      return std::accumulate(v.begin(), v.end(), std::uint64_t{0});
    };
    EXPECT_EQ(traffic.kept, sum(kept));
    EXPECT_EQ(traffic.received, sum(received));
    EXPECT_EQ(sum(traffic.sent_by_device), sum(received));
    if (r_from == 0) {
      std::vector<std::uint64_t> sent(bit(devices));
      for (const auto& [i, needed] : after)
        for (const Word d : needed)
          if (before.at(i).count(d) == 0) ++sent[*before.at(i).begin()];
      EXPECT_EQ(traffic.sent_by_device, sent);
    }
    ++judged;
  }
  EXPECT_GT(judged, 200);
}

TEST(Move, xla_15207_keeps_a_quarter) {
  const auto sides = say_sides("xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}",
                               {.shape = {{16, 16, 16}}});
  ASSERT_TRUE(sides.has_value());
  const PlacementMove move(sides->from.placement(), sides->to.placement());
  const Traffic traffic = move.traffic();
  EXPECT_EQ(traffic.kept, 512U);
  EXPECT_EQ(traffic.received, 3584U);
  ASSERT_TRUE(move.map().has_value());
  EXPECT_EQ(move.map()->cut, (Cut{Cut::Kind::both, 3}));
}

TEST(Say, mixes_systems_and_notation) {
  const Sizes sizes{.shape = {{8, 8}}};
  const Notation a = say("jax:mesh x=4 y=2, P('y', 'x') => r:3 c:3 -> r | c", sizes).as_bits();
  const Notation b = say("r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0] => r:3 c:3 -> r | c").as_bits();
  EXPECT_EQ(a.map, b.map);
  EXPECT_EQ(a.cut, b.cut);
  EXPECT_EQ(say("einops:(a b) -> (b a), a=2", {.elements = Count{8}}).map,
            say("a:1 b:2 -> b a").map);
}

TEST(Say, copies_are_refused_where_a_map_is_wanted) {
  const Sizes eight{.shape = {{8}}};
  const char* copied = "xla:{devices=[2,2]<=[4] last_tile_dim_replicate}";
  EXPECT_THROW(say(copied, eight), NotExpressible);
  EXPECT_EQ(say(copied, {.shape = {{8}}, .copies = true}).copies, 2U);
  const char* spread = "jax:mesh x=2, P(None) => jax:mesh x=2, P('x')";
  EXPECT_THROW(say(spread, eight), NotExpressible);
  const auto sides = say_sides(spread, eight);
  ASSERT_TRUE(sides.has_value());
  EXPECT_EQ(sides->from.copies, 2U);
  EXPECT_EQ(sides->to.copies, 1U);
  EXPECT_FALSE(say_sides("cyclic:1|2 => block").has_value());
  EXPECT_THROW(say("xla:{manual} => xla:{replicated}", eight), NotExpressible);
}

}  // namespace
}  // namespace faro
