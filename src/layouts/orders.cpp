// Orders by name: what transforms leave behind, Morton's curve, cuStateVec's bit orders.
//
//   fft:(8,4)                    unordered output of a transform with radices 8, 4: digits
//                                reversed, b:2 a:3 -> a b
//   walsh:natural->sequency      rows of a Walsh-Hadamard transform from one order to another
//   morton:interleave(x, y)      the first argument in the lowest bit: y:3 x:3 -> zip(y, x)
//   custatevec:swaps (0,2) (1,3)     scatter [2,0,1]: bit b goes to place 2, 0, 1; gather: comes
//                                    from
#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/classify.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

ForeignLayout of_map(const BitMap& map, std::vector<Field> fields, Shape shape, const Scanner& in) {
  ForeignLayout layout;
  layout.system = in.system();
  layout.notation.map = map;
  layout.notation.fields = std::move(fields);
  layout.shape = std::move(shape);
  return layout;
}

BitMap reversal(int width) {
  std::vector<int> places;
  for (int b = width - 1; b >= 0; --b) places.push_back(b);
  return BitMap::from_places(places);
}

int width_of(const ForeignSizes& sizes, Scanner& in) {
  if (sizes.shape.empty() && sizes.width) return *sizes.width;
  const Shape shape = shape_of(sizes, in);
  axis_bits(shape, in);
  return bits_of(shape);
}

}  // namespace

ForeignLayout read_fft(Scanner& in, const ForeignSizes& sizes) {
  if (in.next_is("halfcomplex") || in.next_is("r2hc"))
    in.refuse(LayoutFault::adds, "halfcomplex order puts index n - k beside k: that adds");
  if (in.next_is("scrambled"))
    in.refuse(LayoutFault::unknown,
              "a scrambled order is the implementation's own; run it on single "
              "tones and fit the result");
  std::vector<std::uint64_t> radices;
  if (in.accept("radix-") || in.accept("radix")) {
    const std::uint64_t radix = in.number();
    const int digit = log2_or_refuse(radix, "a radix is", in);
    const int width = width_of(sizes, in);
    if (digit == 0 || width % digit != 0)
      in.fail_at(0,
                 fmt::format("2^{} elements are no power of {}; list the radices, as in (8,4)",
                             width, radix),
                 NotationFault::size);
    radices.assign(static_cast<std::size_t>(width / digit), radix);
  } else {
    in.accept("radices");
    if (in.next_is("(")) {
      radices = in.numbers("(", ")");
    } else {
      do {
        radices.push_back(in.number());
      } while (in.accept(","));
    }
  }
  in.expect_end();
  // The index of a frequency: the first radix is its lowest digit, and the highest of the place.
  std::vector<Forms> digits;
  std::vector<Field> fields;
  int low = 0;
  for (const std::uint64_t radix : radices) {
    const int width = log2_or_refuse(radix, "a radix is", in);
    if (low + width > word_bits) in.fail_at(0, "more than 64 bits", NotationFault::limit);
    fields.insert(fields.begin(),
                  {digits.size() < 26 ? std::string(1, static_cast<char>('a' + digits.size()))
                                      : fmt::format("x{}", digits.size()),
                   width});
    digits.push_back(source_bits(low, width));
    low += width;
  }
  if (sizes.width && *sizes.width != low)
    in.fail_at(0, fmt::format("radices of 2^{} elements, there are 2^{}", low, *sizes.width),
               NotationFault::size);
  return plain(joined(digits), {}, std::move(fields), in);
}

ForeignLayout read_walsh(Scanner& in, const ForeignSizes& sizes) {
  // From natural (Hadamard) order to the named one.
  const int width = width_of(sizes, in);
  const auto order = [&]() -> BitMap {
    const std::size_t at = in.at();
    const std::string name = in.name();
    if (name == "natural" || name == "hadamard" || name == "Hadamard")
      return BitMap::identity(width);
    if (name == "dyadic" || name == "paley" || name == "Paley") return reversal(width);
    if (name == "sequency" || name == "walsh") return then(reversal(width), ungray_map(width));
    in.fail_at(at, "orders: natural (hadamard), dyadic (paley), sequency", NotationFault::name);
  };
  const BitMap from = order();
  if (!in.accept("->")) in.expect("to");
  const BitMap to = order();
  in.expect_end();
  return of_map(then(from.inverse(), to), {{"i", width}}, {}, in);
}

namespace {

// The names that shape_fields gives to so many axes.
std::vector<std::string> axis_names(std::size_t axes) {
  std::vector<std::string> names;
  for (const Field& field : shape_fields(Shape(axes, 1))) names.push_back(field.name);
  return names;
}

// The axes of a C-order array by the names that arguments use, the last of which runs fastest: y x,
// z y x, r c, i j k, a b c.
std::vector<std::string> names_of_axes(const std::vector<std::string>& arguments, Scanner& in) {
  const std::size_t axes = arguments.size();
  std::vector<std::vector<std::string>> known = {axis_names(axes)};
  if (axes == 1) known.push_back({"x"});
  if (axes == 2) known.push_back({"y", "x"});
  if (axes == 3) known.push_back({"z", "y", "x"});
  for (const char first : {'a', 'i'}) {
    known.emplace_back();
    for (std::size_t d = 0; d < axes && d < 8; ++d)
      known.back().emplace_back(1, static_cast<char>(first + static_cast<char>(d)));
  }
  std::vector<std::string> sorted = arguments;
  std::sort(sorted.begin(), sorted.end());
  for (std::vector<std::string>& names : known) {
    std::vector<std::string> same = names;
    std::sort(same.begin(), same.end());
    if (same == sorted) return names;
  }
  std::string wanted;
  for (const auto& names : known)
    wanted += fmt::format("{}{}", wanted.empty() ? "" : ", or ", fmt::join(names, " "));
  in.fail_at(0,
             fmt::format("({}) does not name each of the {} axes once; they are {}",
                         fmt::join(arguments, ", "), axes, wanted),
             NotationFault::name);
}

}  // namespace

