// Rules spelled out: a sink that hands on the same schedule with a move for every processor that
// meets a rule (`--expand`). Order within a step: what was explicit first, then rule by rule,
// processors ascending. Mesh programs have no rules to expand and pass unchanged.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// Loops spelled out, lap after lap (`--unroll`): hands on the same schedule in steps alone.
class UnrollingSink : public ScheduleSink {
 public:
  // `next` must outlive it.
  explicit UnrollingSink(ScheduleSink& next) : next_(next) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override { next_.step(step); }
  void step(const MeshInstruction& instruction) override { next_.step(instruction); }
  void step(const PopsSlot& slot) override { next_.step(slot); }
  void finish() override { next_.finish(); }

 private:
  ScheduleSink& next_;
};

class ExpandingSink : public ScheduleSink {
 public:
  // `next` must outlive it.
  explicit ExpandingSink(ScheduleSink& next) : next_(next) {}
  // Throws Error(limit) above limits::expand_bits_max address bits.
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override { next_.step(instruction); }
  void step(const PopsSlot& slot) override;
  void finish() override { next_.finish(); }

 private:
  ScheduleSink& next_;
  int width_ = 0;
  std::uint64_t group_size_ = 1;
  CubeStep cube_;
  PopsSlot pops_;
};

}  // namespace faro::inline v1
