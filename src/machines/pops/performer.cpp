#include "machines/pops/performer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

class PopsPerformer : public Performer {
 public:
  PopsPerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const std::uint64_t k = header.elements;
    registers_.emplace(std::get<Pops>(header.machine), PopsRegisters::Options{bytes_});
    if (data_.size() / bytes_ / k != registers_->processors())
      throw Error(ErrorCode::usage, "the data has another number of elements than the schedule");
    for (Word p = 0; p < registers_->processors(); ++p)
      for (std::uint64_t s = 0; s < k; ++s)
        std::memcpy(registers_->at(p, static_cast<Slot>(s)), data_.data() + (p * k + s) * bytes_,
                    bytes_);
  }

  void step(const PopsSlot& slot) override { registers_->move(slot); }

  void finish() override {
    result_.assign(data_.begin(), data_.end());
    if (const auto* goal = std::get_if<MovesGoal>(&header_.goal)) {
      gather(*goal);
      return;
    }
    const std::uint64_t k = header_.elements;
    const std::vector<Slot>& result = header_.result;
    for (Word p = 0; p < registers_->processors(); ++p)
      for (std::uint64_t s = 0; s < k; ++s)
        keep(p,
             (result.empty()       ? 0
              : result.size() == 1 ? result[0]
                                   : result[p]) +
                 static_cast<Slot>(s),
             s);
  }

  std::vector<std::byte> take_result() override { return std::move(result_); }

 private:
  void keep(Word processor, Slot reg, std::uint64_t slot) {
    std::memcpy(result_.data() + (processor * header_.elements + slot) * bytes_,
                registers_->at(processor, reg), bytes_);
  }

  // What arrives at a processor, in the order of the registers that the goal names.
  void gather(const MovesGoal& goal) {
    std::vector<std::pair<Word, Slot>> places;
    for (const Move& m : goal.moves) places.emplace_back(m.to_processor, m.to_slot);
    std::sort(places.begin(), places.end());
    std::uint64_t arrival = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      arrival = i > 0 && places[i].first == places[i - 1].first ? arrival + 1 : 0;
      if (arrival < header_.elements) keep(places[i].first, places[i].second, arrival);
    }
  }

  std::span<const std::byte> data_;
  std::size_t bytes_;
  ScheduleHeader header_;
  std::optional<PopsRegisters> registers_;
  std::vector<std::byte> result_;
};

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

std::unique_ptr<Performer> pops_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<PopsPerformer>(data, element_bytes);
}

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
  registers_.emplace(std::get<Pops>(header.machine), PopsRegisters::Options{sizeof(T)});
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
  registers_->move(slot);
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
