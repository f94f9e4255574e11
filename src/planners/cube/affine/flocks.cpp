#include "planners/cube/affine/flocks.hpp"

#include <map>
#include <span>
#include <tuple>

#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {

Flocks::Flocks(const Request& request)
    : dimensions_(processor_bits(request)),
      memory_bits_(0),
      elements_(request.elements()),
      split_(split_map(request)) {
  map_ = split_ ? split_->processors : request.map().map;
  if (!split_) memory_bits_ = request.map().memory_bits;
  const int m = memory_bits_;
  std::vector<Word> crossed;  // columns of (B, A + 1)
  for (int i = 0; i < map_.width(); ++i)
    crossed.push_back((map_.column(i) >> m) ^ (i < m ? 0 : bit(i - m)));
  const auto of_slots = std::span<const Word>(crossed).first(static_cast<std::size_t>(m));
  alike_slots_ = reduced_basis(BitMatrix::from_columns(dimensions_, of_slots).kernel());
  before_.resize(static_cast<std::size_t>(m));
  after_.resize(static_cast<std::size_t>(m));
  Word leads = 0;
  for (const Word both : reduced_basis(BitMatrix::from_columns(dimensions_, crossed).kernel())) {
    if (both >> m == 0) continue;  // a translation of slots alone
    const Word lead = bit(highest_bit(both >> m));
    leads |= lead;
    basis_.push_back(both >> m);
    const Word arrives = map_.matrix().apply(both);
    for (int i = 0; i < m; ++i) {
      if (has_bit(both, i)) before_[static_cast<std::size_t>(i)] |= lead;
      if (has_bit(arrives, i)) after_[static_cast<std::size_t>(i)] |= lead;
    }
  }
  for (int d = 0; d < dimensions_; ++d)
    if (!has_bit(leads, d)) free_.push_back(d);
  for (int d = 0; d < dimensions_; ++d) across_.push_back(number(bit(d)));
  find_kinds();
}

void Flocks::find_kinds() {
  std::map<std::tuple<Word, bool, Word>, std::size_t> known;
  for (int d = 0; d < dimensions_; ++d) {
    const int row = memory_bits_ + d;
    const Word crosses = map_.matrix().row(row) ^ bit(row);
    const bool constant = has_bit(map_.complement(), row);
    if (crosses == 0 && !constant) continue;
    const auto [kind, fresh] = known.try_emplace({crosses, constant, across(d)}, kinds_.size());
    if (fresh) kinds_.push_back(0);
    kinds_[kind->second] |= bit(d);
  }
}

Word Flocks::number(Word processor) const {
  const Word member = reduce(processor, basis_);
  Word coset = 0;
  for (std::size_t i = 0; i < free_.size(); ++i)
    if (has_bit(member, free_[i])) coset |= bit(static_cast<int>(i));
  return coset;
}

Word Flocks::first(Word coset) const {
  Word processor = 0;
  for (Word rest = coset; rest != 0; rest &= rest - 1)
    processor |= bit(free_[static_cast<std::size_t>(lowest_bit(rest))]);
  return processor;
}

// F·p = 0 for the first of a coset.
Word Flocks::away(Word coset, Slot slot) const {
  const Word p = first(coset);
  const Word address = memory_bits_ == 0 ? p : p << memory_bits_ | slot;
  return (map_(address) >> memory_bits_) ^ p;
}

Slot Flocks::home(Word coset, Slot slot) const {
  if (memory_bits_ == 0) return slot;
  const Word to = map_(first(coset) << memory_bits_ | slot);
  Word memory = to & low_mask(memory_bits_);
  for (int i = 0; i < memory_bits_; ++i)
    memory ^= Word{parity(after_[static_cast<std::size_t>(i)] & to >> memory_bits_)} << i;
  return static_cast<Slot>(memory);
}

std::vector<Parity> Flocks::where(Word care, Word value) const {
  std::vector<Parity> conditions;
  for (Word rest = care; rest != 0; rest &= rest - 1) {
    const int i = lowest_bit(rest);
    const int d = free_[static_cast<std::size_t>(i)];
    Parity condition{.mask = bit(d), .value = has_bit(value, i) ? 1U : 0U};
    for (const Word v : basis_)
      if (has_bit(v, d)) condition.mask |= bit(highest_bit(v));
    conditions.push_back(condition);
  }
  return conditions;
}

void Flocks::push_before(ScheduleSink& sink) const {
  flip_slots(before_, elements_, sink);
}

void Flocks::push_after(ScheduleSink& sink) const {
  flip_slots(after_, elements_, sink);
  if (split_) push_slots(*split_, elements_, sink);
}

}  // namespace faro::inline v1
