// What the schedules of matrix products are written with: processors by row and column, messages to
// those who listen, products.
//
//   MatmulSlots slots(pops, {.order = 4, .registers = 8, .c = 2}, sink);
//   slots.send(i, j, reg, {group, ...});   slots.hear(i, j, group, reg);   slots.product(i, j, a,
//   b); slots.end();                           the slot is complete
#pragma once

#include <cstdint>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// Registers of a processor's own operands.
namespace matmul {
inline constexpr Slot own_a = 0;
inline constexpr Slot own_b = 1;
}  // namespace matmul

class MatmulSlots {
 public:
  struct Shape {
    std::uint64_t order = 1;
    std::uint64_t registers = 3;
    Slot c = 2;
    const char* planner = "";
  };
  MatmulSlots(const Pops& machine, const Shape& shape, ScheduleSink& sink);

  std::uint64_t order() const { return order_; }
  std::uint64_t groups() const { return machine_.groups; }
  std::uint64_t group(std::uint64_t row, std::uint64_t column) const {
    return (row * order_ + column) / machine_.group_size;
  }
  // The groups that hold a row. Requires d <= N.
  std::vector<std::uint64_t> row_groups(std::uint64_t row) const;

  void send(std::uint64_t row, std::uint64_t column, Slot reg,
            std::vector<std::uint64_t> to_groups);
  void hear(std::uint64_t row, std::uint64_t column, std::uint64_t from_group, Slot reg);
  // C = a·b the first time at a processor, C += a·b from then on.
  void product(std::uint64_t row, std::uint64_t column, Slot a, Slot b);
  void end();
  void finish() { sink_.finish(); }

 private:
  Pops machine_;
  std::uint64_t order_;
  Slot c_;
  ScheduleSink& sink_;
  PopsSlot slot_;
  std::vector<bool> started_;
};

// Which operands have come, so that each product is formed in the slot that completes it. What a
// processor holds at first lies in registers 0 and 1, what it hears of its row from row_a on and of
// its column from column_b on.
class MatmulOperands {
 public:
  MatmulOperands(MatmulSlots& slots, Slot row_a, Slot column_b);

  Slot a(std::uint64_t m) const { return row_a_ + static_cast<Slot>(m); }
  Slot b(std::uint64_t m) const { return column_b_ + static_cast<Slot>(m); }

  // p[i,j] hears A[i,m] or B[m,j].
  void a_comes(std::uint64_t i, std::uint64_t j, std::uint64_t m, std::uint64_t from);
  void b_comes(std::uint64_t i, std::uint64_t j, std::uint64_t m, std::uint64_t from);
  void form(std::uint64_t i, std::uint64_t j, std::uint64_t m);

 private:
  std::uint64_t at(std::uint64_t i, std::uint64_t j, std::uint64_t m) const {
    return (i * n_ + j) * n_ + m;
  }

  MatmulSlots& slots_;
  std::uint64_t n_;
  Slot row_a_;
  Slot column_b_;
  std::vector<bool> has_a_;
  std::vector<bool> has_b_;
};

}  // namespace faro::inline v1
