// The searches that planners share, on small cases whose answers can be enumerated.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "search/flow.hpp"
#include "search/matching.hpp"

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
