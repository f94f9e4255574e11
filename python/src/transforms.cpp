// Transforms of arrays by a butterfly network on the emulated cube.
#include <fmt/format.h>

#include <map>

#include "buffer.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "faro/transforms/transform.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

struct Asked {
  std::string kind;
  std::string on;
  std::string layout;
  std::string order;      // "", "msb", "lsb"
  std::string algorithm;  // "": the cheapest
  bool sequency = false;
  bool exclusive = false;
};

ArrayTransform transform_of(const Asked& asked, std::uint64_t length) {
  static const std::map<std::string, TransformKind> kinds = {
      {"fft", TransformKind::fft},   {"ifft", TransformKind::ifft},   {"ntt", TransformKind::ntt},
      {"intt", TransformKind::intt}, {"wht", TransformKind::wht},     {"scan", TransformKind::scan},
      {"sort", TransformKind::sort}, {"merge", TransformKind::merge},
  };
  const auto kind = kinds.find(asked.kind);
  if (kind == kinds.end())
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is no transform: fft, ifft, ntt, intt, wht, scan, sort, merge",
                            asked.kind));
  const Machine machine = machine_from(asked.on);
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all)
    throw Error(ErrorCode::usage,
                fmt::format("transforms run on a cube, cube:N, not on {}", asked.on));
  ArrayTransform transform;
  transform.kind = kind->second;
  transform.network.processor_bits = cube->dimensions;
  const ButterflyNetwork request = butterfly::request_for(transform.network, length);
  const Layout layout = parse_layout(
      asked.layout, {.total = request.index_bits, .processor = request.processor_bits});
  transform.network.allocation = layout.allocation;
  transform.network.encoding = layout.encoding;
  if (asked.order == "msb")
    transform.network.order = butterfly::Order::most_significant_first;
  else if (asked.order == "lsb")
    transform.network.order = butterfly::Order::least_significant_first;
  else if (!asked.order.empty())
    throw Error(ErrorCode::usage, "order is 'msb' or 'lsb'");
  transform.network.algorithm = asked.algorithm;
  if (asked.sequency) transform.arrangement = butterfly::Arrangement::sequency;
  if (asked.exclusive) transform.ends = ArrayTransform::Ends::exclusive;
  return transform;
}

// `x` and `out` are contiguous and in C order, `out` of the result's type.
nb::dict transformed(const ArrayTransform& transform, const std::string& type, nb::handle x,
                     std::uint64_t outer, std::uint64_t length, std::uint64_t inner,
                     nb::handle out) {
  Buffer from;
  Buffer to;
  if (!from.take(x.ptr(), Buffer::Use::read) || !to.take(out.ptr(), Buffer::Use::write))
    throw nb::python_error();
  if (!from.in_c_order() || !to.in_c_order())
    throw Error(ErrorCode::usage, "arrays in C order are wanted");
  std::optional<butterfly::Performed> done;
  watched(nullptr, Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    done.emplace(transform_array(
        transform, type,
        {static_cast<const std::byte*>(from.view().buf), static_cast<std::size_t>(from.view().len)},
        {outer, length, inner},
        {static_cast<std::byte*>(to.view().buf), static_cast<std::size_t>(to.view().len)}, hears));
  });
  const Hypercube cube{.dimensions = done->request.processor_bits};
  const bool sorts = transform.kind == TransformKind::sort;
  const Bound bound = bound_of(sorts ? Request::of(cube, BitonicSort{done->request})
                                     : Request::of(cube, done->request));
  nb::dict facts;
  facts["planner"] = done->planner;
  facts["citation"] = done->citation;
  facts["steps"] = integer(done->traffic.steps);
  facts["moves"] = integer(done->traffic.elements);
  facts["bound"] = nb::make_tuple(integer(bound.value), bound.reason);
  nb::list across;
  for (const auto count : done->traffic.across) across.append(integer(count));
  facts["crossings"] = nb::tuple(across);
  return facts;
}

}  // namespace

void bind_transforms(nb::module_& m) {
  nb::class_<ArrayTransform>(m, "ArrayTransform")
      .def("__init__",
           [](ArrayTransform* self, const std::string& kind, const std::string& on,
              const std::string& layout, const std::string& order, const std::string& algorithm,
              bool sequency, bool exclusive, const std::string& modulus, std::uint64_t length) {
             ArrayTransform made =
                 transform_of({kind, on, layout, order, algorithm, sequency, exclusive}, length);
             if (modulus == "goldilocks")
               made.modulus = ArrayTransform::Modulus::goldilocks;
             else if (modulus != "998244353")
               throw Error(ErrorCode::usage, "modulus is '998244353' or 'goldilocks'");
             new (self) ArrayTransform(std::move(made));
           })
      .def("record",
           [](ArrayTransform& self, std::uint64_t bytes, std::uint64_t offset) {
             self.record = {bytes, offset};
           })
      .def("result_type", [](const ArrayTransform& self,
                             const std::string& type) { return result_type(self, type); })
      .def("run", transformed);
}

}  // namespace faro::python
