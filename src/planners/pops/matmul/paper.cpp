// The paper's schedules.   [Sahni 2000, section 2, corrected]
//   cost:   2N slots for d <= N, 2N²/g for d > N, N rounds   (tested N <= 14, every admissible d)
//   bound:  2(N-1); r²(g+1) for r >= 2
#include "planners/pops/matmul/schedules.hpp"
#include "planners/pops/matmul/slots.hpp"

namespace faro::inline v1::matmul {
namespace {

// Registers.
constexpr Slot a_operand = 2;
constexpr Slot b_operand = 3;
constexpr Slot relay = 4;
constexpr Slot c = 5;

void multiply_all(MatmulSlots& slots, std::uint64_t k) {
  for (std::uint64_t i = 0; i < slots.order(); ++i)
    for (std::uint64_t j = 0; j < slots.order(); ++j)
      slots.product(i, j, j == k ? own_a : a_operand, i == k ? own_b : b_operand);
}

std::vector<std::uint64_t> column_groups(const MatmulSlots& slots, std::uint64_t column) {
  std::vector<std::uint64_t> groups;
  for (std::uint64_t i = 0; i < slots.order(); ++i)
    if (groups.empty() || groups.back() != slots.group(i, column))
      groups.push_back(slots.group(i, column));
  return groups;
}

}  // namespace

void single(const Pops& machine, ScheduleSink& sink) {
  MatmulSlots slots(machine, {.order = 1, .registers = 3, .c = 2, .planner = "pops-matmul"}, sink);
  slots.product(0, 0, own_a, own_b);
  slots.end();
  slots.finish();
}

void paper_by_row_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink) {
  MatmulSlots slots(machine,
                    {.order = order, .registers = 6, .c = c, .planner = "pops-matmul-paper"}, sink);
  for (std::uint64_t k = 0; k < order; ++k) {
    for (std::uint64_t i = 0; i < order; ++i) {
      slots.send(i, k, own_a, slots.row_groups(i));
      for (std::uint64_t j = 0; j < order; ++j)
        if (j != k) slots.hear(i, j, slots.group(i, k), a_operand);
    }
    for (std::uint64_t j = 0; j < order; ++j) {
      if (j == k) continue;
      slots.send(k, j, own_b, {slots.group(j, k)});
      slots.hear(j, k, slots.group(k, j), relay);
    }
    slots.end();
    for (std::uint64_t j = 0; j < order; ++j) {
      slots.send(j, k, j == k ? own_b : relay, column_groups(slots, j));
      for (std::uint64_t i = 0; i < order; ++i)
        if (i != k) slots.hear(i, j, slots.group(j, k), b_operand);
    }
    multiply_all(slots, k);
    slots.end();
  }
  slots.finish();
}

void paper_by_rows(const Pops& machine, std::uint64_t order, ScheduleSink& sink) {
  MatmulSlots slots(machine,
                    {.order = order, .registers = 6, .c = c, .planner = "pops-matmul-paper"}, sink);
  const std::uint64_t g = machine.groups;
  const std::uint64_t r = order / g;
  std::vector<std::uint64_t> everywhere(g);
  for (std::uint64_t s = 0; s < g; ++s) everywhere[s] = s;
  for (std::uint64_t k = 0; k < order; ++k)
    for (std::uint64_t q = 0; q < r; ++q) {
      const std::uint64_t home = k / r;  // the group of row k
      for (std::uint64_t s = 0; s < g; ++s) {
        const std::uint64_t row = r * s + q;
        slots.send(row, k, own_a, {s});
        for (std::uint64_t j = 0; j < order; ++j)
          if (j != k) slots.hear(row, j, s, a_operand);
        if (s == home) continue;
        slots.send(k, row, own_b, {s});
        slots.hear(row, k, home, relay);
      }
      slots.end();
      for (std::uint64_t s = 0; s < g; ++s) {
        const std::uint64_t row = r * s + q;
        if (s == home)
          slots.send(k, row, own_b, everywhere);
        else
          slots.send(row, k, relay, everywhere);
        for (std::uint64_t i = 0; i < order; ++i)
          if (i != k) slots.hear(i, row, s, b_operand);
      }
      if (q + 1 == r) multiply_all(slots, k);
      slots.end();
    }
  slots.finish();
}

}  // namespace faro::inline v1::matmul
