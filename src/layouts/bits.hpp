// What the readers share: index bits by axis, and a layout from lists of them.
#pragma once

#include <string>
#include <vector>

#include "layouts/foreign.hpp"
#include "layouts/scanner.hpp"

namespace faro::inline v1::layouts {

// A bit of a result: parity(source & mask) ^ inverted.
struct Form {
  Word mask = 0;
  bool inverted = false;
};
using Forms = std::vector<Form>;  // most significant first
using Shape = std::vector<std::uint64_t>;

// Source bits low .. low + width - 1, most significant first.
Forms source_bits(int low, int width);
void append(Forms& to, const Forms& more);
Forms joined(const std::vector<Forms>& parts);

// The bits of each axis of an array in C order. Refuses sides that are no powers of two, and more
// than 64 bits.
std::vector<Forms> axis_bits(const Shape& shape, const Scanner& in);

// log2, or a refusal: "WHAT is 3, no power of two".
int log2_or_refuse(std::uint64_t value, const std::string& what, const Scanner& in);
int bits_of(const Shape& shape);  // requires powers of two

// The given shape, or one axis of the given width. Without either the words are short of it.
Shape shape_of(const ForeignSizes& sizes, Scanner& in);
// The same with exactly `axes` axes.
Shape shape_of(const ForeignSizes& sizes, Scanner& in, std::size_t axes);

std::string shape_text(const Shape& shape);  // "(8, 4)"

// The map whose destination bits, highest first, are `destination`; forms over as many source bits.
ForeignLayout plain(const Forms& destination, Shape shape, std::vector<Field> fields,
                    const Scanner& in);
ForeignLayout plain(const Forms& destination, const Shape& shape, const Scanner& in);
// [replica | index] -> device | memory.
ForeignLayout placed(const Forms& device, const Forms& memory, int replica_bits, const Shape& shape,
                     const Scanner& in);

}  // namespace faro::inline v1::layouts
