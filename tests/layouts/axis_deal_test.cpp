// Deals of an axis against lists of every index, and what two deals have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/layouts/placement.hpp"

namespace faro {
namespace {

AxisDeal random_deal(Random& random, std::uint64_t length) {
  const std::uint64_t parts = 1 + random.below(7);
  AxisDeal deal;
  switch (random.below(4)) {
    case 0:
      deal = AxisDeal::block(length, parts);
      break;
    case 1:
      deal = AxisDeal::cyclic(length, parts, 1 + random.below(5), random.below(parts));
      break;
    case 2: {
      std::vector<std::uint64_t> sizes(parts);
      for (std::uint64_t k = 0; k < length; ++k) ++sizes[random.below(parts)];
      deal = AxisDeal::listed(length, sizes);
      break;
    }
    default: {
      std::vector<AxisPiece> pieces;
      std::vector<std::uint64_t> held(parts);
      for (std::uint64_t x = 0; x < length;) {
        const std::uint64_t end = x + 1 + random.below(std::min<std::uint64_t>(4, length - x));
        const std::uint64_t part = random.below(parts);
        pieces.push_back({x, end, part, held[part]});
        held[part] += end - x;
        x = end;
      }
      deal = AxisDeal::of_pieces(length, parts, pieces);
    }
  }
  return random.below(2) == 0 ? deal : deal.reversed();
}

TEST(AxisDeal, small_deals_are_those_of_the_table) {
  const AxisDeal block = AxisDeal::block(9, 4);
  EXPECT_EQ(block.size(0), 3U);
  EXPECT_EQ(block.size(3), 0U);
  const AxisDeal cyclic = AxisDeal::cyclic(10, 3, 2);
  EXPECT_EQ(cyclic.part_of(8), 1U);
  EXPECT_EQ(cyclic.place_of(8), 2U);
  EXPECT_EQ(cyclic.size(2), 2U);
  const AxisDeal listed = AxisDeal::listed(10, {1, 0, 7, 2});
  EXPECT_EQ(listed.part_of(1), 2U);
  EXPECT_EQ(listed.place_of(9), 1U);
  EXPECT_EQ(listed.reversed().part_of(9), 0U);
}

TEST(AxisDeal, deals_that_are_products_are_split) {
  Random random(19);
  int products = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::uint64_t low = 1 + random.below(12);
    const AxisDeal deal = random_deal(random, low * (1 + random.below(8)));
    const auto both = deal.split(low);
    if (!both) continue;
    ++products;
    const auto& [high, rest] = *both;
    ASSERT_EQ(high.parts() * rest.parts(), deal.parts());
    ASSERT_EQ(rest.length(), low);
    for (std::uint64_t x = 0; x < deal.length(); ++x) {
      const std::uint64_t h = x / low;
      const std::uint64_t l = x % low;
      const std::uint64_t part = rest.part_of(l);
      ASSERT_EQ(high.part_of(h) * rest.parts() + part, deal.part_of(x)) << deal.text();
      ASSERT_EQ(high.place_of(h) * rest.size(part) + rest.place_of(l), deal.place_of(x))
          << deal.text();
    }
  }
  EXPECT_GT(products, 1'000);
  EXPECT_FALSE(AxisDeal::cyclic(24, 8).split(12));
  EXPECT_FALSE(AxisDeal::block(24, 2).split(24 / 3));
}

TEST(AxisDeal, what_is_no_deal_is_refused) {
  EXPECT_THROW(AxisDeal::block(0, 4), Error);
  EXPECT_THROW(AxisDeal::block(4, 0), Error);
  EXPECT_THROW(AxisDeal::cyclic(4, 2, 0), Error);
  EXPECT_THROW(AxisDeal::cyclic(4, 2, 1, 2), Error);
  EXPECT_THROW(AxisDeal::listed(4, {1, 2}), Error);
  EXPECT_THROW(AxisDeal::listed(4, {3, 2}), Error);
  EXPECT_THROW(AxisDeal::of_pieces(4, 1, {{0, 3, 0, 0}}), Error);
  EXPECT_THROW(AxisDeal::of_pieces(4, 1, {{0, 3, 0, 0}, {2, 4, 0, 3}}), Error);
  EXPECT_THROW(AxisDeal::of_pieces(4, 1, {{0, 2, 0, 0}, {2, 4, 0, 3}}), Error);
  EXPECT_THROW(AxisDeal::block(~std::uint64_t{0}, 2), Error);
}

TEST(AxisDeal, every_index_has_a_place_of_its_own) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t length = 1 + random.below(40);
    const AxisDeal deal = random_deal(random, length);
    std::vector<std::vector<bool>> places(deal.parts());
    for (std::uint64_t p = 0; p < deal.parts(); ++p) places[p].resize(deal.size(p));
    for (std::uint64_t x = 0; x < length; ++x) {
      ASSERT_LT(deal.part_of(x), deal.parts());
      ASSERT_LT(deal.place_of(x), deal.size(deal.part_of(x))) << deal.text() << " " << x;
      ASSERT_FALSE(places[deal.part_of(x)][deal.place_of(x)]);
      places[deal.part_of(x)][deal.place_of(x)] = true;
    }
    std::uint64_t total = 0;
    for (const auto& part : places) total += part.size();
    ASSERT_EQ(total, length);
    ASSERT_EQ(deal.reversed().part_of(0), deal.part_of(length - 1));
    ASSERT_EQ(deal.reversed().reversed(), deal);
  }
}

