// Triton's LinearLayout: where each register, lane, warp and block points, linear over GF(2).
//
//   {register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0]], warp = [], block = []}
//
// Read too: #ttg.linear<{...}>, dicts with ':', and the list that Triton prints ("register=1 -> (0,
// 1)"). It goes from hardware to the tensor, a BitMap from the tensor's index (C order) to the
// place:
// device = (block, warp, lane), memory = register. A zero basis is a copy; a layout that misses
// elements has holes.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

using Basis = std::vector<std::uint64_t>;

struct Dimension {
  std::string name;
  std::vector<Basis> bases;
};

Basis read_basis(Scanner& in) {
  if (in.next_is("[")) return in.numbers("[", "]");
  if (in.next_is("(")) return in.numbers("(", ")");
  return {in.number()};
}

std::vector<Dimension> read_dict(Scanner& in) {
  std::vector<Dimension> dimensions;
  in.expect("{");
  while (!in.accept("}")) {
    if (!dimensions.empty()) {
      in.expect(",");
      if (in.accept("}")) break;
    }
    Dimension d{in.name_or_quoted(), {}};
    if (!in.accept("=")) in.expect(":");
    in.expect("[");
    while (!in.accept("]")) {
      if (!d.bases.empty()) in.expect(",");
      d.bases.push_back(read_basis(in));
    }
    dimensions.push_back(std::move(d));
  }
  return dimensions;
}

// - register=1 -> (0, 1) ... "where out dims are: [dim0 (size 16), dim1 (size 32)]"
std::vector<Dimension> read_lines(Scanner& in, Shape& shape) {
  std::vector<Dimension> dimensions;
  while (!in.done()) {
    if (in.accept("where")) {
      in.expect("out");
      in.expect("dims");
      in.expect("are:");
      in.expect("[");
      while (!in.accept("]")) {
        in.accept(",");
        in.name();
        in.expect("(");
        in.expect("size");
        shape.push_back(in.number());
        in.expect(")");
      }
      break;
    }
    in.accept("-");
    const std::size_t at = in.at();
    const std::string name = in.name();
    if (dimensions.empty() || dimensions.back().name != name) dimensions.push_back({name, {}});
    if (in.accept("is")) {  // "block is a size 1 dimension"
      in.expect("a");
      in.expect("size");
      in.number();
      in.expect("dimension");
      continue;
    }
    in.expect("=");
    if (in.number() !=
        bit(static_cast<int>(std::min<std::size_t>(dimensions.back().bases.size(), 62))))
      in.fail_at(at, "bases come in the order 1, 2, 4, ...");
    in.expect("->");
    dimensions.back().bases.push_back(read_basis(in));
  }
  return dimensions;
}

// The smallest sides that hold every basis.
Shape implied_shape(const std::vector<Dimension>& dimensions, Scanner& in) {
  Shape shape;
  for (const Dimension& d : dimensions)
    for (const Basis& basis : d.bases) {
      if (shape.empty()) shape.assign(basis.size(), 1);
      for (std::size_t k = 0; k < std::min(shape.size(), basis.size()); ++k)
        while (shape[k] <= basis[k]) shape[k] *= 2;
    }
  if (shape.empty()) in.fail_at(0, "no basis says how many dimensions the tensor has");
  return shape;
}

}  // namespace

ForeignLayout read_triton(Scanner& in, const ForeignSizes& sizes) {
  const bool attribute = in.accept("#ttg.linear") || in.accept("#triton_gpu.linear");
  if (attribute) in.expect("<");
  Shape shape = sizes.shape;
  if (shape.empty() && sizes.width && *sizes.width <= limits::array_log2_max)
    shape = {bit(*sizes.width)};
  Shape printed;
  const std::vector<Dimension> dimensions =
      in.next_is("{") ? read_dict(in) : read_lines(in, printed);
  if (attribute) in.expect(">");
  in.expect_end();
  if (shape.empty()) shape = printed.empty() ? implied_shape(dimensions, in) : printed;
  const std::vector<Forms> axes = axis_bits(shape, in);
  const int index_bits = bits_of(shape);
  std::vector<Word> columns;  // of the layout: hardware bit, lowest first, to index
  int memory_bits = 0;
  for (const Dimension& d : dimensions)
    for (const Basis& basis : d.bases) {
      if (basis.size() != shape.size())
        in.fail_at(0,
                   fmt::format("a basis of {} numbers, and the tensor is {}", basis.size(),
                               shape_text(shape)),
                   NotationFault::size);
      Word column = 0;
      int low = index_bits;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        low -= log2_exact(shape[k]);
        if (basis[k] >= shape[k])
          in.fail_at(0,
                     fmt::format("basis {} of {} in a dimension of {}", basis[k], d.name, shape[k]),
                     NotationFault::range);
        if (basis[k] != 0) column |= basis[k] << low;
      }
      columns.push_back(column);
      if (d.name == "register") ++memory_bits;
    }
  if (columns.size() > word_bits)
    throw Error(ErrorCode::limit, "triton: more than 64 bits of hardware");
  if (memory_bits > 0 && dimensions.front().name != "register")
    in.fail_at(0, "register is the first dimension");
  const int width = static_cast<int>(columns.size());
  const BitMatrix layout = BitMatrix::from_columns(index_bits, columns);
  std::vector<Word> places;  // images of the index bits, then of the copies
  for (int b = 0; b < index_bits; ++b) {
    const std::optional<Word> place = layout.solve(bit(b));
    if (!place)
      in.refuse(LayoutFault::holes,
                fmt::format("no basis reaches all elements: {} of {} index bits", layout.rank(),
                            index_bits));
    places.push_back(*place);
  }
  const std::vector<Word> copies = layout.kernel();
  places.insert(places.end(), copies.rbegin(), copies.rend());
  const Placement placement(BitMap::from_columns(places), width - memory_bits,
                            static_cast<int>(copies.size()), shape);
  ForeignLayout result;
  result.system = in.system();
  result.notation = placement.notation();
  result.replica_bits = placement.replica_bits();
  result.shape = shape;
  return result;
}

}  // namespace faro::inline v1::layouts
