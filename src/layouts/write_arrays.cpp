// Maps in the words of NumPy, einops, CuTe, Triton and C.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "faro/base/limits.hpp"
#include "layouts/runs.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

void no_huge_array(const ForeignLayout& layout, const char* system) {
  if (layout.notation.map.width() > limits::array_log2_max)
    throw NotExpressible(system, LayoutFault::size, "an array of more than 2^62 elements");
}

Shape shape_or_flat(const ForeignLayout& layout, const char* system) {
  if (!layout.shape.empty()) return layout.shape;
  no_huge_array(layout, system);
  return {bit(layout.notation.map.width())};
}

void no_copies(const ForeignLayout& layout, const char* system) {
  if (layout.replica_bits > 0)
    throw NotExpressible(system, LayoutFault::replicated, "it moves elements, it makes no copies");
  no_huge_array(layout, system);
}

void no_complement(const ForeignLayout& layout, const char* system, const char* why) {
  if (layout.notation.map.complement() != 0)
    throw NotExpressible(system, LayoutFault::complement,
                         fmt::format("complement {:#x} {}", layout.notation.map.complement(), why));
}

// The runs in order of their source bits, and for each place the run that fills it.
struct Order {
  std::vector<Run> from;
  std::vector<std::size_t> to;
};

Order order_of(const std::vector<Run>& runs) {
  Order order;
  order.from = runs;
  std::sort(order.from.begin(), order.from.end(),
            [](const Run& a, const Run& b) { return a.top > b.top; });
  for (const Run& run : runs)
    order.to.push_back(static_cast<std::size_t>(
        std::find_if(order.from.begin(), order.from.end(),
                     [&](const Run& other) { return other.top == run.top; }) -
        order.from.begin()));
  return order;
}

std::string letter(std::size_t k) {
  return k < 26 ? std::string(1, static_cast<char>('a' + k)) : fmt::format("x{}", k);
}

}  // namespace

// a.reshape(2, 4, 8).transpose(2, 0, 1)[::-1, :, :].ravel()
std::string write_numpy(const ForeignLayout& layout) {
  no_copies(layout, "numpy");
  const Order order = order_of(runs_of(layout.notation.map, "numpy"));
  if (order.from.empty()) return "a.ravel()";
  std::vector<std::string> sides;
  std::vector<std::string> slices;
  bool flips = false;
  for (const Run& run : order.from) sides.push_back(fmt::format("{}", bit(run.length)));
  for (const std::size_t k : order.to) {
    flips = flips || order.from[k].inverted;
    slices.push_back(order.from[k].inverted ? "::-1" : ":");
  }
  return fmt::format("a.reshape({}).transpose({}){}.ravel()", fmt::join(sides, ", "),
                     fmt::join(order.to, ", "),
                     flips ? fmt::format("[{}]", fmt::join(slices, ", ")) : "");
}

// (a b) c -> (c a b), a=2, b=4, c=8: one group an axis of the shape.
std::string write_einops(const ForeignLayout& layout) {
  no_copies(layout, "einops");
  no_complement(layout, "einops", "inverts bits; a pattern inverts none");
  const Shape shape = shape_or_flat(layout, "einops");
  const std::vector<int> bottoms = axis_bottoms(shape);
  const Order order = order_of(runs_of(layout.notation.map, "einops", bottoms));
  std::string left;
  std::size_t next = 0;
  for (const int bottom : bottoms) {
    std::vector<std::string> names;
    while (next < order.from.size() && order.from[next].bottom() >= bottom)
      names.push_back(letter(next++));
    left += fmt::format("{}{}{}{}", left.empty() ? "" : " ", names.size() == 1 ? "" : "(",
                        fmt::join(names, " "), names.size() == 1 ? "" : ")");
  }
  std::vector<std::string> right;
  for (const std::size_t k : order.to) right.push_back(letter(k));
  std::string text = fmt::format("{} -> ({})", left, fmt::join(right, " "));
  for (std::size_t k = 0; k < order.from.size(); ++k)
    text += fmt::format(", {}={}", letter(k), bit(order.from[k].length));
  return text;
}

namespace {

// (4,8):(8,1), the leftmost mode fastest.
std::string cute_layout(const BitMap& map) {
  const Order order = order_of(runs_of(map, "cute"));
  std::vector<int> place_of(order.from.size());
  int at = map.width();
  for (const std::size_t k : order.to) place_of[k] = at -= order.from[k].length;
  std::vector<std::string> shape;
  std::vector<std::string> strides;
  for (std::size_t k = order.from.size(); k-- > 0;) {
    shape.push_back(fmt::format("{}", bit(order.from[k].length)));
    strides.push_back(fmt::format("{}", bit(place_of[k])));
  }
  if (shape.empty()) return "(1):(1)";
  return fmt::format("({}):({})", fmt::join(shape, ","), fmt::join(strides, ","));
}

bool moves_bits(const BitMap& map) {
  for (int b = 0; b < map.width(); ++b)
    if (!is_power_of_two(map.column(b))) return false;
  return true;
}

BitMap swizzle_map(int width, int bits, int base, int shift) {
  std::vector<Word> columns;
  const int from = base + std::max(shift, 0);
  for (int b = 0; b < width; ++b) {
    const bool added = b >= from && b < from + bits;
    columns.push_back(bit(b) | (added ? bit(b - shift) : 0));
  }
  return BitMap::from_columns(columns);
}

}  // namespace

