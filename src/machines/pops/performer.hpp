// A matrix product on numbers, computed by a POPS network. What only moves data is performed on any
// machine by machines/performer.hpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "machines/memory.hpp"

namespace faro::inline v1 {

// C = A·B computed by the network, in the arithmetic of T: integers wrap around modulo 2^bits.
// Instantiated for the integers of 8 to 64 bits, float, double and long double.
template <class T>
class PopsMultiplier : public ScheduleSink {
 public:
  // a, b: order·order numbers, row-major; they must outlive begin().
  PopsMultiplier(std::span<const T> a, std::span<const T> b) : a_(a), b_(b) {}
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override {}
  // Requires finish().
  std::vector<T> take_product();

 private:
  T load(Word processor, Slot reg);

  std::span<const T> a_;
  std::span<const T> b_;
  MatmulGoal goal_;
  std::optional<MachineMemory> registers_;
};

}  // namespace faro::inline v1
