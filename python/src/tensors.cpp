// Arrays whose axes have any length and any stride: the engine's tensor plans.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "buffer.hpp"
#include "faro/algebra/tensor_notation.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/engine/reference.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

using Lengths = std::vector<std::uint64_t>;
using Strides = std::vector<std::int64_t>;

// Element (0, 0, ..) of a view is above the lowest address by what negative strides reach down.
ArrayPlaces places(const Lengths& shape, const Strides& strides) {
  ArrayPlaces result{shape, strides, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] >= 0 || shape[d] == 0) continue;
    const auto reach = std::uint64_t{0} - static_cast<std::uint64_t>(strides[d]);
    result.offset += reach * (shape[d] - 1);
  }
  return result;
}

class TensorPlan {
 public:
  TensorPlan(const Map& map, const TensorShape& shape, int threads)
      : plan_(PermutePlan::out_of_place(map, shape, {.threads = threads})) {}

  void run(nb::handle x, nb::handle out, nb::handle progress) const {
    Buffer from;
    Buffer to;
    if (!from.take(x.ptr(), Buffer::Use::read) || !to.take(out.ptr(), Buffer::Use::write))
      throw nb::python_error();
    const auto [a, a_bytes] = from.extent();
    const auto [b, b_bytes] = to.extent();
    if (a_bytes < plan_.facts().from_bytes || b_bytes < plan_.facts().to_bytes)
      throw Error(ErrorCode::usage,
                  fmt::format("arrays over {} and {} bytes for a plan of {} and {}", a_bytes,
                              b_bytes, plan_.facts().from_bytes, plan_.facts().to_bytes));
    if (a < b + b_bytes && b < a + a_bytes)
      throw Error(ErrorCode::usage, "out overlaps the array; it must be the same memory or apart");
    const std::span<const std::byte> source(a, a_bytes);
    const std::span<std::byte> target(b, b_bytes);
    watched(progress.ptr(), Watch::Interrupt::stops, lock_for(plan_.data_bytes()),
            [&](const Progress& hears) { plan_.execute(source, target, hears); });
  }
  const PermutePlan& plan() const { return plan_; }

 private:
  PermutePlan plan_;
};

// Whether the text is one of index bits, which the kernels of bits know best.
bool is_of_bits(const std::string& text, std::uint64_t elements) {
  if (!is_power_of_two(elements)) return text.find("->") == std::string::npos;
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1))
    if (text.compare(at, 2, "=>") != 0) return false;
  try {
    parse_notation(text, {.total = log2_exact(elements), .processor = std::nullopt});
  } catch (const NotationError& error) {
    // Fields without a size are the array's axes; every other fault is told by who reads bits.
    return error.fault() != NotationFault::size;
  }
  return true;
}

// The map of a text and the shape of its result; nothing where the text is one of index bits.
std::optional<std::pair<Map, Lengths>> tensor_map(const std::string& text, const Lengths& shape,
                                                  std::uint64_t element_bytes,
                                                  std::optional<std::int64_t> axis) {
  if (is_foreign(text)) return {};
  Lengths length = shape;
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
  if (axis) {
    const auto k = static_cast<std::ptrdiff_t>(*axis);
    for (std::ptrdiff_t d = 0; d < std::ssize(shape); ++d)
      if (d != k) (d < k ? outer : inner) *= shape[static_cast<std::size_t>(d)];
    length = {shape.at(static_cast<std::size_t>(k))};
  }
  Count elements = element_bytes;
  for (const std::uint64_t n : length) elements = elements * n;
  const auto count =
      static_cast<std::uint64_t>(elements) / std::max<std::uint64_t>(element_bytes, 1);
  if (is_of_bits(text, count)) return {};
  const TensorNotation notation = parse_tensor_notation(text, length);
  const bool by_axes =
      !axis &&
      std::equal(notation.fields.begin(), notation.fields.end(), shape.begin(), shape.end(),
                 [](const TensorField& field, std::uint64_t n) { return field.length == n; });
  Map map = axis ? beside(beside(Map::identity(outer), notation.map), Map::identity(inner))
                 : notation.map;
  return std::pair{std::move(map), by_axes ? notation.to_shape : shape};
}

Map along(const NamedMap& map, std::uint64_t outer, std::uint64_t inner) {
  return beside(beside(Map::identity(outer), Map::from_bits(map.map)), Map::identity(inner));
}

Map batches(const Map& map, std::uint64_t outer, bool inverse) {
  return beside(Map::identity(outer), inverse ? map.inverse() : map);
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
  nb::class_<Map>(m, "Map");
  m.def("tensor_map", tensor_map, nb::arg("text"), nb::arg("shape"), nb::arg("itemsize"),
        nb::arg("axis").none());
  m.def("tensor_along", along);
  m.def("tensor_batches", batches);
  m.def("tensor_identity", &Map::identity);
  m.def("tensor_mismatch", mismatch);
  nb::class_<TensorPlan>(m, "TensorPlan")
      .def("__init__",
           [](TensorPlan* self, const Map& map, std::uint64_t element_bytes, const Lengths& from,
              const Strides& from_strides, const Lengths& to, const Strides& to_strides,
              int threads) {
             new (self) TensorPlan(
                 map, {element_bytes, places(from, from_strides), places(to, to_strides)}, threads);
           })
      .def("run", &TensorPlan::run, nb::arg("x"), nb::arg("out"), nb::arg("progress").none())
      .def("describe", [](const TensorPlan& p) { return p.plan().describe(); });
}

}  // namespace faro::python
