#include "faro/transforms/traffic.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "base/cores.hpp"
#include "base/parallel.hpp"

namespace faro::inline v1::butterfly {

void LinkTraffic::add(const LinkTraffic& later) {
  steps += later.steps;
  elements += later.elements;
  across.resize(std::max(across.size(), later.across.size()));
  busiest_link.resize(across.size());
  for (std::size_t d = 0; d < later.across.size(); ++d) {
    across[d] += later.across[d];
    busiest_link[d] += later.busiest_link[d];
  }
}

namespace {

// patterns[m]: bit i is the parity of i & m, for the lowest six address bits.
std::array<Word, 64> parity_patterns() {
  std::array<Word, 64> patterns{};
  for (Word mask = 0; mask < 64; ++mask) {
    for (int i = 0; i < 64; ++i) {
      if (parity(static_cast<Word>(i) & mask) != 0) patterns[mask] |= bit(i);
    }
  }
  return patterns;
}

}  // namespace

Word Members::in_block(std::span<const Parity> where, Word block) const {
  static const std::array<Word, 64> patterns = parity_patterns();
  Word members = processors_ < 64 ? low_mask(static_cast<int>(processors_)) : ~Word{0};
  for (const Parity& condition : where) {
    const unsigned high = parity(condition.mask & (block << 6U));
    const Word pattern = patterns[condition.mask & 63U];
    members &= (high ^ condition.value) != 0 ? pattern : ~pattern;
  }
  return members;
}

void for_each_block(Word blocks, Threads threads, const std::function<void(Word)>& body) {
  constexpr Word parts_per_thread = 8;
  const int workers = threads == Threads::all ? default_threads() : 1;
  const Word parts = std::min(blocks, static_cast<Word>(workers) * parts_per_thread);
  in_parallel(workers, parts, [&](Word part, int) {
    // Parts differ by one block at most; no product that could overflow.
    const Word each = blocks / parts;
    const Word more = blocks % parts;
    const Word begin = part * each + std::min(part, more);
    const Word end = begin + each + (part < more ? 1 : 0);
    for (Word block = begin; block < end; ++block) body(block);
  });
}

Links::Links(int processor_bits)
    : processors_(bit(processor_bits)),
      used_(static_cast<std::size_t>(processor_bits) * bit(processor_bits)) {}

LinkTraffic Links::traffic(Count steps) const {
  LinkTraffic traffic;
  traffic.steps = steps;
  for (std::size_t first = 0; first < used_.size(); first += processors_) {
    Count sum = 0;
    Word busiest = 0;
    for (std::size_t q = first; q < first + processors_; ++q) {
      sum += used_[q];
      busiest = std::max<Word>(busiest, used_[q]);
    }
    traffic.across.push_back(sum);
    traffic.busiest_link.push_back(busiest);
    traffic.elements += sum;
  }
  return traffic;
}

IndexPlaces::IndexPlaces(std::span<const Word> processor_rows, std::span<const Word> slot_rows,
                         int index_bits) {
  const auto column = [](std::span<const Word> rows, int index_bit) {
    Word place = 0;
    for (const Word row : rows) place = (place << 1U) | (has_bit(row, index_bit) ? 1U : 0U);
    return place;
  };
  for (int b = 0; b < index_bits; ++b) {
    columns_.push_back({column(processor_rows, b), column(slot_rows, b)});
  }
}

IndexPlaces IndexPlaces::start(const ButterflyGoal& goal) {
  const BitMap place = place_of(goal.layout());
  std::vector<Word> processor;
  std::vector<Word> slot;
  for (int j = goal.index_bits - 1; j >= 0; --j) {
    (j < goal.layout().memory_bits ? slot : processor).push_back(place.matrix().row(j));
  }
  return {processor, slot, goal.index_bits};
}

IndexPlaces IndexPlaces::finish(const ButterflyGoal& goal) {
  FARO_CHECK(goal.final_memory_rows.has_value());
  return {goal.final_processor_rows, *goal.final_memory_rows, goal.index_bits};
}

}  // namespace faro::inline v1::butterfly
