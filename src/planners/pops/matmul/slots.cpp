#include "planners/pops/matmul/slots.hpp"

#include <utility>

namespace faro::inline v1 {

MatmulSlots::MatmulSlots(const Pops& machine, const Shape& shape, ScheduleSink& sink)
    : machine_(machine), order_(shape.order), c_(shape.c), sink_(sink) {
  started_.assign(order_ * order_, false);
  ScheduleHeader header;
  header.machine = machine;
  header.goal = MatmulGoal{shape.order, 0, 1, shape.c};
  header.elements = 1;
  header.slots = shape.registers;
  header.planner = shape.planner;
  sink_.begin(header);
}

std::vector<std::uint64_t> MatmulSlots::row_groups(std::uint64_t row) const {
  std::vector<std::uint64_t> groups;
  for (std::uint64_t x = group(row, 0); x <= group(row, order_ - 1); ++x) groups.push_back(x);
  return groups;
}

void MatmulSlots::send(std::uint64_t row, std::uint64_t column, Slot reg,
                       std::vector<std::uint64_t> to_groups) {
  slot_.sends.push_back({row * order_ + column, reg, std::move(to_groups)});
}

void MatmulSlots::hear(std::uint64_t row, std::uint64_t column, std::uint64_t from_group,
                       Slot reg) {
  slot_.receives.push_back({row * order_ + column, from_group, reg});
}

void MatmulSlots::product(std::uint64_t row, std::uint64_t column, Slot a, Slot b) {
  const Word p = row * order_ + column;
  const auto kind = started_[p] ? PopsOperation::Kind::multiply_add : PopsOperation::Kind::multiply;
  started_[p] = true;
  slot_.operations.push_back({kind, p, c_, a, b});
}

void MatmulSlots::end() {
  sink_.step(slot_);
  slot_.clear();
}

}  // namespace faro::inline v1
