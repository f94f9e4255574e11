// Ways of flocks written as rules: the processors of a coset are one condition a free bit, and
// equal moves of cosets that together are a larger one are one rule.
#include <map>
#include <set>
#include <tuple>

#include "planners/cube/affine/flock_ways.hpp"
#include "planners/node_slots.hpp"

namespace faro::inline v1 {
namespace {

// Cosets that agree in the bits of `care`.
struct Agreeing {
  Word care = 0;
  Word value = 0;
  friend auto operator<=>(const Agreeing&, const Agreeing&) = default;
};

// Joins neighbours, one bit after another.
std::vector<Agreeing> joined(int coset_bits, const std::vector<Word>& cosets) {
  std::set<Agreeing> all;
  for (const Word coset : cosets) all.insert({low_mask(coset_bits), coset});
  for (int i = 0; i < coset_bits && all.size() > 1; ++i) {
    std::set<Agreeing> larger;
    for (const Agreeing& a : all) {
      const bool whole = has_bit(a.care, i) && all.contains({a.care, a.value ^ bit(i)});
      larger.insert(whole ? Agreeing{a.care ^ bit(i), a.value & ~bit(i)} : a);
    }
    all = std::move(larger);
  }
  return {all.begin(), all.end()};
}

using MoveKey = std::tuple<Slot, int, Slot>;  // from, across, to
using Moves = std::map<MoveKey, std::vector<Word>>;

void push_moves(const Flocks& flocks, const Moves& moves, ScheduleSink& sink) {
  if (moves.empty()) return;
  CubeStep step;
  for (const auto& [key, cosets] : moves)
    for (const Agreeing& a : joined(flocks.coset_bits(), cosets))
      step.rules.push_back({.where = flocks.where(a.care, a.value),
                            .from = std::get<0>(key),
                            .across = std::get<1>(key),
                            .to = std::get<2>(key)});
  sink.step(step);
}

// Where flocks are, in which slots.
class Stored {
 public:
  explicit Stored(const Flocks& flocks)
      : flocks_(flocks), slots_(flocks.cosets(), flocks.elements()) {
    for (Word coset = 0; coset < flocks.cosets(); ++coset)
      for (std::uint64_t slot = 0; slot < flocks.elements(); ++slot)
        at_.push_back({coset, static_cast<Slot>(slot)});
  }

  struct Crossing {
    std::size_t flock;
    int dimension;
  };
  // A flock keeps its slot's number where it can: then moves of several cosets are one rule.
  Moves step(const std::vector<Crossing>& crossings) {
    std::vector<NodeSlots::Hop> hops;
    for (const auto& [flock, dimension] : crossings) {
      const Place& at = at_[flock];
      hops.push_back({at.coset, at.slot, at.coset ^ flocks_.across(dimension), at.slot});
    }
    Moves moves;
    slots_.hop(hops, [&](std::size_t i, Slot slot) {
      moves[{hops[i].slot, crossings[i].dimension, slot}].push_back(hops[i].from);
      at_[crossings[i].flock] = {hops[i].to, slot};
    });
    return moves;
  }

  // To the slots wanted at last.
  Moves home() const {
    Moves moves;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const Slot to =
          flocks_.home(i / flocks_.elements(), static_cast<Slot>(i % flocks_.elements()));
      if (to != at_[i].slot) moves[{at_[i].slot, inside, to}].push_back(at_[i].coset);
    }
    return moves;
  }
  std::uint64_t slots() const { return slots_.slots(); }

 private:
  struct Place {
    Word coset;
    Slot slot;
  };

  const Flocks& flocks_;
  NodeSlots slots_;
  std::vector<Place> at_;
};

}  // namespace

void push_flocks(const Request& request, const Flocks& flocks, const FlockWays& ways,
                 std::string_view planner, ScheduleSink& sink) {
  std::vector<std::vector<Stored::Crossing>> crossings(ways.steps);
  for (std::size_t i = 0; i < ways.hops.size(); ++i)
    for (const FlockWays::Hop& hop : ways.hops[i])
      crossings[hop.step].push_back({i, hop.dimension});
  Stored stored(flocks);
  std::vector<Moves> steps;
  for (const auto& now : crossings) steps.push_back(stored.step(now));
  sink.begin(cube_header(request, planner, stored.slots()));
  flocks.push_before(sink);
  for (const Moves& moves : steps) push_moves(flocks, moves, sink);
  push_moves(flocks, stored.home(), sink);
  flocks.push_after(sink);
  sink.finish();
}

}  // namespace faro::inline v1
