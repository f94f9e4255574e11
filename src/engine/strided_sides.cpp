#include <algorithm>
#include <numeric>

#include "engine/strided_plan.hpp"

namespace faro::inline v1::engine {
namespace {

// Longer tables cost more to make and to read than they bring.
constexpr Offset block_max = Offset{1} << 12;
// No tile takes more of one axis.
constexpr Offset plain_block_bytes = 2048;

// Offsets at the other side of index 0, 1, .. of an axis.
std::vector<Offset> steps(const NormalForm& form, const Axis& x, SideOf which, Offset count) {
  std::vector<Offset> at(static_cast<std::size_t>(count));
  for (Offset i = 0; i < count; ++i) {
    if (which == SideOf::destination) {
      at[static_cast<std::size_t>(i)] = form.from_at(x, i);
    } else if (x.map == Axis::plain) {
      at[static_cast<std::size_t>(i)] = x.to * i;
    } else {
      const IndexMap& map = form.maps[static_cast<std::size_t>(x.map)];
      at[static_cast<std::size_t>(map.source_of(static_cast<Word>(i)))] = form.to_at(x, i);
    }
  }
  return at;
}

}  // namespace

Side side_of(const NormalForm& form, const std::vector<int>& axes, SideOf which, Offset square) {
  Side side;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const Axis& x = form.axes[static_cast<std::size_t>(axes[n])];
    const bool last = n + 1 == axes.size();
    side.length *= x.length;
    if (!last || x.map != Axis::plain) {
      side.table_block *= x.length;
      continue;
    }
    side.plain = n == 0;
    side.stride = which == SideOf::destination ? x.from : x.to;
    const Offset unit = square / std::gcd(square, side.table_block);
    Offset most = block_max / side.table_block;
    if (side.plain) {
      const auto element = static_cast<Offset>(form.element_bytes);
      most = which == SideOf::destination ? plain_block_bytes / element : one_rows_max;
    }
    const Offset count = std::min(x.length, std::max<Offset>(1, most / unit) * unit);
    side.table_block *= count;
    side.block_stride = count * side.stride;
  }
  return side;
}

void fill_table(Side& side, const NormalForm& form, const std::vector<int>& axes, SideOf which) {
  side.table.assign(1, 0);
  for (const int k : axes) {
    const Axis& x = form.axes[static_cast<std::size_t>(k)];
    const auto have = static_cast<Offset>(side.table.size());
    const std::vector<Offset> step =
        steps(form, x, which, std::min(x.length, side.table_block / have));
    std::vector<Offset> table;
    table.reserve(side.table.size() * step.size());
    for (const Offset far : step) {
      for (const Offset near : side.table) table.push_back(near + far);
    }
    side.table = std::move(table);
  }
}

}  // namespace faro::inline v1::engine