std::string write_cute(const ForeignLayout& layout) {
  no_copies(layout, "cute");
  no_complement(layout, "cute", "has no place in a layout or swizzle");
  const BitMap& map = layout.notation.map;
  if (moves_bits(map)) return cute_layout(map);
  const int width = map.width();
  // A swizzle is its own inverse: behind the right one only bits move.
  for (int bits = 1; 2 * bits <= width; ++bits)
    for (int distance = bits; distance + bits <= width; ++distance)
      for (int base = 0; base + distance + bits <= width; ++base)
        for (const int shift : {distance, -distance}) {
          const BitMap inner = then(map, swizzle_map(width, bits, base, shift));
          if (!moves_bits(inner)) continue;
          return fmt::format("Swizzle<{},{},{}> o 0 o {}", bits, base, shift, cute_layout(inner));
        }
  std::string columns;
  for (int b = 0; b < width; ++b)
    if (!is_power_of_two(map.column(b)))
      columns += fmt::format("{}{:#x} of bit {}", columns.empty() ? "" : ", ", map.column(b), b);
  throw NotExpressible("cute", LayoutFault::exclusive,
                       "no single swizzle of a layout has the columns " + columns);
}

std::string write_triton(const ForeignLayout& layout) {
  no_complement(layout, "triton", "has no place in a LinearLayout (L(0) = 0)");
  const BitMap& map = layout.notation.map;
  const Shape shape = shape_or_flat(layout, "triton");
  const int index_bits = map.width() - layout.replica_bits;
  const int memory_bits = layout.notation.cut.kind == Cut::Kind::layout
                              ? map.width() - layout.notation.cut.processor_bits
                              : map.width();
  const BitMap inverse = map.inverse();
  const auto basis = [&](int place) {
    const Word index = inverse.column(place) & low_mask(index_bits);
    std::vector<std::string> sides;
    int low = index_bits;
    for (const std::uint64_t side : shape) {
      low -= log2_exact(side);
      sides.push_back(fmt::format("{}", side == 1 ? 0 : (index >> low) & (side - 1)));
    }
    return fmt::format("[{}]", fmt::join(sides, ", "));
  };
  constexpr int lane_bits = 5;
  constexpr int warp_bits_max = 5;
  std::string text = "{";
  int place = 0;
  const auto dimension = [&](const char* name, int count) {
    std::vector<std::string> bases;
    for (int k = 0; k < count; ++k) bases.push_back(basis(place++));
    text += fmt::format("{}{} = [{}]", text.size() == 1 ? "" : ", ", name, fmt::join(bases, ", "));
  };
  dimension("register", memory_bits);
  dimension("lane", std::min(lane_bits, map.width() - place));
  dimension("warp", std::min(warp_bits_max, map.width() - place));
  dimension("block", map.width() - place);
  return text + "}";
}

// for (...) to[...] = from[i]: bits that move equally far go together.
std::string write_c(const ForeignLayout& layout) {
  no_copies(layout, "c");
  const BitMap& map = layout.notation.map;
  std::vector<std::pair<int, Word>> moved;  // distance to the left, source bits
  for (int distance = map.width() - 1; distance > -map.width(); --distance) {
    Word bits = 0;
    for (int b = 0; b < map.width(); ++b) {
      const int to = b + distance;
      if (to >= 0 && to < map.width() && has_bit(map.column(b), to)) bits |= bit(b);
    }
    if (bits != 0) moved.emplace_back(distance, bits);
  }
  std::string index;
  for (const auto& [distance, bits] : moved) {
    index += index.empty() ? "" : " ^ ";
    const std::string part = fmt::format("(i & {:#x})", bits);
    if (distance == 0)
      index += part;
    else
      index += fmt::format("({} {} {})", part, distance > 0 ? "<<" : ">>", std::abs(distance));
  }
  if (map.complement() != 0)
    index += fmt::format("{}{:#x}", index.empty() ? "" : " ^ ", map.complement());
  if (index.empty()) index.assign(1, 'i');
  return fmt::format("for (uint64_t i = 0; i < UINT64_C({}); ++i)\n  to[{}] = from[i];",
                     bit(map.width()), index);
}

}  // namespace faro::inline v1::layouts
