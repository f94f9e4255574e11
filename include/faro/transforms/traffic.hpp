// What the emulated machine needs beside values: who meets a rule, what crosses the links, where
// indices start and end. The same for every kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/base/progress.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/schedule.hpp"

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

// The emulated machine: a butterfly plan performed on values, processor by processor.
//
// A kernel says what a butterfly does to its two values. It is given the low index and the index
// bit that the two differ in, both from the plan: a processor computes its twiddle from its own
// address, slot and step, no element carries its index and no table of all twiddles exists.
//
//   struct Sum {                                             (Walsh-Hadamard transform)
//     using Value = int;
//     void operator()(Value& low, Value& high, Word low_index, int index_bit) const {
//       const int sum = low + high;
//       high = low - high;
//       low = sum;
//     }
//   };
//
// Several lines of data may go through together: each slot then holds one value of every line, and
// a step moves all of them; steps and traffic are those of one line.
//
// Memory: (slots of a processor) x processors x lines values. Values are kept slot by slot, the
// processors of a slot side by side.

template <class Kernel>
class EmulatedMachine : public CompiledSink {
 public:
  using Value = typename Kernel::Value;

  // `fill(index, values)` writes element `index`, a value of each line; begin() calls it for every
  // index.
  using Fill = std::function<void(Word index, std::span<Value> values)>;
  // `progress` gets how many values butterflies have written, of how many.
  EmulatedMachine(const Kernel& kernel, std::size_t lines, Fill fill, Progress progress = {})
      : kernel_(kernel), lines_(lines), fill_(std::move(fill)), progress_(std::move(progress)) {}

  // `take(index, values)` reads the result of `index`, for every index.
  template <class Take>
  void unload(Take&& take) {
    IndexPlaces::finish(goal_).for_each(
        [&](Word index, Word q, Word s) { take(index, values(static_cast<Slot>(s), q)); });
  }

  void begin(const ScheduleHeader& header) override;
  // A kernel whose passes differ is told which one begins.
  void begin_pass(int number) override {
    if constexpr (requires(Kernel & kernel) { kernel.begin_pass(0); }) kernel_.begin_pass(number);
  }
  void step(const CompiledStep& compiled) override;
  void finish() override {}

  LinkTraffic traffic() const { return links_->traffic(steps_); }

 private:
  std::span<Value> values(Slot slot, Word processor) {
    return {values_.data() + (((Word{slot} * processors_) + processor) * lines_), lines_};
  }
  template <class Visit>
  void at_each(std::span<const Parity> where, Word block, Visit&& visit) const;
  template <class Visit>
  void each_move(const CubeStep& step, Visit&& visit) const;
  void move_all(const CubeStep& step);
  void combine(const ButterflyRule& rule, Word processor, Word low_index);
  void combine_block(const CompiledStep& compiled, std::size_t first, std::size_t end, Word block);
  void combine_rules(const CompiledStep& compiled);

  Kernel kernel_;
  std::size_t lines_;
  Fill fill_;
  Progress progress_;
  Word written_ = 0;
  Word to_write_ = 0;
  Word processors_ = 1;
  ButterflyGoal goal_;
  std::vector<Value> values_;
  std::vector<Value> staged_;
  std::optional<Members> members_;
  std::optional<Links> links_;
  Count steps_ = 0;
};

template <class Kernel>
void EmulatedMachine<Kernel>::begin(const ScheduleHeader& header) {
  goal_ = std::get<ButterflyGoal>(header.goal);
  members_.emplace(goal_.processor_bits);
  links_.emplace(goal_.processor_bits);
  processors_ = bit(goal_.processor_bits);
  const auto p = static_cast<Word>(goal_.index_bits);
  const bool sorts = goal_.computation == ButterflyGoal::Computation::sort;
  written_ = 0;
  to_write_ = (sorts ? p * (p + 1) / 2 : p) << p;
  values_.assign(header.slots * processors_ * lines_, Value{});
  IndexPlaces::start(goal_).for_each(
      [&](Word index, Word q, Word s) { fill_(index, values(static_cast<Slot>(s), q)); });
}

template <class Kernel>
template <class Visit>
void EmulatedMachine<Kernel>::at_each(std::span<const Parity> where, Word block,
                                      Visit&& visit) const {
  for (Word rest = members_->in_block(where, block); rest != 0; rest &= rest - 1) {
    visit((block << 6U) | static_cast<Word>(lowest_bit(rest)));
  }
}

