// Classes of a linear form, one a step, on a fat tree.   [faro]
//
//   applies:  any affine map
//   cost:     max 2^(m+a-u) steps over tiers of 2^a processors with links for 2^u elements, and
//             less by a factor of 1 - 2^-rho where what stays below a switch goes in the same steps
//   bound:    what leaves the processors below one switch, over its links: met wherever one tier
//             has both the most to send and, with what stays set apart, the largest rank
//   where     m memory bits (K = 2^m elements that move alike are m memory bits that stay), rho the
//             rank of what tells elements that stay from others
//
// Which form, and why these ranks are reached: planners/ranks/class_form.hpp. Every element goes
// straight to its processor. A class is an affine subspace of places; those of it that agree in
// address before and after share a rule. Elements arrive behind those that are still to leave: 2K
// registers. K that is no power of two is moved in powers of two, one after the other.
#include "planners/ranks/tree_classes.hpp"

#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "planners/ranks/class_form.hpp"

namespace faro::inline v1 {
namespace {

const Crossbar& tree_of(const Request& request) {
  return std::get<Crossbar>(request.machine());
}

// So many elements of every processor, from register `first` on, and their map.
class Block {
 public:
  Block(const Crossbar& tree, const BitMap& map, int memory, Slot first, Slot behind)
      : map_(map),
        memory_(memory),
        first_(first),
        behind_(behind),
        form_(ranks::class_form(tree, map, memory)) {
    // What tells addresses apart on a class, before and after the move.
    AffineSpace known = class_of(0);
    for (int b = 0; b < memory; ++b)
      for (const Parity& address : {Parity{bit(b), 0}, Parity{map.matrix().row(b), 0}})
        if (known.reduced(address).mask != 0) {
          addresses_.push_back(address);
          known = known.meet(address);
        }
  }

  Count steps() const { return form_.steps(); }
  int rules_log2() const { return form_.bits() + static_cast<int>(addresses_.size()); }

  void push(ScheduleSink& sink) const {
    PopsSlot slot;
    for (Word k = 0; k < bit(form_.bits()); ++k) {
      const bool of_what_stays = form_.sets_apart && (k & low_mask(form_.stay_bits)) == 0;
      if (of_what_stays && form_.shift) continue;
      slot.clear();
      add_rules(class_of(k), slot);
      if (form_.shift && ((k ^ *form_.shift) & low_mask(form_.stay_bits)) == 0)
        add_rules(class_of(k ^ *form_.shift), slot);
      sink.step(slot);
    }
  }

 private:
  AffineSpace class_of(Word k) const {
    std::vector<Parity> wanted = form_.rows;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i].value ^= unsigned{has_bit(k, static_cast<int>(i))};
    return AffineSpace::where(map_.width(), wanted);
  }

  void add_rules(const AffineSpace& places, PopsSlot& slot) const {
    if (places.empty()) return;
    const Word address = low_mask(memory_);
    for (Word values = 0; values < bit(static_cast<int>(addresses_.size())); ++values) {
      AffineSpace alike = places;
      for (std::size_t i = 0; i < addresses_.size(); ++i)
        alike =
            alike.meet(Parity{addresses_[i].mask, unsigned{has_bit(values, static_cast<int>(i))}});
      const Word place = alike.first();
      const Word before = place & address;
      PopsRule rule;
      for (const Parity& c : alike.constraints())
        if (c.mask >> memory_ != 0)
          rule.where.push_back({c.mask >> memory_, c.value ^ parity(c.mask & before)});
      rule.reg = first_ + static_cast<Slot>(before);
      for (int b = map_.width() - 1; b >= memory_; --b) {
        const Word row = map_.matrix().row(b);
        rule.to.push_back(
            {row >> memory_, parity(row & before) ^ unsigned{has_bit(map_.complement(), b)}});
      }
      rule.into = first_ + behind_ + static_cast<Slot>(map_(place) & address);
      slot.rules.push_back(std::move(rule));
    }
  }

  BitMap map_;
  int memory_;
  Slot first_;
  Slot behind_;
  ranks::ClassForm form_;
  std::vector<Parity> addresses_;
};

// The map on places whose low bits say which of 2^memory elements that move alike.
BitMap alike(const BitMap& map, int memory) {
  std::vector<Word> columns;
  for (int b = 0; b < memory; ++b) columns.push_back(bit(b));
  for (int b = 0; b < map.width(); ++b) columns.push_back(map.column(b) << memory);
  return BitMap::from_columns(columns, map.complement() << memory);
}

std::vector<Block> blocks_of(const Request& request) {
  const MapGoal& goal = request.map();
  const auto behind = static_cast<Slot>(request.elements());
  std::vector<Block> blocks;
  if (goal.cut) {
    blocks.emplace_back(tree_of(request), goal.map, goal.memory_bits, Slot{0}, behind);
    return blocks;
  }
  Slot first = 0;
  for (int b = highest_bit(request.elements()); b >= 0; --b) {
    if (!has_bit(request.elements(), b)) continue;
    blocks.emplace_back(tree_of(request), alike(goal.map, b), b, first, behind);
    first += static_cast<Slot>(bit(b));
  }
  return blocks;
}

std::optional<std::string> tree_refusal(const Request& request) {
  const auto* tree = std::get_if<Crossbar>(&request.machine());
  if (tree == nullptr || tree->tiers.empty()) return "it plans for fat trees";
  if (!request.is_map()) return "it takes maps";
  const int memory =
      request.map().cut ? request.map().memory_bits : highest_bit(request.elements());
  if (memory > limits::ranks_rules_log2_max ||
      request.map().map.width() + (request.map().cut ? 0 : memory) > limits::address_bits_max)
    return fmt::format("more than 2^{} elements a processor, or an address beyond {} bits",
                       limits::ranks_rules_log2_max, limits::address_bits_max);
  for (const Block& block : blocks_of(request))
    if (block.rules_log2() > limits::ranks_rules_log2_max)
      return fmt::format("its steps would have 2^{} rules, more than 2^{}", block.rules_log2(),
                         limits::ranks_rules_log2_max);
  return std::nullopt;
}

Estimate tree_estimate(const Request& request) {
  Count steps = 0;
  for (const Block& block : blocks_of(request)) steps += block.steps();
  return {.cost = {steps, "max 2^(m+a-u) (1 - 2^-rho)"}};
}

void push_classes(const Request& request, ScheduleSink& sink) {
  ScheduleHeader header = header_of(request, tree_classes.name(), 2 * request.elements());
  header.result = {static_cast<Slot>(request.elements())};
  sink.begin(header);
  for (const Block& block : blocks_of(request)) block.push(sink);
  sink.finish();
}

}  // namespace

const PlannerEntry tree_classes{{
    .name = "tree-classes",
    .machine = "fat-tree",
    .title = "everything straight home, a class of a linear form in every step",
    .needs = "any affine map",
    .cost = "the most that one tier's switches hold over their links, less what stays below them",
    .refusal = tree_refusal,
    .estimate = tree_estimate,
    .build = push_classes,
}};

}  // namespace faro::inline v1
