#include "machines/certificates/demand.hpp"

#include <algorithm>
#include <map>

#include "schedules/machine_kind.hpp"

namespace faro::inline v1::certificates {
namespace {

bool holds(std::span<const Parity> all, Word processor) {
  return std::all_of(all.begin(), all.end(), [&](const Parity& p) { return p.holds(processor); });
}

Word projected(std::span<const Word> forms, Word processor) {
  Word result = 0;
  for (std::size_t i = 0; i < forms.size(); ++i) result |= Word{parity(processor & forms[i])} << i;
  return result;
}

}  // namespace

std::optional<Demand> Demand::of(const ScheduleHeader& header) {
  Demand demand;
  if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    demand.moves_ = moves;
    return demand;
  }
  const auto* map = std::get_if<MapGoal>(&header.goal);
  const std::optional<int> bits = address_bits(header.machine);
  if (map == nullptr || !bits) return {};
  const int memory = map->cut ? map->memory_bits : 0;
  const int width = map->map.width();
  // On a part of the machine the other processors hold nothing.
  if (memory < 0 || memory > width || width - memory > *bits) return {};
  if (map->cut && Count{header.elements} != Count{1} << memory) return {};
  demand.map_ = map;
  demand.memory_bits_ = memory;
  demand.each_ = map->cut ? Count{1} : Count{header.elements};
  return demand;
}

Parity Demand::at_start(Parity condition) const {
  const Word mask = condition.mask & low_mask(width() - memory_bits_);
  return {mask == 0 ? 0 : mask << memory_bits_, condition.value};
}

Parity Demand::at_end(Parity condition) const {
  Parity form{0, condition.value};
  for (int b = 0; b < width() - memory_bits_; ++b) {
    if (!has_bit(condition.mask, b)) continue;
    form.mask ^= map_->map.matrix().row(memory_bits_ + b);
    form.value ^= unsigned{has_bit(map_->map.complement(), memory_bits_ + b)};
  }
  return form;
}

Count Demand::size_where(std::span<const Parity> conditions) const {
  const AffineSpace space = AffineSpace::where(width(), conditions);
  return space.empty() ? Count{0} : (Count{1} << space.dimension()) * each_;
}

Count Demand::count(std::span<const Parity> from, std::span<const Parity> to) const {
  if (moves_ != nullptr)
    return static_cast<std::uint64_t>(std::count_if(
        moves_->moves.begin(), moves_->moves.end(),
        [&](const Move& m) { return holds(from, m.from_processor) && holds(to, m.to_processor); }));
  std::vector<Parity> conditions;
  for (const Parity& p : from) conditions.push_back(at_start(p));
  for (const Parity& p : to) conditions.push_back(at_end(p));
  return size_where(conditions);
}

std::vector<Parity> Demand::stay_conditions() const {
  std::vector<Parity> staying;
  for (int b = 0; b < width() - memory_bits_; ++b) {
    Parity form = at_end({bit(b), 0});
    form.mask ^= bit(memory_bits_ + b);
    staying.push_back(form);
  }
  return staying;
}

Count Demand::staying(std::span<const Word> forms, Word to) const {
  std::vector<Parity> conditions = stay_conditions();
  for (std::size_t i = 0; i < forms.size(); ++i)
    conditions.push_back(at_start({forms[i], unsigned{has_bit(to, static_cast<int>(i))}}));
  return size_where(conditions);
}

Count Demand::moving() const {
  if (moves_ != nullptr)
    return static_cast<std::uint64_t>(
        std::count_if(moves_->moves.begin(), moves_->moves.end(),
                      [](const Move& m) { return m.from_processor != m.to_processor; }));
  return (Count{1} << width()) * each_ - size_where(stay_conditions());
}

