// COSTA: matrices from one grid of blocks to another, transposed on the way where asked. Grids are
// of blocks of at most 256 rows and columns: larger ones it transposes wrongly (commit 81ba3124).
#include <algorithm>
#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>
#include <memory>

#include "peers.hpp"

namespace peers {
namespace {

std::vector<int> splits(int length) {
  std::vector<int> at;
  for (int i = 0; i <= length; i += std::min(length, 256)) at.push_back(i);
  return at;
}

// `rows` x `columns` in blocks of rows on ranks one below the other, or of columns side by side;
// what a rank has lies row by row.
costa::grid_layout<Number> in_blocks(int rows, int columns, bool of_rows, const Ranks& ranks,
                                     Number* data) {
  const int each_rows = of_rows ? rows / ranks.size : rows;
  const int each_columns = of_rows ? columns : columns / ranks.size;
  std::vector<int> row_split, column_split;
  const auto all_splits = [](std::vector<int>& all, int length, int times) {
    all = {0};
    for (int t = 0; t < times; ++t) {
      for (const int at : splits(length)) {
        if (at > 0) all.push_back(t * length + at);
      }
    }
  };
  all_splits(row_split, each_rows, of_rows ? ranks.size : 1);
  all_splits(column_split, each_columns, of_rows ? 1 : ranks.size);
  const int row_blocks = static_cast<int>(row_split.size()) - 1;
  const int column_blocks = static_cast<int>(column_split.size()) - 1;
  std::vector<int> owners;
  std::vector<costa::block_t> mine;
  for (int i = 0; i < row_blocks; ++i) {
    for (int j = 0; j < column_blocks; ++j) {
      const int row = row_split[static_cast<std::size_t>(i)];
      const int column = column_split[static_cast<std::size_t>(j)];
      const int owner = of_rows ? row / each_rows : column / each_columns;
      owners.push_back(owner);
      if (owner != ranks.rank) continue;
      const auto at =
          static_cast<std::size_t>(row % each_rows) * static_cast<std::size_t>(each_columns) +
          static_cast<std::size_t>(column % each_columns);
      mine.push_back({data + at, each_columns, i, j});
    }
  }
  return costa::custom_layout<Number>(row_blocks, column_blocks, row_split.data(),
                                      column_split.data(), owners.data(),
                                      static_cast<int>(mine.size()), mine.data(), 'R');
}

}  // namespace

std::optional<Run> costa(const Case& what, const Ranks& ranks, Arrays& arrays) {
  const int bits = ranks.rank_bits + ranks.local_bits;
  const bool exchange = what.kind == Kind::exchange && what.bits == ranks.rank_bits &&
                        what.low == ranks.local_bits - what.bits;
  const int rows_log2 = exchange ? ranks.rank_bits : what.rows_log2;
  const int columns_log2 = bits - rows_log2;
  if (!exchange && (what.kind != Kind::transpose || rows_log2 < ranks.rank_bits ||
                    columns_log2 < ranks.rank_bits)) {
    return {};
  }
  const int rows = 1 << rows_log2, columns = 1 << columns_log2;
  auto from = std::make_shared<costa::grid_layout<Number>>(
      in_blocks(rows, columns, true, ranks, arrays.from.data()));
  // Row r on rank r, then block t of columns on rank t; or the transposed matrix, by its rows.
  auto to = std::make_shared<costa::grid_layout<Number>>(
      exchange ? in_blocks(rows, columns, false, ranks, arrays.to.data())
               : in_blocks(columns, rows, true, ranks, arrays.to.data()));
  const char how = exchange ? 'N' : 'T';
  return [=, comm = ranks.comm] {
    costa::transform<Number>(*from, *to, how, Number(1), Number(0), comm);
  };
}

}  // namespace peers