template <class Kernel>
template <class Visit>
void EmulatedMachine<Kernel>::each_move(const CubeStep& step, Visit&& visit) const {
  for (const Rule& rule : step.rules) {
    const Word crossed = rule.across == inside ? 0 : bit(rule.across);
    for (Word block = 0; block < members_->blocks(); ++block) {
      at_each(rule.where, block, [&](Word q) { visit(Move{q, rule.from, q ^ crossed, rule.to}); });
    }
  }
  for (const Move& move : step.moves) visit(move);
}

// All reads of a step, then all writes in the same order.
template <class Kernel>
void EmulatedMachine<Kernel>::move_all(const CubeStep& step) {
  staged_.clear();
  bool remote = false;
  each_move(step, [&](const Move& move) {
    const std::span<Value> from = values(move.from_slot, move.from_processor);
    staged_.insert(staged_.end(), from.begin(), from.end());
    const Word crossed = move.from_processor ^ move.to_processor;
    if (crossed == 0) return;
    remote = true;
    links_->cross(log2_exact(crossed), move.from_processor);
  });
  const Value* next = staged_.data();
  each_move(step, [&](const Move& move) {
    std::copy_n(next, lines_, values(move.to_slot, move.to_processor).data());
    next += lines_;
  });
  if (remote) steps_ += 1;
}

template <class Kernel>
void EmulatedMachine<Kernel>::combine(const ButterflyRule& rule, Word processor, Word low_index) {
  const int index_bit = goal_.index_bits - 1 - rule.stage;
  Value* low = values(rule.low, processor).data();
  Value* high = values(rule.high, processor).data();
  if (rule.result == ButterflyRule::Result::both) {
    for (std::size_t i = 0; i < lines_; ++i) kernel_(low[i], high[i], low_index, index_bit);
    return;
  }
  Value* to = values(rule.to, processor).data();
  for (std::size_t i = 0; i < lines_; ++i) {
    Value a = low[i];
    Value b = high[i];
    kernel_(a, b, low_index, index_bit);
    to[i] = rule.result == ButterflyRule::Result::top ? a : b;
  }
}

// Butterfly rules first .. end-1 of a step at 64 processors: a butterfly is inside one processor,
// so blocks are independent.
template <class Kernel>
void EmulatedMachine<Kernel>::combine_block(const CompiledStep& compiled, std::size_t first,
                                            std::size_t end, Word block) {
  std::array<Word, 64> within{};  // the index at processor 64·block + i, less that at 64·block
  const std::vector<ButterflyRule>& rules = compiled.step.butterfly_rules;
  for (std::size_t r = first; r < end; ++r) {
    const IndexMap& index = compiled.rule_indices[r];
    const Word base = index(block << 6U);
    for (std::size_t d = 0; d < std::min<std::size_t>(6, index.columns.size()); ++d) {
      const std::size_t half = std::size_t{1} << d;
      for (std::size_t i = 0; i < half; ++i) within[i + half] = within[i] ^ index.columns[d];
    }
    at_each(rules[r].where, block, [&](Word q) { combine(rules[r], q, base ^ within[q & 63U]); });
  }
}

// As many rules at once as take milliseconds: one step may be all that a memory computes.
template <class Kernel>
void EmulatedMachine<Kernel>::combine_rules(const CompiledStep& compiled) {
  const std::vector<ButterflyRule>& rules = compiled.step.butterfly_rules;
  const std::size_t at_once = std::max<std::size_t>(1, bit(18) / (processors_ * lines_));
  for (std::size_t first = 0; first < rules.size(); first += at_once) {
    report(progress_, std::min(written_, to_write_), to_write_);
    const std::size_t end = std::min(first + at_once, rules.size());
    // A short step is not worth waking the threads.
    const bool wide = (end - first) * processors_ > bit(16);
    for_each_block(members_->blocks(), wide ? Threads::all : Threads::one,
                   [&](Word block) { combine_block(compiled, first, end, block); });
    for (std::size_t r = first; r < end; ++r)
      written_ += (processors_ >> rules[r].where.size()) *
                  (rules[r].result == ButterflyRule::Result::both ? 2 : 1);
  }
}

template <class Kernel>
void EmulatedMachine<Kernel>::step(const CompiledStep& compiled) {
  report(progress_, std::min(written_, to_write_), to_write_);
  move_all(compiled.step);
  for (std::size_t i = 0; i < compiled.step.butterflies.size(); ++i) {
    const Butterfly& b = compiled.step.butterflies[i];
    combine({{}, b.low, b.high, b.stage, b.result, b.to}, b.processor, compiled.indices[i]);
  }
  combine_rules(compiled);
}

}  // namespace faro::inline v1::butterfly
