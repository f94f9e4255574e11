// The router, on cases so small that all ways can be tried.
#include "search/route.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "base/random.hpp"

namespace faro::search {
namespace {

std::uint32_t drawn(Random& random, std::uint64_t end) {
  return static_cast<std::uint32_t>(random.below(end));
}

// Units with some ways each; the cheapest is taken.
struct Choices {
  std::vector<std::vector<Way>> ways;

  bool solve(Router& router, std::vector<Way>& taken) const {
    taken.assign(ways.size(), {});
    return router.run(
        taken, [](auto&) {},
        [&](std::size_t i, Way& way) {
          const auto cost = [&](const Way& w) {
            Price sum = 0;
            for (const Place p : w) sum += router.price(p);
            return sum;
          };
          way = *std::min_element(ways[i].begin(), ways[i].end(),
                                  [&](const Way& a, const Way& b) { return cost(a) < cost(b); });
          return true;
        });
  }

  // rooms[step][channel] are what is left.
  bool possible(const std::vector<std::vector<int>>& rooms, std::size_t i = 0) const {
    if (i == ways.size()) return true;
    for (const Way& way : ways[i]) {
      auto left = rooms;
      bool fits = true;
      for (const Place p : way) fits = fits && left[p.step][p.channel]-- > 0;
      if (fits && possible(left, i + 1)) return true;
    }
    return false;
  }
};

TEST(Router, finds_room_for_everybody_where_there_is_some) {
  Random random(11);
  int solved = 0;
  int refuted = 0;
  constexpr std::size_t steps = 2;
  for (const auto beside : {Router::Beside::steps, Router::Beside::channels})
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<std::uint16_t> rooms(3);
      for (auto& room : rooms) room = static_cast<std::uint16_t>(1 + random.below(2));
      Choices choices;
      choices.ways.resize(2 + random.below(5));
      for (auto& list : choices.ways)
        for (std::uint64_t w = 0; w <= random.below(3); ++w) {
          Way way;
          for (std::uint32_t t = 0; t < steps; ++t)
            for (std::uint32_t c = 0; c < rooms.size(); ++c)
              if (random.below(3) == 0) way.push_back({t, c});
          if (way.empty()) way.push_back({drawn(random, steps), drawn(random, 3)});
          list.push_back(way);
        }
      Router router(rooms, steps, beside, {.growth = 30, .times = 110, .rounds = {.most = 400}});
      std::vector<Way> taken;
      const bool found = choices.solve(router, taken);
      const bool possible = choices.possible(
          std::vector<std::vector<int>>(steps, std::vector<int>(rooms.begin(), rooms.end())));
      EXPECT_EQ(found, possible) << trial;
      solved += found;
      refuted += !possible;
      if (!found) continue;
      std::vector<std::vector<int>> users(steps, std::vector<int>(rooms.size()));
      for (const Way& way : taken)
        for (const Place p : way) ASSERT_LE(++users[p.step][p.channel], rooms[p.channel]);
    }
  EXPECT_GT(solved, 100);
  EXPECT_GT(refuted, 20);
}

TEST(Router, a_place_is_dearer_the_more_want_it_and_the_longer) {
  Router router({1, 2}, 1, Router::Beside::channels,
                {.pressure = 50, .times = 200, .rounds = {.most = 3}});
  EXPECT_EQ(router.price({0, 0}), 1024);
  router.take({{0, 0}, {0, 1}});
  EXPECT_EQ(router.price({0, 0}), 1024 + 512);  // one more than its room
  EXPECT_EQ(router.price({0, 1}), 1024);        // has room for one more
  router.leave({{0, 0}, {0, 1}});
  // Two who have no other way: after a round the place has a history of 1, after the next of 2.
  std::vector<Way> ways(2);
  std::vector<Price> seen;
  EXPECT_FALSE(router.run(
      ways, [](auto&) {},
      [&](std::size_t, Way& way) {
        seen.push_back(router.price({0, 0}));
        way = {{0, 0}};
        return true;
      }));
  EXPECT_EQ(seen, (std::vector<Price>{1024, 1024 + 512, 2 * (1024 + 1024), 2 * (1024 + 1024),
                                      3 * (1024 + 2048), 3 * (1024 + 2048)}));
}

TEST(Router, keeps_the_ways_that_are_in_time_and_not_crowded) {
  Router router({1, 1}, 2, Router::Beside::steps, {.rounds = {.most = 5}});
  std::vector<Way> ways = {{{0, 0}, {1, 1}}, {{2, 0}}, {}};
  std::vector<std::size_t> asked;
  EXPECT_TRUE(router.run(
      ways, [](auto&) {},
      [&](std::size_t i, Way& way) {
        asked.push_back(i);
        way = i == 1 ? Way{{1, 0}} : Way{{0, 1}};
        return true;
      }));
  EXPECT_EQ(asked, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(ways[0], (Way{{0, 0}, {1, 1}}));
}

// A graph whose crossings, and rests where they take a channel, have prices of their own in each
// step: channel `crossings` + p is resting in p.
struct Graph {
  struct Crossing {
    std::size_t from;
    std::size_t to;
  };
  std::size_t states = 0;
  std::vector<Crossing> crossings = {};  // by `from`
  bool rests_take_channels = false;
  std::vector<std::vector<Price>> prices = {};  // by step and channel

  struct Step {
    const Graph& graph;
    const std::vector<Price>& prices;
    static bool reaches(std::size_t) { return true; }
    Price rest(std::size_t p) const {
      return graph.rests_take_channels ? prices[graph.crossings.size() + p] : 0;
    }
    std::optional<std::size_t> rests(std::size_t p) const {
      if (!graph.rests_take_channels) return {};
      return graph.crossings.size() + p;
    }
    std::size_t first(std::size_t p) const {
      return static_cast<std::size_t>(std::count_if(graph.crossings.begin(), graph.crossings.end(),
                                                    [p](const Crossing& c) { return c.from < p; }));
    }
    std::size_t end(std::size_t p) const { return first(p + 1); }
    std::size_t to(std::size_t c) const { return graph.crossings[c].to; }
    Price price(std::size_t c) const { return prices[c]; }
    static std::size_t channel(std::size_t c) { return c; }
  };
  Step in_step(std::size_t t) const { return {*this, prices[t]}; }

  // The least price of going from p to `to` in the steps from t on, by trying all.
  Price least(std::size_t t, std::size_t p, std::size_t to) const {
    if (t == prices.size()) return p == to ? 0 : out_of_reach;
    Price best = least(t + 1, p, to) + (rests_take_channels ? prices[t][crossings.size() + p] : 0);
    for (std::size_t c = 0; c < crossings.size(); ++c)
      if (crossings[c].from == p)
        best = std::min(best, prices[t][c] + least(t + 1, crossings[c].to, to));
    return std::min(best, out_of_reach);
  }
};

TEST(StepwiseWays, are_as_cheap_as_any) {
  Random random(5);
  int reached = 0;
  int unreached = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Graph graph;
    graph.states = 2 + random.below(4);
    graph.rests_take_channels = trial % 2 == 0;
    for (std::size_t p = 0; p < graph.states; ++p)
      for (std::size_t q = 0; q < graph.states; ++q)
        if (p != q && random.below(3) == 0) graph.crossings.push_back({p, q});
    const std::size_t steps = 1 + random.below(4);
    for (std::size_t t = 0; t < steps; ++t) {
      graph.prices.emplace_back();
      for (std::size_t c = 0; c < graph.crossings.size() + graph.states; ++c)
        graph.prices.back().push_back(1 + random.below(4));
    }
    StepwiseWays finder(graph.states, steps);
    for (std::size_t to = 0; to < graph.states; ++to) {
      Way way;
      const Price least = graph.least(0, 0, to);
      const bool found = finder.find(graph, 0, to, way);
      ASSERT_EQ(found, least < out_of_reach);
      (found ? reached : unreached) += 1;
      if (!found) continue;
      Price paid = 0;
      std::size_t p = 0;
      std::optional<std::uint32_t> before;
      for (const Place place : way) {
        ASSERT_TRUE(!before || place.step > *before);
        before = place.step;
        paid += graph.prices[place.step][place.channel];
        if (place.channel >= graph.crossings.size()) {
          ASSERT_EQ(place.channel - graph.crossings.size(), p);
          continue;
        }
        ASSERT_EQ(graph.crossings[place.channel].from, p);
        p = graph.crossings[place.channel].to;
      }
      ASSERT_EQ(p, to);
      ASSERT_EQ(paid, least);
      if (graph.rests_take_channels) {
        ASSERT_EQ(way.size(), steps);
      }
    }
  }
  EXPECT_GT(reached, 300);
  EXPECT_GT(unreached, 50);
}

// The example of the header.
TEST(StepwiseWays, units_on_a_line_make_way_for_each_other) {
  Graph line{.states = 3, .crossings = {{0, 1}, {1, 2}}};
  Router router({1, 1}, 2, Router::Beside::channels, {.rounds = {.most = 10}});
  StepwiseWays finder(3, 2);
  std::vector<Way> ways(2);
  ASSERT_TRUE(router.run(
      ways, [](auto&) {},
      [&](std::size_t i, Way& way) {
        line.prices.clear();
        for (std::uint32_t t = 0; t < 2; ++t)
          line.prices.push_back({router.price({t, 0}), router.price({t, 1})});
        return finder.find(line, i, 2, way);
      }));
  EXPECT_EQ(ways[0], (Way{{0, 0}, {1, 1}}));
  EXPECT_EQ(ways[1], (Way{{0, 1}}));
}

// A box of a mesh whose state is the number of its cell.
struct Cells {
  std::vector<std::size_t> lengths;
  std::vector<Price> prices;  // by cell and axis

