// Counts what a plan costs while it is built, from its steps: the cost of its machine, and on a
// cube how many moves cross each dimension.
#pragma once

#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro {

class PlanCounter : public ScheduleSink {
 public:
  const Cost& cost() const { return cost_; }
  // One count a dimension, both directions together; empty for other machines.
  const std::vector<Count>& crossings() const { return crossings_; }
  std::uint64_t slots() const { return slots_; }

  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void finish() override {}

 private:
  int dimensions_ = 0;
  std::uint64_t slots_ = 0;
  Cost cost_;
  std::vector<Count> crossings_;
};

}  // namespace faro
