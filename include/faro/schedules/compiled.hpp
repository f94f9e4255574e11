// A compiled step: what a processor must know to compute, beside where the operands are.
//
// A kernel such as the Fourier transform needs the index of the element in the low slot to form its
// twiddle. At every butterfly rule that index is an affine function of the processor, so it is
// compiled with the plan; no element carries it.
//
//   n 2, base 0b0100, columns {0b1000, 0b0001}:   processor 0b11 holds index 0b1101
#pragma once

#include <cstdint>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// index(q) = base, xor columns[d] for every bit d of q.
struct IndexMap {
  Word base = 0;
  std::vector<Word> columns;

  Word operator()(Word q) const {
    Word index = base;
    for (; q != 0; q &= q - 1) index ^= columns[static_cast<std::size_t>(lowest_bit(q))];
    return index;
  }
};

struct CompiledStep {
  CubeStep step;
  std::vector<IndexMap> rule_indices;  // of `low`, one for each of step.butterfly_rules
  std::vector<Word> indices;           // of `low`, one for each of step.butterflies

  void clear();
};

class CompiledSink {
 public:
  virtual ~CompiledSink() = default;
  virtual void begin(const ScheduleHeader& header) = 0;
  // The butterflies from here on are those of pass `number`; a network has the one pass 0.
  virtual void begin_pass(int number) { static_cast<void>(number); }
  virtual void step(const CompiledStep& step) = 0;
  virtual void finish() = 0;
};

// Drops the indices: a plan for whoever reads schedules.
class ToSchedule : public CompiledSink {
 public:
  explicit ToSchedule(ScheduleSink& to) : to_(to) {}
  void begin(const ScheduleHeader& header) override { to_.begin(header); }
  void step(const CompiledStep& step) override { to_.step(step.step); }
  void finish() override { to_.finish(); }

 private:
  ScheduleSink& to_;
};

}  // namespace faro::inline v1
