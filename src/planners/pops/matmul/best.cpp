// Better schedules for matrix products.   [faro]
//   cost:   2N - 2 for d <= N; 3N²/4 for g = 2; else rN + N·ceil(r/p) (+1 if p > 1)
//           (tested N <= 14, every admissible d, integers and reals)
//   bound:  2(N-1), met for d <= N; r²(g+1) for r >= 2, met for g = 1 and g = 2
#include <algorithm>

#include "base/check.hpp"
#include "planners/pops/matmul/schedules.hpp"
#include "planners/pops/matmul/slots.hpp"

namespace faro::inline v1::matmul {
namespace {

std::vector<std::uint64_t> all_groups(std::uint64_t g) {
  std::vector<std::uint64_t> groups(g);
  for (std::uint64_t s = 0; s < g; ++s) groups[s] = s;
  return groups;
}

}  // namespace

void best_by_row_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink) {
  constexpr Slot c = 2;
  constexpr Slot landing = 3;
  constexpr Slot row_a = 4;  // A[i,m] in row_a + m
  const std::uint64_t n = order;
  MatmulSlots slots(machine, {.order = n, .registers = n + 4, .c = c, .planner = "pops-matmul"},
                    sink);
  // A's along rows; meanwhile the sender of each row hears the B of the diagonal of its column.
  for (std::uint64_t t = 1; t < n; ++t) {
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t column = (i + t) % n;
      slots.send(i, column, own_a, slots.row_groups(i));
      for (std::uint64_t j = 0; j < n; ++j)
        if (j != column)
          slots.hear(i, j, slots.group(i, column), row_a + static_cast<Slot>(column));
      slots.send(column, column, own_b, {slots.group(i, column)});
      slots.hear(i, column, slots.group(column, column), landing);
    }
    if (t + 1 == n)
      for (std::uint64_t i = 0; i < n; ++i)
        for (std::uint64_t j = 0; j < n; ++j) slots.product(i, j, own_a, i == j ? own_b : landing);
    slots.end();
  }
  // B's along columns; meanwhile the sender of each column hears the A of the diagonal of its row.
  for (std::uint64_t t = 1; t < n; ++t) {
    for (std::uint64_t m = 0; m < n; ++m) {
      const std::uint64_t column = (m + n - t) % n;
      std::vector<std::uint64_t> to;
      for (std::uint64_t i = 0; i < n; ++i)
        if (i != m) to.push_back(slots.group(i, column));
      slots.send(m, column, own_b, std::move(to));
      slots.send(m, m, own_a, {slots.group(m, column)});
    }
    // By rows, as registers lie in memory; p[i,j] forms the term m = j + t.
    for (std::uint64_t i = 0; i < n; ++i)
      for (std::uint64_t j = 0; j < n; ++j) {
        const std::uint64_t m = (j + t) % n;
        slots.hear(i, j, i == m ? slots.group(m, m) : slots.group(m, j), landing);
        if (i == m)
          slots.product(i, j, landing, own_b);
        else
          slots.product(i, j, row_a + static_cast<Slot>(m), landing);
      }
    slots.end();
  }
  slots.finish();
}

namespace {

// The A phase of best_by_rows. Turn by turn, rows base..base+chunk-1 of every group hear A[.., k].
class RowChunks {
 public:
  RowChunks(MatmulSlots& slots, std::uint64_t rows, std::uint64_t chunk)
      : slots_(slots), g_(slots.groups()), rows_(rows), chunk_(chunk) {}

  static constexpr Slot operand = 2;
  static constexpr Slot relay = 3;
  static constexpr Slot c = 4;
  static constexpr Slot column_b = 5;  // B[m,j] in column_b + m

  void push() {
    std::vector<Turn> turns;
    for (std::uint64_t base = 0; base < rows_; base += chunk_)
      for (std::uint64_t k = 0; k < slots_.order(); ++k) turns.push_back({base, k});
    // Relays wait in the column that is silent while they are told, of the turn before.
    Turn before{0, slots_.order() - 1};
    if (chunk_ > 1) {
      move_out(turns[0], before);
      slots_.end();
    }
    for (std::size_t t = 0; t < turns.size(); ++t) {
      deliver(turns[t], before);
      if (chunk_ > 1 && t + 1 < turns.size()) move_out(turns[t + 1], turns[t]);
      slots_.end();
      before = turns[t];
    }
  }

 private:
  struct Turn {
    std::uint64_t base = 0;
    std::uint64_t k = 0;
  };
  std::uint64_t served(const Turn& turn) const { return std::min(chunk_, rows_ - turn.base); }

