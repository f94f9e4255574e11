// What words or a BitMap say of a whole array, and arrays beside what a map says of them.
#include <fmt/format.h>

#include "algebra/digits.hpp"
#include "array_plan.hpp"
#include "buffer.hpp"
#include "engine/reference.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

using Lengths = std::vector<std::uint64_t>;

using AxisRange = std::optional<std::pair<std::size_t, std::size_t>>;  // first .. last

// The map of a whole array, of words or a BitMap on all axes or on these together, and the shape of
// its result.
std::pair<Map, Lengths> whole_map(nb::handle map, const Lengths& shape, const AxisRange& axes,
                                  bool inverse) {
  const std::size_t first = axes ? axes->first : 0;
  const std::size_t end = axes ? axes->second + 1 : shape.size();
  if (first > end || end > shape.size()) throw Error(ErrorCode::usage, "no such axes");
  if (nb::isinstance<nb::str>(map)) {
    const auto text = nb::cast<std::string>(map);
    Sizes sizes;
    sizes.shape = shape;
    Said said =
        axes ? say_on(text, {.shape = shape, .first = first, .last = end - 1}) : say(text, sizes);
    return {inverse ? said.map.inverse() : std::move(said.map), std::move(said.shape).value()};
  }
  const auto product = [&](std::size_t from, std::size_t to) {
    Count all = 1;  // refuses what does not fit it
    for (std::size_t d = from; d < to; ++d) all = all * shape[d];
    return std::uint64_t{all};
  };
  const std::uint64_t length = product(first, end);
  if (!is_power_of_two(length))
    throw Error(ErrorCode::impossible, fmt::format("{} elements: a bit map moves 2^p", length));
  const BitMap bits = map_from(map, log2_exact(length)).map;
  return {radix::on_middle_axis(product(0, first), inverse ? bits.inverse() : bits,
                                product(end, shape.size())),
          shape};
}

// Arrays in C order: the first element that is not where the map sends it, and where it should be.
std::optional<std::pair<std::uint64_t, std::uint64_t>> mismatch(const Map& map, nb::handle x,
                                                                nb::handle y) {
  Buffer from;
  Buffer to;
  if (!from.take(x.ptr(), Buffer::Use::read) || !to.take(y.ptr(), Buffer::Use::read))
    throw nb::python_error();
  const auto element_bytes = static_cast<std::uint64_t>(from.view().itemsize);
  const Count bytes = map.elements() * element_bytes;
  if (!from.in_c_order() || !to.in_c_order() ||
      bytes != static_cast<std::uint64_t>(from.view().len) || from.view().len != to.view().len)
    throw Error(ErrorCode::usage, "two arrays of the map's elements in C order are compared");
  Mismatch found;
  watched(nullptr, Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    found = reference_compare(map, {element_bytes, {}, {}}, from.view().buf, to.view().buf, hears);
  });
  if (!found.found) return {};
  return std::pair{found.from, found.to};
}

}  // namespace

void bind_tensors(nb::module_& m) {
  nb::class_<Map>(m, "Map").def_prop_ro("is_bits",
                                        [](const Map& map) { return map.bits() != nullptr; });
  m.def("whole_map", whole_map, nb::arg("map"), nb::arg("shape"), nb::arg("axes").none(),
        nb::arg("inverse"));
  m.def("mismatch", mismatch);
}

}  // namespace faro::python
