// Operations are carried out one by one after what the slot moves.
#include "machines/pops/performer.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

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

}  // namespace

template <class T>
T PopsMultiplier<T>::load(Word processor, Slot reg) {
  T value;
  std::memcpy(&value, registers_->at(processor, reg), sizeof(T));
  return value;
}

template <class T>
void PopsMultiplier<T>::begin(const ScheduleHeader& header) {
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

template <class T>
void PopsMultiplier<T>::step(const PopsSlot& slot) {
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
        value = times<T>(load(op.processor, op.a), load(op.processor, op.b));
        break;
      case Kind::multiply_add:
        value = plus<T>(load(op.processor, op.to),
                        times<T>(load(op.processor, op.a), load(op.processor, op.b)));
        break;
      case Kind::add:
        value = plus<T>(load(op.processor, op.a), load(op.processor, op.b));
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

template <class T>
std::vector<T> PopsMultiplier<T>::take_product() {
  std::vector<T> product;
  product.reserve(a_.size());
  for (Word p = 0; p < a_.size(); ++p) product.push_back(load(p, goal_.c));
  return product;
}

template class PopsMultiplier<std::int8_t>;
template class PopsMultiplier<std::int16_t>;
template class PopsMultiplier<std::int32_t>;
template class PopsMultiplier<std::int64_t>;
template class PopsMultiplier<std::uint8_t>;
template class PopsMultiplier<std::uint16_t>;
template class PopsMultiplier<std::uint32_t>;
template class PopsMultiplier<std::uint64_t>;
template class PopsMultiplier<float>;
template class PopsMultiplier<double>;
template class PopsMultiplier<long double>;

}  // namespace faro::inline v1