  std::uint64_t stride(std::size_t axis) const {
    std::uint64_t cells = 1;
    for (std::size_t k = 0; k < axis; ++k) cells *= lengths[k] + 1;
    return cells;
  }
  std::uint32_t channel(std::uint64_t at, std::size_t axis) const {
    return static_cast<std::uint32_t>(at * lengths.size() + axis);
  }
  Price price(std::uint32_t channel) const { return prices[channel]; }
  std::uint64_t across(std::uint64_t at, std::size_t axis) const { return at + stride(axis); }
};

TEST(BoxWays, are_as_cheap_as_any_order_of_the_axes) {
  Random random(21);
  BoxWays finder;
  for (int trial = 0; trial < 200; ++trial) {
    Cells cells;
    for (std::uint64_t axes = random.below(4); axes > 0; --axes)
      cells.lengths.push_back(random.below(3));
    for (std::uint64_t c = cells.stride(cells.lengths.size()) * cells.lengths.size(); c > 0; --c)
      cells.prices.push_back(random.below(5));
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < cells.lengths.size(); ++k)
      order.insert(order.end(), cells.lengths[k], k);
    Price least = out_of_reach;
    do {
      Price paid = 0;
      std::uint64_t at = 0;
      for (const std::size_t k : order) {
        paid += cells.price(cells.channel(at, k));
        at = cells.across(at, k);
      }
      least = std::min(least, paid);
    } while (std::next_permutation(order.begin(), order.end()));
    std::vector<std::uint32_t> channels;
    ASSERT_EQ(finder.find(cells.lengths, 0, cells, channels), least);
    ASSERT_EQ(channels.size(), order.size());
    Price paid = 0;
    std::uint64_t at = 0;
    for (const std::uint32_t channel : channels) {
      ASSERT_EQ(channel / cells.lengths.size(), at);
      paid += cells.price(channel);
      at = cells.across(at, channel % cells.lengths.size());
    }
    ASSERT_EQ(at + 1, cells.stride(cells.lengths.size()));
    ASSERT_EQ(paid, least);
  }
}

}  // namespace
}  // namespace faro::search
