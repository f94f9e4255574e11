// What the emulated machine needs beside values: who meets a rule, what crosses the links, where
// indices start and end. The same for every kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/schedules/goal.hpp"

namespace faro::inline v1::butterfly {

// Elements of one line over the links.
struct LinkTraffic {
  Count steps = 0;
  Count elements = 0;
  std::vector<Count> across;       // elements that crossed each dimension, both ways together
  std::vector<Word> busiest_link;  // of each dimension: elements over its busiest directed link

  void add(const LinkTraffic& later);
};

// The processors, 64 at a time, that meet the conditions of a rule.
class Members {
 public:
  explicit Members(int processor_bits) : processors_(bit(processor_bits)) {}

  Word blocks() const { return (processors_ + 63) / 64; }
  // Bit i: processor 64·block + i.
  Word in_block(std::span<const Parity> where, Word block) const;

 private:
  Word processors_;
};

// Calls body(block) for every block, by one thread or by all.
enum class Threads { one, all };
void for_each_block(Word blocks, Threads threads, const std::function<void(Word)>& body);

class Links {
 public:
  explicit Links(int processor_bits);
  void cross(int dimension, Word from_processor) {
    ++used_[(static_cast<std::size_t>(dimension) * processors_) + from_processor];
  }
  LinkTraffic traffic(Count steps) const;

 private:
  Word processors_;
  std::vector<std::uint32_t> used_;
};

// The places of all indices, from rows as a ButterflyGoal keeps them.
class IndexPlaces {
 public:
  static IndexPlaces start(const ButterflyGoal& goal);
  // Requires final memory rows.
  static IndexPlaces finish(const ButterflyGoal& goal);

  Word indices() const { return bit(static_cast<int>(columns_.size())); }

  // Calls visit(index, processor, slot) for the indices first .. end-1, ascending.
  template <class Visit>
  void for_range(Word first, Word end, Visit&& visit) const;

  // For every index; by all threads where there are many, so visits must not meet.
  template <class Visit>
  void for_each(Visit&& visit) const;

 private:
  struct Place {
    Word processor = 0;
    Word slot = 0;
  };
  IndexPlaces(std::span<const Word> processor_rows, std::span<const Word> slot_rows,
              int index_bits);

  std::vector<Place> columns_;  // of index bit b
};

template <class Visit>
void IndexPlaces::for_range(Word first, Word end, Visit&& visit) const {
  // Counting from i to i + 1 flips bits 0..b at once, for some b.
  std::vector<Place> flips;
  Place at;
  for (const Place& column : columns_) {
    at.processor ^= column.processor;
    at.slot ^= column.slot;
    flips.push_back(at);
  }
  at = {};
  for (Word rest = first; rest != 0; rest &= rest - 1) {
    const Place& column = columns_[static_cast<std::size_t>(lowest_bit(rest))];
    at.processor ^= column.processor;
    at.slot ^= column.slot;
  }
  for (Word index = first; index < end;) {
    visit(index, at.processor, at.slot);
    if (++index == end) return;
    const Place& change = flips[static_cast<std::size_t>(lowest_bit(index))];
    at.processor ^= change.processor;
    at.slot ^= change.slot;
  }
}

template <class Visit>
void IndexPlaces::for_each(Visit&& visit) const {
  constexpr int pieces_log2 = 6;
  const int bits = static_cast<int>(columns_.size());
  if (bits < 16) return for_range(0, indices(), visit);
  const Word piece = bit(bits - pieces_log2);
  for_each_block(bit(pieces_log2), Threads::all,
                 [&](Word block) { for_range(block * piece, (block + 1) * piece, visit); });
}

}  // namespace faro::inline v1::butterfly
