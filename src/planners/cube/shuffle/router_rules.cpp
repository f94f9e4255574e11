// A routing written as rules. Elements of a class move alike, so they get equal slots: while the
// routing lasts a translation's `slots` are added to all slot numbers of the processors with its
// lead set. Then a move of a class is one rule, its processors a coset of the translations, and
// equal moves of classes that together are a larger coset are one rule too.
#include <map>
#include <set>
#include <tuple>

#include "planners/cube/shuffle/router.hpp"
#include "planners/cube/shuffle/small_cube.hpp"

namespace faro::inline v1::shuffle {
namespace {

// First nodes that agree in the bits of `care`, and their classes.
struct Coset {
  Word care = 0;
  Word value = 0;
  friend auto operator<=>(const Coset&, const Coset&) = default;
};

Word leads_of(const SmallCube& cube) {
  Word leads = 0;
  for (const Translation& t : cube.translations) leads |= t.lead();
  return leads;
}

// Joins neighbours, one dimension after another.
std::vector<Coset> cosets(const SmallCube& cube, const std::vector<Word>& first_nodes) {
  std::set<Coset> all;
  for (const Word z : first_nodes) all.insert({low_mask(cube.dimensions()) & ~leads_of(cube), z});
  for (int d = 0; d < cube.dimensions(); ++d) {
    std::set<Coset> joined;
    for (const Coset& c : all) {
      const bool whole = has_bit(c.care, d) && all.contains({c.care, c.value ^ bit(d)});
      joined.insert(whole ? Coset{c.care ^ bit(d), c.value & ~bit(d)} : c);
    }
    all = std::move(joined);
  }
  return {all.begin(), all.end()};
}

// A dimension beside the lead of its translation: their parity is the same all over a class.
std::vector<Parity> conditions(const SmallCube& cube, const Coset& coset) {
  std::vector<Parity> where;
  for (const Translation& t : cube.translations)
    for (Word left = t.nodes & coset.care; left != 0; left &= left - 1) {
      const int d = lowest_bit(left);
      where.push_back({.mask = bit(cube.active[static_cast<std::size_t>(d)]) |
                               bit(cube.active[static_cast<std::size_t>(lowest_bit(t.nodes))]),
                       .value = has_bit(coset.value, d) ? 1U : 0U});
    }
  return where;
}

using MoveKey = std::tuple<Slot, int, Slot>;  // from, across, to
using Moves = std::map<MoveKey, std::vector<Word>>;

CubeStep as_rules(const SmallCube& cube, const Moves& moves) {
  CubeStep step;
  for (const auto& [key, nodes] : moves)
    for (const Coset& coset : cosets(cube, nodes))
      step.rules.push_back({.where = conditions(cube, coset),
                            .from = std::get<0>(key),
                            .across = std::get<1>(key),
                            .to = std::get<2>(key)});
  return step;
}

// Adds a translation's slots where its lead is set.
void push_alignment(const SmallCube& cube, Word Translation::*slots, std::vector<CubeStep>& steps) {
  for (const Translation& t : cube.translations) {
    if (t.*slots == 0) continue;
    CubeStep step;
    const Word lead = bit(cube.active[static_cast<std::size_t>(lowest_bit(t.nodes))]);
    for (Word w = 0; w < bit(cube.slot_bits); ++w)
      step.rules.push_back({.where = {{.mask = lead, .value = 1}},
                            .from = static_cast<Slot>(w),
                            .across = inside,
                            .to = static_cast<Slot>(w ^ t.*slots)});
    steps.push_back(std::move(step));
  }
}

// The slots in use at each first node.
class Places {
 public:
  Places(Word nodes, std::uint64_t slots)
      : used_(nodes, std::vector<bool>(static_cast<std::size_t>(slots), true)) {}

  std::uint64_t slots() const { return used_.front().size(); }
  void leave(Word node, Slot slot) { used_[node][slot] = false; }
  // The slot wanted if it is free, else the lowest free one.
  Slot take(Word node, Slot wanted) {
    const std::vector<bool>& here = used_[node];
    Slot chosen = wanted;
    if (here[wanted])
      for (chosen = 0; chosen < here.size() && here[chosen];) ++chosen;
    if (chosen == here.size())
      for (std::vector<bool>& each : used_) each.push_back(false);
    used_[node][chosen] = true;
    return chosen;
  }

 private:
  std::vector<std::vector<bool>> used_;
};

struct Traveller {
  Word element = 0;
  Word at = 0;  // first node of the class of its processor
  Slot slot = 0;
  std::size_t next = 0;  // hop
};

}  // namespace

std::vector<CubeStep> routed_steps(const Structure& s, const Routing& routing,
                                   std::uint64_t& slots) {
  const SmallCube cube = small_cube(s);
  Places places(cube.nodes(), s.elements());
  std::vector<Traveller> travellers;
  for (Word e = 0; e < cube.to.size(); ++e)
    if (cube.first_element(e) == e) travellers.push_back({e, cube.node_of(e), cube.slot_of(e), 0});
  std::vector<CubeStep> steps;
  push_alignment(cube, &Translation::slots, steps);
  for (std::uint32_t now = 0; now < routing.steps; ++now) {
    std::vector<Traveller*> moving;
    for (Traveller& t : travellers) {
      const std::vector<Hop>& hops = routing.hops[t.element];
      if (t.next == hops.size() || hops[t.next].step != now) continue;
      moving.push_back(&t);
      places.leave(t.at, t.slot);
    }
    Moves moves;
    for (Traveller* t : moving) {
      const int d = routing.hops[t->element][t->next++].dimension;
      const Word from = t->at;
      t->at = cube.first_node(from ^ bit(d));
      const Slot to = places.take(t->at, t->slot);
      moves[{t->slot, cube.active[static_cast<std::size_t>(d)], to}].push_back(from);
      t->slot = to;
    }
    steps.push_back(as_rules(cube, moves));
  }
  Moves last;
  for (const Traveller& t : travellers) {
    const Slot to = cube.slot_of(cube.to[cube.first_arrival(t.element)]);
    if (t.slot != to) last[{t.slot, inside, to}].push_back(t.at);
  }
  if (!last.empty()) steps.push_back(as_rules(cube, last));
  push_alignment(cube, &Translation::slots_after, steps);
  slots = places.slots();
  return steps;
}

}  // namespace faro::inline v1::shuffle
