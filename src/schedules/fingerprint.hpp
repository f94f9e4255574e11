// A fingerprint of what a schedule does: machine, goal, sizes and steps, in 32 hexadecimal digits.
//
// Equal schedules have equal fingerprints on every platform and in every version; what does not
// change the schedule (planner's name, claims of cost and bound, the goal's words) is left out.
// It is of the schedule as it is written: a loop has another one than its laps listed. It finds
// accidental differences and is no protection against a forger.
#pragma once

#include <string>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class Fingerprint : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override;

  // Requires finish().
  std::string text() const;

 private:
  void absorb(std::uint64_t word);
  void absorb(const std::vector<Parity>& parities);
  void absorb(const Machine& machine);
  void absorb(const Goal& goal);
  template <class Step>
  void absorb(const Loop<Step>& loop);

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace faro::inline v1
