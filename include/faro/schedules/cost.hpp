// What a schedule costs, counted from its steps and from nothing else.
//
// Rules are counted without spelling them out: one that n - r address bits leave free stands for
// 2^(n-r) moves, and a loop for its laps times what one of them costs. On 2^60 processors with 100
// elements each the counts need 67 bits.
//
// The program of a SIMD mesh is performed once for each of the K elements of a processor. What is
// counted, claimed in a file and compared by verifiers is one performance, the program as it is
// listed; what a request costs is `performed`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/schedules/schedule.hpp"

// A compiled step: what a processor must know to compute, beside where the operands are.
//
// A kernel such as the Fourier transform needs the index of the element in the low slot to form its
// twiddle. At every butterfly rule that index is an affine function of the processor, so it is
// compiled with the plan; no element carries it.
//
//   n 2, base 0b0100, columns {0b1000, 0b0001}:   processor 0b11 holds index 0b1101

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

  void clear() {
    step.clear();
    rule_indices.clear();
    indices.clear();
  }
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

struct MachineKind;

class CostCounter : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  // Only now are the performances of a schedule in turns multiplied.
  void finish() override;

  const Cost& cost() const { return cost_; }

 private:
  template <class Step>
  void count(const Loop<Step>& loop);
  int width_ = 0;
  const MachineKind* kind_ = nullptr;
  std::uint64_t times_ = 1;
  Cost cost_;
};

// A mesh with one route at a time: its schedules are programs.
bool is_simd_mesh(const Machine& machine);

// What a schedule of this cost takes for K elements in each processor: K times as much on a SIMD
// mesh, the same elsewhere.
Cost performed(const Cost& listed, const Machine& machine, std::uint64_t elements);

// How many processors of `width` address bits meet all conditions.
Count size_of(int width, const std::vector<Parity>& where);

// What a planner promises: a number with the words that a report shows beside it.

struct Formula {
  Count value = 0;
  std::string text;  // "max(K, n-d)"
};

struct PaperCount {
  std::string citation;  // "Johnsson, Ho 1991 (codes), Theorem 6"
  Formula formula;
};

// `cost` is exact: the schedule that the planner builds has this cost, and tests compare the two.
// In the unit of the machine: steps, unit routes, slots.
struct Estimate {
  Formula cost;
  // What the paper says of its algorithm, where it says something.
  std::optional<PaperCount> paper = {};
  // What decides between equal costs, compared in order: long routes, register operations.
  std::vector<Count> ties = {};
};

}  // namespace faro::inline v1
