#include "planners/cube/shuffle/router.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/shuffle/negotiation.hpp"
#include "planners/cube/shuffle/small_cube.hpp"
#include "search/matching.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Of the negotiations of one request, in looks at a link: a third of a second.
constexpr std::uint64_t router_work_max = std::uint64_t{16} << 20U;

// Every step each processor matches its elements, farthest first, to links that bring them nearer.
// It always ends: in each step every processor with an element under way sends one.
class Greedy {
 public:
  explicit Greedy(const SmallCube& cube) : cube_(cube), at_(cube.to.size()) {
    for (Word e = 0; e < at_.size(); ++e) at_[e] = cube.node_of(e);
  }

  Routing run() {
    Routing routing{.hops = {}, .steps = 0};
    routing.hops.resize(at_.size());
    while (step(routing)) ++routing.steps;
    return routing;
  }

 private:
  bool step(Routing& routing) {
    std::vector<std::vector<Word>> at_node(cube_.nodes());  // by first nodes
    for (Word e = 0; e < at_.size(); ++e)
      if (cube_.first_element(e) == e && cube_.away(at_[e], e) != 0)
        at_node[cube_.first_node(at_[e])].push_back(e);
    std::vector<std::pair<Word, int>> moves;
    search::Matching links(cube_.active.size());  // of one node, to elements
    for (std::vector<Word>& here : at_node) {
      std::stable_sort(here.begin(), here.end(), [&](Word a, Word b) {
        return std::popcount(cube_.away(at_[a], a)) > std::popcount(cube_.away(at_[b], b));
      });
      links.clear();
      for (const Word e : here)
        links.add(e, [&](std::size_t element, auto&& ask) {
          const Word away = cube_.away(at_[element], element);
          for (int d = 0; d < cube_.dimensions(); ++d)
            if (has_bit(away, d) && ask(static_cast<std::size_t>(d))) return;
        });
      for (int d = 0; d < cube_.dimensions(); ++d)
        if (const Word e = links.holder(static_cast<std::size_t>(d)); e != links.nobody)
          moves.emplace_back(e, d);
    }
    for (const auto& [e, d] : moves) {
      routing.hops[e].push_back({static_cast<std::uint32_t>(routing.steps), d});
      at_[e] ^= bit(d);
    }
    return !moves.empty();
  }

  const SmallCube& cube_;
  std::vector<Word> at_;  // the node of each first element
};

}  // namespace

bool router_fits(const Structure& s) {
  const std::size_t active = active_dimensions(s).size();
  return active + static_cast<std::size_t>(s.slot_bits) <= limits::router_elements_log2_max &&
         s.elements() >= 2 && s.elements() <= 4 * active;
}

Routing route(const Structure& s, Count bound) {
  FARO_CHECK(router_fits(s));
  const SmallCube cube = small_cube(s);
  Routing best = Greedy(cube).run();
  std::uint64_t work = router_work_max;
  while (best.steps > bound) {
    auto hops = negotiate(cube, static_cast<std::uint32_t>(best.steps) - 1, work);
    if (!hops) break;
    best.hops = *std::move(hops);
    --best.steps;
  }
  return best;
}

}  // namespace faro::inline v1::shuffle
