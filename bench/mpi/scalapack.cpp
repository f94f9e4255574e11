// ScaLAPACK's pzgemr2d: a matrix from one block-cyclic distribution to another.
#include <array>
#include <memory>

#include "peers.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cpzgemr2d(int m, int n, peers::Number* a, int ia, int ja, int* desca, peers::Number* b, int ib,
               int jb, int* descb, int context);
}

namespace peers {
namespace {

int grid(int rows, int columns) {
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, columns);
  return context;
}

using Descriptor = std::array<int, 9>;

}  // namespace

std::optional<Run> scalapack(const Case& what, const Ranks& ranks, Arrays& arrays) {
  static const int in_a_row = grid(1, ranks.size);
  static const int in_a_column = grid(ranks.size, 1);
  const int p = ranks.rank_bits;
  const int local = 1 << ranks.local_bits;
  int m = 0, n = 0;
  Descriptor from{}, to{};
  // Matrices lie column by column.
  if (what.kind == Kind::exchange && what.bits == p && what.low == ranks.local_bits - p) {
    // Column r on rank r; then block t of rows on rank t.
    m = local;
    n = ranks.size;
    from = {1, in_a_row, m, n, m, 1, 0, 0, m};
    to = {1, in_a_column, m, n, m / ranks.size, n, 0, 0, m / ranks.size};
  } else if (what.kind == Kind::transpose && what.rows_log2 == ranks.local_bits) {
    // A vector in blocks, then element by element in turn: block to cyclic.
    m = 1;
    n = local * ranks.size;
    from = {1, in_a_row, 1, n, 1, local, 0, 0, 1};
    to = {1, in_a_row, 1, n, 1, 1, 0, 0, 1};
  } else if (what.kind == Kind::transpose && what.rows_log2 == p) {
    m = 1;
    n = local * ranks.size;
    from = {1, in_a_row, 1, n, 1, 1, 0, 0, 1};
    to = {1, in_a_row, 1, n, 1, local, 0, 0, 1};
  } else {
    return {};
  }
  return [=, &arrays]() mutable {
    Cpzgemr2d(m, n, arrays.from.data(), 1, 1, from.data(), arrays.to.data(), 1, 1, to.data(),
              in_a_row);
  };
}

}  // namespace peers
