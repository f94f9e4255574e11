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

MatmulOperands::MatmulOperands(MatmulSlots& slots, Slot row_a, Slot column_b)
    : slots_(slots), n_(slots.order()), row_a_(row_a), column_b_(column_b) {
  has_a_.assign(n_ * n_ * n_, false);
  has_b_.assign(n_ * n_ * n_, false);
  for (std::uint64_t i = 0; i < n_; ++i)
    for (std::uint64_t j = 0; j < n_; ++j) {
      has_a_[at(i, j, j)] = true;
      has_b_[at(i, j, i)] = true;
    }
}

void MatmulOperands::a_comes(std::uint64_t i, std::uint64_t j, std::uint64_t m,
                             std::uint64_t from) {
  slots_.hear(i, j, from, a(m));
  has_a_[at(i, j, m)] = true;
  if (has_b_[at(i, j, m)]) form(i, j, m);
}

void MatmulOperands::b_comes(std::uint64_t i, std::uint64_t j, std::uint64_t m,
                             std::uint64_t from) {
  slots_.hear(i, j, from, b(m));
  has_b_[at(i, j, m)] = true;
  if (has_a_[at(i, j, m)]) form(i, j, m);
}

void MatmulOperands::form(std::uint64_t i, std::uint64_t j, std::uint64_t m) {
  slots_.product(i, j, m == j ? Slot{0} : a(m), m == i ? Slot{1} : b(m));
}

}  // namespace faro::inline v1
