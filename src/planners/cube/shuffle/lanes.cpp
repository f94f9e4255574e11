// The lanes: how single elements walk short real cycles.
//
// An element's class is the set of dimensions in which its processor and its goal differ; all of a
// class take one path. Two and three dimensions were found by hand. Four, even: found by search
// (constraint programming over paths of at most two links more than the shortest, period 7): in 7
// steps 12 elements enter, three lanes in four turns each, which is 7K/12, the best flow; pairs of
// elements take 5K/8.
#include <algorithm>
#include <array>

#include "planners/cube/shuffle/rule_forms.hpp"

namespace faro::inline v1::shuffle {
namespace {

constexpr Time four_latency = 5;

// In turn 0: the class, dimension i of the cycle as 1 << i; what it does at the five steps, '.' for
// waiting. A class never arrives before the slot's element of the next class has left.
struct FourRow {
  unsigned set;
  const char* path;
};
constexpr std::array<std::array<FourRow, 7>, 3> four_table{{
    {{{0b0011, "0.1.."},
      {0b0110, "..1.2"},
      {0b0101, "0...2"},
      {0b1100, "1231."},
      {0b1111, "01.23"},
      {0b1010, "..13."},
      {0b1001, ".3.0."}}},
    {{{0b0011, "3.013"},
      {0b0110, "..1.2"},
      {0b0101, ".2.0."},
      {0b1100, ".2.3."},
      {0b1111, "30.12"},
      {0b1010, "01.30"},
      {0b1001, "0.3.."}}},
    {{{0b0011, "...10"},
      {0b0110, "..12."},
      {0b0101, ".02.."},
      {0b1100, ".2..3"},
      {0b1111, "30.12"},
      {0b1010, "..3.1"},
      {0b1001, "2.302"}}},
}};

// "The goal differs from the source in dimension number i of the cycle" = value.
Parity source_form(const Cycle& cycle, int i, unsigned value) {
  const auto length = static_cast<std::size_t>(cycle.length());
  const std::size_t at = static_cast<std::size_t>(i) % length;
  return {.mask = bit(cycle.dimensions[(at + length - 1) % length]) ^ bit(cycle.dimensions[at]),
          .value = value ^ cycle.inverted[at]};
}

std::vector<LaneClass> four_classes(const Cycle& cycle, LaneKind kind, int turn) {
  const auto which = static_cast<std::size_t>(kind) - static_cast<std::size_t>(LaneKind::e4a);
  std::vector<LaneClass> classes;
  for (const FourRow& row : four_table[which]) {
    LaneClass c;
    // Of an even cycle three of the four forms say all.
    for (int i = 0; i < 3; ++i)
      c.where.push_back(source_form(cycle, i + turn, (row.set >> static_cast<unsigned>(i)) & 1U));
    for (Time t = 0; t < four_latency; ++t) {
      const int at = row.path[t] == '.' ? -1 : (row.path[t] - '0' + turn) % 4;
      c.across.push_back(at < 0 ? inside : cycle.dimensions[static_cast<std::size_t>(at)]);
    }
    classes.push_back(std::move(c));
  }
  return classes;
}

}  // namespace

std::vector<LaneClass> lane_classes(const Cycle& cycle, LaneKind kind, int turn) {
  const auto r = [&](int i) {
    return cycle.dimensions[static_cast<std::size_t>(i % cycle.length())];
  };
  const auto differs = [&](int i) { return source_form(cycle, i, 1); };
  std::vector<LaneClass> classes;
  switch (kind) {
    case LaneKind::complement:
      return {{.where = {}, .across = {r(0)}}};
    case LaneKind::e2a:
      return {{.where = {differs(0)}, .across = {r(0), r(1)}}};
    case LaneKind::e2b:
      return {{.where = {differs(0)}, .across = {r(1), r(0)}}};
    case LaneKind::o2f:
      for (int i = 0; i < 2; ++i) classes.push_back({{differs(i)}, {r(i)}});
      return classes;
    case LaneKind::o2b:
      for (int i = 0; i < 2; ++i) classes.push_back({{differs(i)}, {r(i + 1), r(i), r(i + 1)}});
      return classes;
    case LaneKind::e3s:
      for (int i = 0; i < 3; ++i)
        classes.push_back({{differs(i), differs(i + 1)}, {r(i), r(i + 1)}});
      return classes;
    case LaneKind::e3f:
      for (int i = 0; i < 3; ++i)
        classes.push_back({{differs(i), differs(i + 1)}, {r(i + 1), r(i)}});
      return classes;
    case LaneKind::e3b:
      for (int i = 0; i < 3; ++i)
        classes.push_back({{differs(i), differs(i + 1)}, {r(i + 2), r(i), r(i + 1), r(i + 2)}});
      return classes;
    case LaneKind::e4a:
    case LaneKind::e4b:
    case LaneKind::e4c:
      return four_classes(cycle, kind, turn);
  }
  return classes;
}

std::size_t lane_transits(LaneKind kind) {
  if (kind == LaneKind::complement || kind == LaneKind::o2f) return 0;
  if (lane_latency(kind) == four_latency) return four_table.front().size();
  return kind == LaneKind::e3s ? 3 : 1;
}

void add_lane_hop(CubeStep& step, const std::vector<LaneClass>& classes, std::size_t hop, Slot slot,
                  std::span<const Slot> transits) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const LaneClass& c = classes[i];
    if (hop >= c.across.size() || c.across[hop] == inside) continue;
    std::vector<Parity> where = c.where;
    Word crossed = 0;
    bool first = true;
    for (std::size_t h = 0; h < hop; ++h) {
      if (c.across[h] == inside) continue;
      crossed ^= bit(c.across[h]);
      first = false;
    }
    const bool last = std::all_of(c.across.begin() + static_cast<std::ptrdiff_t>(hop) + 1,
                                  c.across.end(), [](int d) { return d == inside; });
    for (Parity& p : where) p.value ^= parity(p.mask & crossed);
    const Slot between = transits.empty() ? slot : transits[i % transits.size()];
    add_rule(step, where, first ? slot : between, c.across[hop], last ? slot : between);
  }
}

}  // namespace faro::inline v1::shuffle