std::optional<Word> Demand::goal_of(Word processor, std::uint64_t slot) const {
  if (moves_ != nullptr) {
    for (const Move& m : moves_->moves)
      if (m.from_processor == processor && m.from_slot == slot) return m.to_processor;
    return {};
  }
  if ((processor & ~low_mask(width() - memory_bits_)) != 0) return {};
  const bool fits = map_->cut ? Count{slot} < (Count{1} << memory_bits_) : Count{slot} < each_;
  if (!fits) return {};
  if (memory_bits_ == word_bits) return Word{0};
  const Word address = (processor << memory_bits_) | (map_->cut ? slot : 0);
  return map_->map(address) >> memory_bits_;
}

std::optional<Word> Demand::goal_of_any(Word processor) const {
  if (map_ != nullptr) return goal_of(processor, 0);
  for (const Move& m : moves_->moves)
    if (m.from_processor == processor) return m.to_processor;
  return {};
}

Count Demand::at(Word processor, bool leaving) const {
  if (moves_ != nullptr)
    return static_cast<std::uint64_t>(
        std::count_if(moves_->moves.begin(), moves_->moves.end(), [&](const Move& m) {
          const Word here = leaving ? m.from_processor : m.to_processor;
          return here == processor && m.from_processor != m.to_processor;
        }));
  if ((processor & ~low_mask(width() - memory_bits_)) != 0) return 0;
  std::vector<Parity> here;
  for (int b = 0; b < width() - memory_bits_; ++b)
    here.push_back({bit(b), unsigned{has_bit(processor, b)}});
  const Count all = leaving ? count(here, {}) : count({}, here);
  return all - count(here, here);
}

// Both projections are affine in the address: what occurs is an affine space, every member of it as
// often.
Demand::PairSpace Demand::pair_space(std::span<const Word> forms) const {
  const auto size = static_cast<int>(forms.size());
  const auto both = [&](Word address) {
    const Word to = map_->map(address);
    return projected(forms, memory_bits_ == word_bits ? 0 : address >> memory_bits_) |
           (projected(forms, memory_bits_ == word_bits ? 0 : to >> memory_bits_) << size);
  };
  PairSpace space{both(0), {}};
  std::vector<Word> columns;
  for (int i = 0; i < width(); ++i) columns.push_back(both(bit(i)) ^ space.first);
  space.basis = reduced_basis(columns);
  return space;
}

void Demand::project(std::span<const Word> forms, const Visit& visit) const {
  if (moves_ != nullptr) {
    std::map<std::pair<Word, Word>, Count> pairs;
    for (const Move& m : moves_->moves)
      ++pairs[{projected(forms, m.from_processor), projected(forms, m.to_processor)}];
    for (const auto& [pair, elements] : pairs) visit(pair.first, pair.second, elements);
    return;
  }
  const auto size = static_cast<int>(forms.size());
  const auto [first, basis] = pair_space(forms);
  const auto rank = static_cast<int>(basis.size());
  const Count elements = (Count{1} << (width() - rank)) * each_;
  Word pair = first;
  for (Word k = 0;;) {
    visit(pair & low_mask(size), pair >> size, elements);
    if (++k == bit(rank)) return;
    pair ^= basis[static_cast<std::size_t>(lowest_bit(k))];
  }
}

bool Demand::spell_out(int log2_max, const Visit& visit) const {
  if (moves_ != nullptr) {
    if (Count{moves_->moves.size()} > Count{1} << log2_max) return false;
    for (const Move& m : moves_->moves) visit(m.from_processor, m.to_processor, 1);
    return true;
  }
  if (width() > log2_max) return false;
  for (Word address = 0; address < bit(width()); ++address)
    visit(address >> memory_bits_, map_->map(address) >> memory_bits_, each_);
  return true;
}

bool Demand::spell_out(Word processor, int log2_max,
                       const std::function<void(Word to, Count elements)>& visit) const {
  if (moves_ != nullptr) {
    for (const Move& m : moves_->moves)
      if (m.from_processor == processor) visit(m.to_processor, 1);
    return true;
  }
  if (memory_bits_ > log2_max) return false;
  for (std::uint64_t slot = 0; slot < bit(memory_bits_); ++slot)
    if (const auto to = goal_of(processor, slot)) visit(*to, each_);
  return true;
}

}  // namespace faro::inline v1::certificates
