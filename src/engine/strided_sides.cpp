// Both sides of a tile as tables of offsets, where its axes are no single stride.
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
  if (x.map == Axis::plain) {
    const Offset stride = which == SideOf::destination ? x.from : x.to;
    for (Offset i = 0; i < count; ++i) at[static_cast<std::size_t>(i)] = stride * i;
    return at;
  }
  for (Offset i = 0; i < count; ++i) {
    if (which == SideOf::destination) {
      at[static_cast<std::size_t>(i)] = form.from_at(x, i);
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
  std::vector<Offset>& table = side.table;
  table.reserve(static_cast<std::size_t>(side.table_block));
  table.assign(1, 0);
  for (const int k : axes) {
    const Axis& x = form.axes[static_cast<std::size_t>(k)];
    const std::size_t have = table.size();
    const std::vector<Offset> step =
        steps(form, x, which, std::min(x.length, side.table_block / static_cast<Offset>(have)));
    table.resize(have * step.size());
    // From the last copy down to the first, which all are made from.
    for (std::size_t n = step.size(); n-- > 0;) {
      Offset* const copy = table.data() + n * have;
      for (std::size_t i = 0; i < have; ++i) copy[i] = table[i] + step[n];
    }
  }
}

}  // namespace faro::inline v1::engine
