// A matrix product on numbers, computed by a POPS network. What only moves data is performed on any
// machine by machines/performer.hpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/schedule.hpp"
#include "machines/memory.hpp"

namespace faro::inline v1 {

namespace pops {

// Sums and products as NumPy forms them: integers modulo 2^bits.
template <class T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

}  // namespace pops

// C = A·B computed by the network, in the arithmetic of T: integers wrap around modulo 2^bits.
template <class T>
class PopsMultiplier : public ScheduleSink {
 public:
  // a, b: order·order numbers, row-major; they must outlive begin().
  PopsMultiplier(std::span<const T> a, std::span<const T> b) : a_(a), b_(b) {}

  void begin(const ScheduleHeader& header) override {
    const auto* goal = std::get_if<MatmulGoal>(&header.goal);
    FARO_CHECK(goal != nullptr);
    goal_ = *goal;
    if (processors(header.machine) > Count{1} << limits::replay_elements_log2_max)
      throw Error(ErrorCode::limit, fmt::format("{} processors; at most 2^{} are simulated",
                                                to_string(processors(header.machine)),
                                                limits::replay_elements_log2_max));
    registers_.emplace(header.machine, MachineMemory::Options{header.slots, sizeof(T)});
    FARO_CHECK(a_.size() <= registers_->processors() && b_.size() == a_.size());
    for (Word p = 0; p < a_.size(); ++p) {
      std::memcpy(registers_->at(p, goal_.a), &a_[p], sizeof(T));
      std::memcpy(registers_->at(p, goal_.b), &b_[p], sizeof(T));
    }
  }

  // Operations are carried out one by one after what the slot moves.
  void step(const PopsSlot& slot) override {
    // Operands lie far apart: they are asked for some operations before their turn.
    constexpr std::size_t ahead = 16;
    registers_->perform(slot);
    for (std::size_t i = 0; i < slot.operations.size(); ++i) {
      const PopsOperation& op = slot.operations[i];
      if (i + ahead < slot.operations.size()) {
        const PopsOperation& later = slot.operations[i + ahead];
        registers_->fetch_ahead(later.processor, later.a);
        registers_->fetch_ahead(later.processor, later.b);
      }
      using Kind = PopsOperation::Kind;
      T value{};
      switch (op.kind) {
        case Kind::multiply:
          value = pops::times<T>(load(op.processor, op.a), load(op.processor, op.b));
          break;
        case Kind::multiply_add:
          value = pops::plus<T>(load(op.processor, op.to),
                                pops::times<T>(load(op.processor, op.a), load(op.processor, op.b)));
          break;
        case Kind::add:
          value = pops::plus<T>(load(op.processor, op.a), load(op.processor, op.b));
          break;
        case Kind::copy:
          value = load(op.processor, op.a);
          break;
        case Kind::zero:
          break;
      }
      std::memcpy(registers_->at(op.processor, op.to), &value, sizeof(T));
    }
  }
  void finish() override {}

  // Requires finish().
  std::vector<T> take_product() {
    std::vector<T> product;
    product.reserve(a_.size());
    for (Word p = 0; p < a_.size(); ++p) product.push_back(load(p, goal_.c));
    return product;
  }

 private:
  T load(Word processor, Slot reg) {
    T value;
    std::memcpy(&value, registers_->at(processor, reg), sizeof(T));
    return value;
  }

  std::span<const T> a_;
  std::span<const T> b_;
  MatmulGoal goal_;
  std::optional<MachineMemory> registers_;
};

}  // namespace faro::inline v1