  // To the relays, from the owners: row q of the chunk goes q groups up.
  void move_out(const Turn& turn, const Turn& silent) {
    for (std::uint64_t s = 0; s < g_; ++s)
      for (std::uint64_t q = 1; q < served(turn); ++q) {
        const std::uint64_t up = (s + q) % g_;
        slots_.send(rows_ * s + turn.base + q, turn.k, own_a, {up});
        slots_.hear(rows_ * up + silent.base + q, silent.k, s, relay);
      }
  }

  void deliver(const Turn& turn, const Turn& silent) {
    for (std::uint64_t s = 0; s < g_; ++s)
      for (std::uint64_t q = 0; q < served(turn); ++q) {
        const std::uint64_t up = (s + q) % g_;
        const std::uint64_t row = rows_ * s + turn.base + q;
        if (q == 0)
          slots_.send(row, turn.k, own_a, {s});
        else
          slots_.send(rows_ * up + silent.base + q, silent.k, relay, {s});
        for (std::uint64_t j = 0; j < slots_.order(); ++j) {
          if (j != turn.k) slots_.hear(row, j, up, operand);
          slots_.product(row, j, j == turn.k ? own_a : operand,
                         row == turn.k ? own_b : column_b + static_cast<Slot>(turn.k));
        }
      }
  }

  MatmulSlots& slots_;
  std::uint64_t g_;
  std::uint64_t rows_;
  std::uint64_t chunk_;
};

}  // namespace

void best_by_rows(const Pops& machine, std::uint64_t order, std::uint64_t chunk,
                  ScheduleSink& sink) {
  const std::uint64_t g = machine.groups;
  const std::uint64_t rows = order / g;
  FARO_CHECK(g >= 2 * chunk - 1);
  MatmulSlots slots(
      machine,
      {.order = order, .registers = order + 5, .c = RowChunks::c, .planner = "pops-matmul"}, sink);
  const std::vector<std::uint64_t> everywhere = all_groups(g);
  for (std::uint64_t q = 0; q < rows; ++q)
    for (std::uint64_t u = 0; u < order; ++u) {
      for (std::uint64_t s = 0; s < g; ++s) {
        const std::uint64_t row = rows * s + q;
        const std::uint64_t column = (u + s) % order;
        slots.send(row, column, own_b, everywhere);
        for (std::uint64_t i = 0; i < order; ++i)
          if (i != row) slots.hear(i, column, s, RowChunks::column_b + static_cast<Slot>(row));
      }
      slots.end();
    }
  RowChunks(slots, rows, chunk).push();
  slots.finish();
}

void best_two_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink) {
  const std::uint64_t n = order;
  const std::uint64_t rows = n / 2;
  MatmulSlots slots(machine, {.order = n, .registers = 2 * n + 3, .c = 2, .planner = "pops-matmul"},
                    sink);
  MatmulOperands operands(slots, 3, 3 + static_cast<Slot>(n));
  for (std::uint64_t i = 0; i < n; ++i) operands.form(i, i, i);
  for (std::uint64_t q = 0; q < rows; ++q)
    for (std::uint64_t u = 0; u < n; ++u) {
      for (const std::uint64_t s : {0U, 1U}) {
        const std::uint64_t k = (u + s) % n;
        const std::uint64_t row = rows * s + q;
        const std::uint64_t other = rows * (1 - s) + q;
        slots.send(row, k, own_a, {s});
        for (std::uint64_t j = 0; j < n; ++j)
          if (j != k) operands.a_comes(row, j, k, s);
        slots.send(other, k, own_b, {s});
        for (std::uint64_t i = rows * s; i < rows * (s + 1); ++i)
          operands.b_comes(i, k, other, 1 - s);
      }
      slots.end();
    }
  for (std::uint64_t q = 0; q < rows; ++q)
    for (std::uint64_t v = 0; v < rows; ++v) {
      for (const std::uint64_t s : {0U, 1U}) {
        const std::uint64_t row = rows * s + q;
        const std::uint64_t other = rows * (1 - s) + q;
        slots.send(row, v, own_b, {s});
        slots.send(other, v + rows, operands.b(row), {s});
        for (std::uint64_t i = rows * s; i < rows * (s + 1); ++i) {
          if (i == row) continue;
          operands.b_comes(i, v, row, s);
          operands.b_comes(i, v + rows, row, 1 - s);
        }
      }
      slots.end();
    }
  slots.finish();
}

}  // namespace faro::inline v1::matmul