// The stretches spelled out are the shared indices, and their places those of both deals.
void judge(const AxisDeal& a, const AxisDeal& b) {
  for (std::uint64_t p = 0; p < a.parts(); ++p) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> wanted;
    for (std::uint64_t x = 0; x < a.length(); ++x)
      if (a.part_of(x) == p) wanted[b.part_of(x)].push_back(x);
    const std::vector<AxisMeet> all = meets(a, p, b);
    ASSERT_EQ(all.size(), wanted.size()) << a.text() << " | " << b.text();
    for (const AxisMeet& m : all) {
      std::vector<std::uint64_t> got;
      for (const Stretch& s : m.stretches)
        for (std::uint64_t k = 0; k < s.count; ++k)
          for (std::uint64_t u = 0; u < s.run; ++u) {
            const std::uint64_t x = s.x + (k * s.stride) + u;
            got.push_back(x);
            for (const AxisDeal* d : {&a, &b}) {
              const LocalStretch at = d->local(s);
              const std::uint64_t by = (k * at.step) + u;
              ASSERT_EQ(d->place_of(x), at.descending ? at.begin - by : at.begin + by);
            }
          }
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got, wanted[m.part]) << a.text() << " | " << b.text();
      ASSERT_EQ(m.elements, got.size());
      ASSERT_EQ(shared(a, p, b, m.part), got.size()) << a.text() << " | " << b.text();
      // The other side, and the pair alone, say the same.
      ASSERT_EQ(meet(a, p, b, m.part).stretches, m.stretches) << a.text() << " | " << b.text();
      ASSERT_EQ(meet(b, m.part, a, p).stretches, m.stretches) << a.text() << " | " << b.text();
    }
    for (std::uint64_t q = 0; q < b.parts(); ++q)
      ASSERT_EQ(shared(a, p, b, q), wanted.contains(q) ? wanted[q].size() : 0);
  }
}

TEST(AxisDeal, meets_are_the_shared_indices) {
  Random random(2);
  for (int round = 0; round < 1500; ++round) {
    const std::uint64_t length = 1 + random.below(round % 3 == 0 ? 200 : 40);
    ASSERT_NO_FATAL_FAILURE(judge(random_deal(random, length), random_deal(random, length)));
  }
}

TEST(AxisDeal, long_axes_take_a_formula) {
  const std::uint64_t length = std::uint64_t{1} << 60U;
  const AxisDeal cyclic = AxisDeal::cyclic(length, 12, 64);
  const AxisDeal other = AxisDeal::cyclic(length, 16, 48);
  std::uint64_t total = 0;
  for (const AxisMeet& m : meets(cyclic, 5, other)) {
    total += m.elements;
    EXPECT_LT(m.stretches.size(), 16U);
  }
  EXPECT_EQ(total, cyclic.size(5));
  EXPECT_EQ(meets(AxisDeal::block(length, 10'000), 77, cyclic).size(), 12U);
}

}  // namespace
}  // namespace faro
