#include "machines/cube/performer.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/check.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

// Memory is slot by slot; what a step reads is copied to a stage before anything is written.
class CubePerformer : public Performer {
 public:
  CubePerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), element_bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override {}
  std::vector<std::byte> take_result() override;

 private:
  struct Arrival {
    Word processor;
    Slot slot;
  };
  std::byte* place(Word processor, Slot slot) {
    return slots_[slot].data() + processor * element_bytes_;
  }
  void read(Word processor, Slot slot, Arrival arrival);

  std::span<const std::byte> data_;
  std::size_t element_bytes_;
  int dimensions_ = 0;
  Word processors_ = 0;
  std::uint64_t elements_ = 0;
  std::vector<std::vector<std::byte>> slots_;
  std::vector<std::byte> stage_;
  std::vector<Arrival> arrivals_;
};

void CubePerformer::begin(const ScheduleHeader& header) {
  dimensions_ = address_bits(header.machine).value_or(0);
  elements_ = header.elements;
  const Count bytes = (Count{1} << dimensions_) * elements_ * element_bytes_;
  if (bytes != data_.size())
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{} bytes of data for {} elements a processor of {} bytes on 2^{} processors; {} "
            "wanted",
            data_.size(), elements_, element_bytes_, dimensions_, to_string(bytes)));
  if (header.slots < elements_ || header.slots > limits::slots_max)
    throw Error(ErrorCode::limit, fmt::format("{} slots a processor; from {} to {} may be there",
                                              header.slots, elements_, limits::slots_max));
  processors_ = bit(dimensions_);
  const std::size_t plane_bytes = processors_ * element_bytes_;
  slots_.assign(header.slots, {});
  for (std::uint64_t s = 0; s < elements_; ++s) {
    slots_[s].resize(plane_bytes);
    for (Word p = 0; p < processors_; ++p)
      std::memcpy(place(p, static_cast<Slot>(s)),
                  data_.data() + (p * elements_ + s) * element_bytes_, element_bytes_);
  }
}

void CubePerformer::read(Word processor, Slot slot, Arrival arrival) {
  FARO_CHECK(processor < processors_ && arrival.processor < processors_);
  FARO_CHECK(slot < slots_.size() && arrival.slot < slots_.size() && !slots_[slot].empty());
  const std::byte* from = place(processor, slot);
  stage_.insert(stage_.end(), from, from + element_bytes_);
  arrivals_.push_back(arrival);
}

void CubePerformer::step(const CubeStep& step) {
  stage_.clear();
  arrivals_.clear();
  for (const Rule& rule : step.rules) {
    const Word flip = rule.across == inside ? 0 : bit(rule.across);
    AffineSpace::where(dimensions_, rule.where).for_each([&](Word p) {
      read(p, rule.from, {p ^ flip, rule.to});
    });
  }
  for (const Move& m : step.moves) read(m.from_processor, m.from_slot, {m.to_processor, m.to_slot});
  const std::byte* value = stage_.data();
  for (const Arrival& a : arrivals_) {
    if (slots_[a.slot].empty()) slots_[a.slot].resize(processors_ * element_bytes_);
    std::memcpy(place(a.processor, a.slot), value, element_bytes_);
    value += element_bytes_;
  }
}

std::vector<std::byte> CubePerformer::take_result() {
  std::vector<std::byte> result(data_.size());
  for (Word p = 0; p < processors_; ++p)
    for (std::uint64_t s = 0; s < elements_; ++s)
      std::memcpy(result.data() + (p * elements_ + s) * element_bytes_,
                  place(p, static_cast<Slot>(s)), element_bytes_);
  return result;
}

}  // namespace

std::unique_ptr<Performer> cube_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<CubePerformer>(data, element_bytes);
}

}  // namespace faro::inline v1
