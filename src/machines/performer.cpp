// What elements lie where before the first step, and where the results are after the last; between
// them every machine's memory does what the steps say (machines/memory.hpp).
#include "machines/performer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "faro/base/error.hpp"
#include "machines/memory.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

class DataPerformer : public Performer {
 public:
  DataPerformer(std::span<const std::byte> data, std::size_t element_bytes)
      : data_(data), bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    refuse_turns(header, "what is performed on data");
    header_ = header;
    const Count wanted = processors(header.machine) * header.elements * bytes_;
    if (wanted != data_.size())
      throw Error(ErrorCode::usage,
                  fmt::format("{} bytes of data for {} elements a processor of {} bytes on {} "
                              "processors; {} wanted",
                              data_.size(), header.elements, bytes_,
                              to_string(processors(header.machine)), to_string(wanted)));
    std::uint64_t slots = header.slots;
    if (kind_of(header.machine).steps == MachineKind::Steps::program) {
      // A register holds all elements of a processor: one word of the machine.
      bytes_ *= std::exchange(header_.elements, 1);
      slots = static_cast<std::uint64_t>(MeshRegister::t) + 1;
      first_ = static_cast<Slot>(MeshRegister::s);
      header_.result = {first_};
    }
    if (slots < header_.elements)
      throw Error(ErrorCode::limit, fmt::format("{} slots a processor; {} elements want as many",
                                                slots, header_.elements));
    memory_.emplace(header.machine, MachineMemory::Options{slots, bytes_});
    each_element([&](Word p, std::uint64_t s, std::size_t place) {
      std::memcpy(memory_->at(p, first_ + static_cast<Slot>(s)), data_.data() + place, bytes_);
    });
  }

  void step(const CubeStep& step) override { memory_->perform(step); }
  void step(const MeshInstruction& instruction) override { memory_->perform(instruction); }
  void step(const PopsSlot& slot) override { memory_->perform(slot); }

  void finish() override {
    result_.assign(data_.begin(), data_.end());
    const auto* moves = std::get_if<MovesGoal>(&header_.goal);
    if (moves != nullptr && has_registers(header_.machine)) return gather(*moves);
    const std::vector<Slot>& result = header_.result;
    each_element([&](Word p, std::uint64_t s, std::size_t place) {
      const Slot first = result.empty() ? 0 : result[result.size() == 1 ? 0 : p];
      keep(place, p, first + static_cast<Slot>(s));
    });
  }

  std::vector<std::byte> take_result() override { return std::move(result_); }

 private:
  template <class Visit>
  void each_element(Visit&& visit) const {
    for (Word p = 0; p < memory_->processors(); ++p)
      for (std::uint64_t s = 0; s < header_.elements; ++s)
        visit(p, s, (p * header_.elements + s) * bytes_);
  }
  void keep(std::size_t place, Word processor, Slot slot) {
    std::memcpy(result_.data() + place, memory_->at(processor, slot), bytes_);
  }

  // What arrives at a processor, in the order of the registers that the goal names.
  void gather(const MovesGoal& goal) {
    std::vector<std::pair<Word, Slot>> places;
    for (const Move& m : goal.moves) places.emplace_back(m.to_processor, m.to_slot);
    std::sort(places.begin(), places.end());
    std::uint64_t arrival = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto [processor, slot] = places[i];
      arrival = i > 0 && places[i - 1].first == processor ? arrival + 1 : 0;
      if (arrival < header_.elements)
        keep((processor * header_.elements + arrival) * bytes_, processor, slot);
    }
  }

  std::span<const std::byte> data_;
  std::size_t bytes_;
  ScheduleHeader header_;
  Slot first_ = 0;  // where the elements of a processor begin
  std::optional<MachineMemory> memory_;
  std::vector<std::byte> result_;
};

}  // namespace

std::unique_ptr<Performer> make_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes) {
  return std::make_unique<DataPerformer>(data, element_bytes);
}

}  // namespace faro::inline v1
