#include "layouts/bits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"

namespace faro::inline v1::layouts {

Forms source_bits(int low, int width) {
  Forms bits;
  for (int b = width - 1; b >= 0; --b) bits.push_back({bit(low + b), false});
  return bits;
}

void append(Forms& to, const Forms& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Forms joined(const std::vector<Forms>& parts) {
  Forms all;
  for (const Forms& part : parts) append(all, part);
  return all;
}

int log2_or_refuse(std::uint64_t value, const std::string& what, const Scanner& in) {
  if (!is_power_of_two(value))
    in.refuse(LayoutFault::size,
              fmt::format("{} {}, no power of two; a bit map moves 2^p", what, value));
  return log2_exact(value);
}

int bits_of(const Shape& shape) {
  int bits = 0;
  for (const std::uint64_t side : shape) bits += log2_exact(side);
  return bits;
}

std::vector<Forms> axis_bits(const Shape& shape, const Scanner& in) {
  std::vector<int> widths;
  int low = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    widths.push_back(log2_or_refuse(shape[d], fmt::format("axis {} has", d), in));
    low += widths.back();
  }
  if (low > word_bits)
    throw Error(ErrorCode::limit, fmt::format("{}: an array of 2^{} elements; an index has 64 bits",
                                              in.system(), low));
  std::vector<Forms> axes;
  for (const int width : widths) {
    low -= width;
    axes.push_back(source_bits(low, width));
  }
  return axes;
}

Shape shape_of(const ForeignSizes& sizes, Scanner& in) {
  if (!sizes.shape.empty()) return sizes.shape;
  if (sizes.width) {
    if (*sizes.width > limits::array_log2_max)
      in.fail_at(0, "an array of more than 2^62 elements", NotationFault::limit);
    return {bit(*sizes.width)};
  }
  in.fail_at(0, "needs the shape of the array: --shape 16x16, in Python shape=(16, 16)",
             NotationFault::size);
}

Shape shape_of(const ForeignSizes& sizes, Scanner& in, std::size_t axes) {
  Shape shape = shape_of(sizes, in);
  if (shape.size() != axes)
    in.fail_at(0,
               fmt::format("speaks of {} {}, and the shape is {}", axes,
                           axes == 1 ? "axis" : "axes", shape_text(shape)),
               NotationFault::size);
  return shape;
}

std::string shape_text(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

ForeignLayout plain(const Forms& destination, Shape shape, std::vector<Field> fields,
                    const Scanner& in) {
  const int width = static_cast<int>(destination.size());
  if (width > word_bits)
    throw Error(ErrorCode::limit, fmt::format("{}: more than 64 bits", in.system()));
  std::vector<Word> rows;
  Word complement = 0;
  for (auto form = destination.rbegin(); form != destination.rend(); ++form) {
    if (form->inverted) complement |= bit(static_cast<int>(rows.size()));
    rows.push_back(form->mask);
  }
  const BitMatrix matrix = BitMatrix::from_rows(width, rows);
  if (matrix.rank() != width)
    in.refuse(LayoutFault::overlap, "some places are used twice and others never");
  ForeignLayout layout;
  layout.system = in.system();
  layout.notation.map = BitMap::from_matrix(matrix, complement);
  layout.notation.fields = std::move(fields);
  layout.shape = std::move(shape);
  return layout;
}

ForeignLayout plain(const Forms& destination, const Shape& shape, const Scanner& in) {
  return plain(destination, shape, shape_fields(shape), in);
}

ForeignLayout placed(const Forms& device, const Forms& memory, int replica_bits, const Shape& shape,
                     const Scanner& in) {
  Forms all = device;
  append(all, memory);
  std::vector<Field> fields = shape_fields(shape);
  if (replica_bits > 0) fields.insert(fields.begin(), {"rep", replica_bits});
  ForeignLayout layout = plain(all, shape, std::move(fields), in);
  layout.notation.cut = {Cut::Kind::layout, static_cast<int>(device.size())};
  layout.replica_bits = replica_bits;
  return layout;
}

}  // namespace faro::inline v1::layouts
