// The searches that planners share, on small cases whose answers can be enumerated.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "search/flow.hpp"
#include "search/matching.hpp"
#include "search/negotiation.hpp"

namespace faro::search {
namespace {

// The most pairs, by trying every set of partners.
std::size_t largest_matching(const std::vector<std::vector<std::size_t>>& wants, std::size_t left,
                             std::uint64_t taken) {
  if (left == wants.size()) return 0;
  std::size_t most = largest_matching(wants, left + 1, taken);
  for (const std::size_t right : wants[left])
    if ((taken >> right & 1U) == 0)
      most = std::max(most,
                      1 + largest_matching(wants, left + 1, taken | (std::uint64_t{1} << right)));
  return most;
}

TEST(Matching, is_as_large_as_any_and_the_first_keep_a_partner) {
  Random random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t rights = 1 + random.below(6);
    std::vector<std::vector<std::size_t>> wants(1 + random.below(6));
    for (auto& list : wants)
      for (std::size_t r = 0; r < rights; ++r)
        if (random.below(3) == 0) list.push_back(r);
    Matching matching(rights);
    std::size_t size = 0;
    for (std::size_t l = 0; l < wants.size(); ++l) {
      size += matching.add(l, [&](std::size_t left, auto&& ask) {
        for (const std::size_t r : wants[left])
          if (ask(r)) return;
      });
      // Nobody who was matched is dropped.
      std::set<std::size_t> matched;
      for (std::size_t r = 0; r < rights; ++r)
        if (matching.holder(r) != Matching::nobody) {
          const auto& list = wants[matching.holder(r)];
          EXPECT_NE(std::find(list.begin(), list.end(), r), list.end());
          EXPECT_TRUE(matched.insert(matching.holder(r)).second);
        }
      ASSERT_EQ(matched.size(), size);
    }
    ASSERT_EQ(size, largest_matching(wants, 0, 0));
    matching.clear();
    EXPECT_EQ(matching.holder(0), Matching::nobody);
  }
}

// Travellers with some ways each, a way being a set of places; the cheapest is taken.
struct Choices {
  std::vector<std::vector<Way>> ways;

  bool solve(Negotiation& places, std::vector<Way>& taken) const {
    taken.assign(ways.size(), {});
    return places.run(
        taken, [](auto&) {},
        [&](std::size_t i, Way& way) {
          const auto cost = [&](const Way& w) {
            Price sum = 0;
            for (const std::uint32_t p : w) sum += places.price(p);
            return sum;
          };
          way = *std::min_element(ways[i].begin(), ways[i].end(),
                                  [&](const Way& a, const Way& b) { return cost(a) < cost(b); });
          return true;
        });
  }

  bool possible(const std::vector<std::uint16_t>& rooms, std::size_t i = 0) const {
    if (i == ways.size()) return true;
    for (const Way& way : ways[i]) {
      std::vector<std::uint16_t> left = rooms;
      bool fits = true;
      for (const std::uint32_t p : way) fits = fits && left[p]-- > 0;
      if (fits && possible(left, i + 1)) return true;
    }
    return false;
  }
};

TEST(Negotiation, finds_room_for_everybody_where_there_is_some) {
  Random random(11);
  int solved = 0;
  int refuted = 0;
  for (const auto rise : {Negotiation::Rise::sum, Negotiation::Rise::product})
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<std::uint16_t> rooms(5);
      for (auto& room : rooms) room = static_cast<std::uint16_t>(1 + random.below(2));
      Choices choices;
      choices.ways.resize(2 + random.below(4));
      for (auto& list : choices.ways)
        for (std::uint64_t w = 0; w <= random.below(3); ++w) {
          Way way;
          for (std::uint32_t p = 0; p < rooms.size(); ++p)
            if (random.below(3) == 0) way.push_back(p);
          if (way.empty()) way.push_back(static_cast<std::uint32_t>(random.below(5)));
          list.push_back(way);
        }
      Negotiation places(rooms, {.rise = rise, .growth = 30, .times = 110, .rounds = 400});
      std::vector<Way> taken;
      const bool found = choices.solve(places, taken);
      const bool possible = choices.possible(rooms);
      ASSERT_LE(found, possible);
      solved += found;
      refuted += !possible;
      EXPECT_EQ(found, possible) << trial;
      if (!found) continue;
      std::vector<int> users(rooms.size(), 0);
      for (const Way& way : taken)
        for (const std::uint32_t p : way) ++users[p];
      for (std::size_t p = 0; p < rooms.size(); ++p) ASSERT_LE(users[p], rooms[p]);
    }
  EXPECT_GT(solved, 100);
  EXPECT_GT(refuted, 20);
}

TEST(Negotiation, a_place_is_dearer_the_more_want_it_and_the_longer) {
  Negotiation places({1, 2}, {.pressure = 50, .times = 200, .rounds = 3});
  EXPECT_EQ(places.price(0), 1024);
  places.take({0, 1});
  EXPECT_EQ(places.price(0), 1024 + 512);  // one more than its room
  EXPECT_EQ(places.price(1), 1024);        // has room for one more
  places.leave({0, 1});
  // Two who have no other way: after a round the place has a history of 1, after the next of 2.
  std::vector<Way> ways(2);
  std::vector<Price> seen;
  EXPECT_FALSE(places.run(
      ways, [](auto&) {},
      [&](std::size_t, Way& way) {
        seen.push_back(places.price(0));
        way = {0};
        return true;
      }));
  EXPECT_EQ(seen, (std::vector<Price>{1024, 1024 + 512, 2 * (1024 + 1024), 2 * (1024 + 1024),
                                      3 * (1024 + 2048), 3 * (1024 + 2048)}));
}

TEST(Flow, keeps_its_bounds_wherever_they_can_be_kept) {
  Random random(3);
  int feasible = 0;
  for (int trial = 0; trial < 400; ++trial) {
    // 0 -> {1, 2} -> 3, five edges, every flow up to 2 an edge enumerated.
    const std::pair<std::uint32_t, std::uint32_t> ends[] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
    Flow::Bounds bounds[5];
    Flow flow(4);
    for (int e = 0; e < 5; ++e) {
      bounds[e].least = static_cast<std::int32_t>(random.below(3));
      bounds[e].most = static_cast<std::int32_t>(std::min<std::uint64_t>(
          2, static_cast<std::uint64_t>(bounds[e].least) + random.below(3)));
      flow.edge(ends[e].first, ends[e].second, bounds[e]);
    }
    bool possible = false;
    for (int code = 0; code < 243 && !possible; ++code) {
      int f[5];
      int rest = code;
      bool fits = true;
      for (int e = 0; e < 5; ++e, rest /= 3) {
        f[e] = rest % 3;
        fits = fits && f[e] >= bounds[e].least && f[e] <= bounds[e].most;
      }
      possible = fits && f[0] == f[2] + f[3] && f[1] + f[2] == f[4];
    }
    ASSERT_EQ(flow.circulate(0, 3), possible) << trial;
    if (!possible) continue;
    ++feasible;
    for (std::uint32_t e = 0; e < 5; ++e) {
      EXPECT_GE(flow.through(2 * e), bounds[e].least);
      EXPECT_LE(flow.through(2 * e), bounds[e].most);
    }
  }
  EXPECT_GT(feasible, 50);
}

}  // namespace
}  // namespace faro::search