ForeignLayout read_morton(Scanner& in, const ForeignSizes& sizes) {
  in.accept("pymorton.");
  if (in.accept("hilbert"))
    in.refuse(LayoutFault::adds, "a Hilbert curve turns by the data's index: affine for 2x2 only");
  std::vector<std::string> arguments;
  bool first_low = true;
  if (in.name_is_next()) {
    const std::size_t at = in.at();
    const std::string name = in.name();
    if (name == "zip") {
      first_low = false;
    } else if (!name.starts_with("interleave") && name != "encode" && name != "morton") {
      in.fail_at(at, "wanted interleave(x, y), its first argument in the lowest bit, or zip(y, x)");
    }
    in.expect("(");
    while (!in.accept(")")) {
      if (!arguments.empty()) in.expect(",");
      arguments.push_back(in.name());
    }
  } else if (in.accept("(")) {
    first_low = false;
    while (!in.accept(")")) {
      if (!arguments.empty()) in.expect(",");
      arguments.push_back(in.name());
    }
  }
  in.expect_end();
  const Shape shape = shape_of(sizes, in);
  if (arguments.empty()) {
    arguments = axis_names(shape.size());
    first_low = false;
  }
  if (arguments.size() != shape.size()) shape_of(sizes, in, arguments.size());
  if (first_low) std::reverse(arguments.begin(), arguments.end());
  const std::vector<std::string> names = names_of_axes(arguments, in);
  const std::vector<Forms> bits = axis_bits(shape, in);
  for (const Forms& axis : bits)
    if (axis.size() != bits[0].size())
      in.refuse(LayoutFault::uneven, fmt::format("the sides {} differ: the curve fills a square of "
                                                 "equal sides",
                                                 shape_text(shape)));
  std::vector<Field> fields;
  for (std::size_t d = 0; d < shape.size(); ++d)
    fields.push_back({names[d], static_cast<int>(bits[d].size())});
  Forms destination;
  for (std::size_t level = 0; level < bits[0].size(); ++level)
    for (const std::string& argument : arguments) {
      const auto axis = std::find(names.begin(), names.end(), argument) - names.begin();
      destination.push_back(bits[static_cast<std::size_t>(axis)][level]);
    }
  return plain(destination, shape, std::move(fields), in);
}

ForeignLayout read_custatevec(Scanner& in, const ForeignSizes& sizes) {
  std::vector<std::vector<std::uint64_t>> swaps;
  std::vector<std::uint64_t> order;
  bool scatter = false;
  if (in.accept("swaps")) {
    const bool listed = in.accept("[");
    while (in.next_is("(")) {
      const std::size_t at = in.at();
      swaps.push_back(in.numbers("(", ")"));
      if (swaps.back().size() != 2) in.fail_at(at, "a swap has two bits");
      in.accept(",");
    }
    if (listed) in.expect("]");
  } else {
    scatter = in.accept("scatter") || in.accept("SCATTER");
    if (!scatter && !in.accept("gather")) in.expect("GATHER");
    order = in.numbers("[", "]");
  }
  in.accept(",");
  if (in.next_is("mask"))
    in.refuse(LayoutFault::holes,
              "a mask moves the elements that meet it only, which is no affine map of "
              "all; say the swaps without it, and the mask to the kernel: "
              "`faro emit .. --only 2=1` (docs/gpu.md)");
  in.expect_end();
  int width = order.empty() ? 0 : static_cast<int>(order.size());
  for (const auto& pair : swaps)
    for (const std::uint64_t b : pair) {
      if (b >= word_bits) in.fail_at(0, fmt::format("bit {}", b), NotationFault::range);
      width = std::max(width, static_cast<int>(b) + 1);
      const auto uses = [b](const auto& other) {
        return std::count(other.begin(), other.end(), b);
      };
      std::ptrdiff_t times = 0;
      for (const auto& other : swaps) times += uses(other);
      if (times != 1) in.fail_at(0, fmt::format("bit {} in two swaps", b), NotationFault::range);
    }
  if (order.empty() && (sizes.width || !sizes.shape.empty()))
    width = std::max(width, width_of(sizes, in));
  if (width > word_bits) in.fail_at(0, "more than 64 bits", NotationFault::limit);
  std::vector<int> places;
  for (int b = 0; b < width; ++b) places.push_back(b);
  for (const auto& pair : swaps) std::swap(places[pair[0]], places[pair[1]]);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] >= order.size() || std::count(order.begin(), order.end(), order[k]) != 1)
      in.fail_at(0, fmt::format("no permutation of 0 to {}", order.size() - 1),
                 NotationFault::range);
    if (scatter)
      places[k] = static_cast<int>(order[k]);
    else
      places[order[k]] = static_cast<int>(k);
  }
  return of_map(BitMap::from_places(places), {{"i", width}}, {}, in);
}

}  // namespace faro::inline v1::layouts
