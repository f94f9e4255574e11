// What a schedule costs, counted from its steps and from nothing else.
//
// Rules are counted without spelling them out: one that n - r address bits leave free stands for
// 2^(n-r) moves. A mesh program is performed once for each of the K elements of a processor. On
// 2^60 processors with 100 elements each the counts need 67 bits.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro {

class CostCounter : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void finish() override {}

  const Cost& cost() const { return cost_; }

 private:
  int width_ = 0;
  std::uint64_t runs_ = 1;
  Cost cost_;
};

// How many processors of `width` address bits meet all conditions.
Count size_of(int width, const std::vector<Parity>& where);

}  // namespace faro
