// Arrays whose axes have any length and any stride: the engine's tensor plans.
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
  TensorPlan(const Map& map, const TensorShape& shape, Where where, int threads)
      : plan_(where == Where::in_place
                  ? PermutePlan::in_place(map, shape, {.threads = threads})
                  : PermutePlan::out_of_place(map, shape, {.threads = threads})) {}

  // In place `out` is None.
  void run(nb::handle x, nb::handle out, nb::handle progress) const {
    if (plan_.facts().in_place) return run_in_place(x, progress);
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
  void run_in_place(nb::handle x, nb::handle progress) const {
    Buffer data;
    if (!data.take(x.ptr(), Buffer::Use::write)) throw nb::python_error();
    const auto [at, bytes] = data.extent();
    if (bytes < plan_.facts().from_bytes)
      throw Error(ErrorCode::usage, fmt::format("an array over {} bytes for a plan of {}", bytes,
                                                plan_.facts().from_bytes));
    const std::span<std::byte> all(at, bytes);
    watched(progress.ptr(), Watch::Interrupt::waits, lock_for(plan_.data_bytes()),
            [&](const Progress& hears) { plan_.execute_in_place(all, hears); });
  }

  PermutePlan plan_;
};

using AxisRange = std::optional<std::pair<std::size_t, std::size_t>>;  // first .. last

// The map of words, of all axes or of these together, and the shape of its result; nothing where
// all is bits and the shape stays.
std::optional<std::pair<Map, Lengths>> tensor_map(const std::string& text, const Lengths& shape,
                                                  const AxisRange& axes) {
  const std::size_t first = axes ? axes->first : 0;
  const std::size_t end = axes ? axes->second + 1 : shape.size();
  if (first > end || end > shape.size()) throw Error(ErrorCode::usage, "no such axes");
  Sizes sizes;
  sizes.shape = Lengths(shape.begin() + static_cast<std::ptrdiff_t>(first),
                        shape.begin() + static_cast<std::ptrdiff_t>(end));
  const Said said = say(text, sizes);
  if (said.map.bits() != nullptr && said.shape == sizes.shape) return {};
  if (!axes) return std::pair{said.map, *said.shape};
  Said whole = say_on(text, {.shape = shape, .first = first, .last = end - 1});
  return std::pair{std::move(whole.map), *std::move(whole.shape)};
}

Map along(const NamedMap& map, std::uint64_t outer, std::uint64_t inner) {
  return radix::on_middle_axis(outer, map.map, inner);
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
  m.def("tensor_map", tensor_map, nb::arg("text"), nb::arg("shape"), nb::arg("axes").none());
  m.def("tensor_along", along);
  m.def("tensor_batches", batches);
  m.def("tensor_identity", &Map::identity);
  m.def("tensor_mismatch", mismatch);
  nb::class_<TensorPlan>(m, "TensorPlan")
      .def("__init__",
           [](TensorPlan* self, const Map& map, std::uint64_t element_bytes, const Lengths& from,
              const Strides& from_strides, const Lengths& to, const Strides& to_strides,
              bool in_place, int threads) {
             new (self) TensorPlan(
                 map, {element_bytes, places(from, from_strides), places(to, to_strides)},
                 in_place ? Where::in_place : Where::out_of_place, threads);
           })
      .def("run", &TensorPlan::run, nb::arg("x"), nb::arg("out").none(), nb::arg("progress").none())
      .def("describe", [](const TensorPlan& p) { return p.plan().describe(); });
}

}  // namespace faro::python
