// A POPS schedule performed on data: routed elements as bytes, or a matrix product on numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "machines/performer.hpp"
#include "machines/pops/registers.hpp"

namespace faro::inline v1 {

// As make_performer. Elements that nothing sends stay where they are.
std::unique_ptr<Performer> pops_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);

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
  std::optional<PopsRegisters> registers_;
};

}  // namespace faro::inline v1
