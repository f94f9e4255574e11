// Where the elements of a box go by words, for arrays that come block by block.
#include "buffer.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"
#include "module.hpp"

namespace faro::python {
namespace {

using Lengths = std::vector<Word>;

Said said(const std::string& text, const Lengths& shape) {
  Sizes sizes;
  sizes.shape = shape;
  return say(text, sizes);
}

// The shape of the result.
Lengths shape_by(const std::string& text, const Lengths& shape) {
  return said(text, shape).shape.value_or(shape);
}

// Columns and complement where the map is one of bits.
std::optional<std::pair<std::vector<Word>, Word>> bits_by(const std::string& text,
                                                          const Lengths& shape) {
  const Map map = said(text, shape).map;
  if (map.bits() == nullptr) return std::nullopt;
  std::vector<Word> columns;
  for (int k = 0; k < map.bits()->width(); ++k) columns.push_back(map.bits()->column(k));
  return std::pair{columns, map.bits()->complement()};
}

// For each element of a box of an array of `box_shape`, in C order, its flat index after the map of
// words on an array of `shape`, or by the inverse before it.
void places_by(const std::string& text, const Lengths& shape, bool inverse,
               const Lengths& box_shape, const Lengths& start, const Lengths& extent,
               const nb::object& into) {
  Buffer buffer;
  if (!buffer.take(into.ptr(), Buffer::Use::write)) throw nb::python_error();
  Word count = 1;
  for (std::size_t k = 0; k < extent.size(); ++k) {
    if (k >= box_shape.size() || k >= start.size() || start[k] > box_shape[k] ||
        extent[k] > box_shape[k] - start[k])
      throw Error(ErrorCode::usage, "a box within the array is wanted");
    count *= extent[k];
  }
  if (extent.size() != box_shape.size() || start.size() != box_shape.size() ||
      !buffer.in_c_order() || static_cast<Word>(buffer.view().len) != count * sizeof(Word))
    throw Error(ErrorCode::usage, "a box of places is whole numbers of 64 bits");
  const nb::gil_scoped_release unlocked;
  const Map map = inverse ? said(text, shape).map.inverse() : said(text, shape).map;
  Word elements = 1;
  for (const Word n : box_shape) elements *= n;
  if (map.elements() != Count{elements})
    throw Error(ErrorCode::usage, "the map is of another number of elements");
  auto* const places = static_cast<Word*>(buffer.view().buf);
  if (count == 0) return;
  Lengths index(extent.size(), 0);
  const Word row = extent.empty() ? 1 : extent.back();
  for (Word done = 0; done < count; done += row) {
    Word first = 0;
    for (std::size_t k = 0; k < index.size(); ++k)
      first = (first * box_shape[k]) + start[k] + index[k];
    for (Word i = 0; i < row; ++i) places[done + i] = map(first + i);
    for (std::size_t k = index.size(); k-- > 1;) {
      if (++index[k - 1] < extent[k - 1]) break;
      index[k - 1] = 0;
    }
  }
}

}  // namespace

void bind_places(nb::module_& m) {
  m.def("shape_by", shape_by);
  m.def("bits_by", bits_by);
  m.def("places_by", places_by);
}

}  // namespace faro::python
