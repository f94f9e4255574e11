// A routing written as rules: equal moves of processors that form a subcube are one rule.
#include <map>
#include <set>
#include <tuple>

#include "faro/planners/shuffle/router.hpp"
#include "planners/shuffle/small_cube.hpp"

namespace faro::shuffle {
namespace {

// A subcube of the active dimensions.
struct Subcube {
  Word care = 0;
  Word value = 0;
  friend auto operator<=>(const Subcube&, const Subcube&) = default;
};

// Joins neighbours, one dimension after another.
std::vector<Subcube> subcubes(const std::vector<Word>& nodes, int dimensions) {
  std::set<Subcube> cubes;
  for (const Word z : nodes) cubes.insert({low_mask(dimensions), z});
  for (int d = 0; d < dimensions; ++d) {
    std::set<Subcube> joined;
    for (const Subcube& c : cubes) {
      const bool whole = has_bit(c.care, d) && cubes.contains({c.care, c.value ^ bit(d)});
      joined.insert(whole ? Subcube{c.care ^ bit(d), c.value & ~bit(d)} : c);
    }
    cubes = std::move(joined);
  }
  return {cubes.begin(), cubes.end()};
}

using MoveKey = std::tuple<Slot, int, Slot>;  // from, across, to

CubeStep as_rules(const std::map<MoveKey, std::vector<Word>>& moves,
                  const std::vector<int>& active) {
  CubeStep step;
  for (const auto& [key, nodes] : moves)
    for (const Subcube& cube : subcubes(nodes, static_cast<int>(active.size()))) {
      Rule rule{.where = {},
                .from = std::get<0>(key),
                .across = std::get<1>(key),
                .to = std::get<2>(key)};
      for (std::size_t i = 0; i < active.size(); ++i)
        if (has_bit(cube.care, static_cast<int>(i)))
          rule.where.push_back({.mask = bit(active[i]),
                                .value = has_bit(cube.value, static_cast<int>(i)) ? 1U : 0U});
      step.rules.push_back(std::move(rule));
    }
  return step;
}

}  // namespace

std::vector<CubeStep> routed_steps(const Structure& s, const Routing& routing,
                                   std::uint64_t& slots) {
  const SmallCube cube = small_cube(s);
  std::vector<std::vector<bool>> used(cube.nodes(), std::vector<bool>(s.elements(), true));
  std::vector<Word> at(cube.to.size());
  std::vector<Slot> slot(cube.to.size());
  std::vector<std::size_t> next(cube.to.size(), 0);
  for (std::size_t e = 0; e < at.size(); ++e) {
    at[e] = cube.node_of(e);
    slot[e] = cube.slot_of(e);
  }
  const auto take = [&](Word node, Slot wanted) {
    auto& here = used[node];
    Slot chosen = wanted;
    if (here[wanted])
      for (chosen = 0; chosen < here.size() && here[chosen];) ++chosen;
    if (chosen == here.size())
      for (auto& each : used) each.push_back(false);
    used[node][chosen] = true;
    return chosen;
  };
  std::vector<CubeStep> steps;
  for (std::uint32_t now = 0; now < routing.steps; ++now) {
    std::vector<std::size_t> moving;
    for (std::size_t e = 0; e < at.size(); ++e)
      if (next[e] < routing.hops[e].size() && routing.hops[e][next[e]].step == now) {
        moving.push_back(e);
        used[at[e]][slot[e]] = false;
      }
    std::map<MoveKey, std::vector<Word>> moves;
    for (const std::size_t e : moving) {
      const int d = routing.hops[e][next[e]++].dimension;
      const Word from = at[e];
      at[e] ^= bit(d);
      const Slot to = take(at[e], slot[e]);
      moves[{slot[e], routing.active[static_cast<std::size_t>(d)], to}].push_back(from);
      slot[e] = to;
    }
    steps.push_back(as_rules(moves, routing.active));
  }
  std::map<MoveKey, std::vector<Word>> last;
  for (std::size_t e = 0; e < at.size(); ++e) {
    const auto to = cube.slot_of(cube.to[e]);
    if (slot[e] != to) last[{slot[e], inside, to}].push_back(at[e]);
  }
  if (!last.empty()) steps.push_back(as_rules(last, routing.active));
  slots = used.front().size();
  return steps;
}

}  // namespace faro::shuffle
