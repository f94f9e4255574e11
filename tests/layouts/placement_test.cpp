// Tables, placements with copies, and what a move costs: beside enumeration.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "faro/layouts/fit.hpp"
#include "faro/layouts/foreign.hpp"
#include "faro/layouts/placement_move.hpp"
#include "layouts/plain_words.hpp"
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
  const Notation notation = parse_notation("rep:1 x:3 -> x[2] rep | x[1:0]");
  const Placement placement(notation.map, 2, 1);
  EXPECT_EQ(placement.device(5), 2U);
  EXPECT_EQ(placement.device(5, 1), 3U);
  EXPECT_EQ(placement.memory(5, 1), 1U);
  EXPECT_EQ(placement.index_at(3, 1), 5U);
  EXPECT_EQ(placement.text(), "rep:1 i:3 -> i[2] rep | i[1:0]");
  // Other numberings of the copies are the same placement.
  const Placement other(parse_notation("rep:1 x:3 -> x[2] rep^x[0] | x[1:0]").map, 2, 1);
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
  const auto sides = read_move("xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}",
                               {}, {{16, 16, 16}, {}, {}});
  ASSERT_TRUE(sides.has_value());
  const PlacementMove move(sides->from, sides->to);
  const Traffic traffic = move.traffic();
  EXPECT_EQ(traffic.kept, 512U);
  EXPECT_EQ(traffic.received, 3584U);
  ASSERT_TRUE(move.map().has_value());
  EXPECT_EQ(move.map()->cut, (Cut{Cut::Kind::both, 3}));
}

TEST(ReadMap, mixes_systems_and_notation) {
  const ForeignSizes sizes{{8, 8}, {}, {}};
  const Notation a = read_map("jax:mesh x=4 y=2, P('y', 'x') => r:3 c:3 -> r | c", {}, sizes);
  const Notation b = read_map("r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0] => r:3 c:3 -> r | c", {});
  EXPECT_EQ(a.map, b.map);
  EXPECT_EQ(a.cut, b.cut);
  EXPECT_EQ(read_map("einops:(a b) -> (b a), a=2", {.total = 3, .processor = {}}).map,
            read_map("a:1 b:2 -> b a").map);
  EXPECT_EQ(read_map("x:3 -> rev(x)").map, read_map("bit-reversal:3").map);
  EXPECT_THROW(read_map("xla:{devices=[2,2]<=[4] last_tile_dim_replicate}", {}, {{8}, {}, {}}),
               NotExpressible);
  EXPECT_THROW(read_map("jax:mesh x=2, P(None) => jax:mesh x=2, P('x')", {}, {{8}, {}, {}}),
               NotExpressible);
}

TEST(ReadMap, a_side_alone_in_one_name_is_a_map) {
  const KnownSizes four{.total = 4, .processor = {}};
  EXPECT_EQ(read_map("~i", four).map, read_map("i -> ~i", four).map);
  EXPECT_EQ(read_map("rot(i, 1)", four).map, read_map("i -> rot(i, 1)", four).map);
  EXPECT_EQ(read_map("gray(x)", four).map, read_map("gray:4").map);
  EXPECT_EQ(read_map("i[1:0] ~i[3:2]", four).map, read_map("i:4 -> i[1:0] ~i[3:2]").map);
  EXPECT_THROW(read_map("rot(i, j)", four), NotationError);
  EXPECT_THROW(read_map("nosuchmap", four), NotationError);
  EXPECT_THROW(read_map("~i"), NotationError);
}

TEST(PlainWords, are_what_the_notation_alone_reads) {
  const ForeignSizes sizes{{16, 16, 16}, {}, {}};
  const std::string move = layouts::plain_words(
      "xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}", sizes);
  const Notation notation = parse_notation(move);
  EXPECT_EQ(notation.cut, (Cut{Cut::Kind::both, 3}));
  EXPECT_EQ(notation.map.width(), 12);
  EXPECT_EQ(layouts::plain_words("~i", {}), "i -> ~i");
  EXPECT_EQ(layouts::plain_words("[x]", {}), "[x]");  // wrong either way: told as it was written
  for (const char* plain : {"i -> rev(i)", "gray:4", "cyclic:4|2 => consecutive", "bit-reversal"})
    EXPECT_EQ(layouts::plain_words(plain, {}), plain);
  EXPECT_THROW(layouts::plain_words("xla:{manual} => xla:{replicated}", sizes), NotExpressible);
}

}  // namespace
}  // namespace faro
