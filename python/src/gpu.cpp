// Maps on GPUs: kernels as text, their counts, and arrays whose addresses Python knows.
#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include "faro/algebra/map.hpp"
#include "faro/gpu/device.hpp"
#include "faro/gpu/plan.hpp"
#include "faro/words/say.hpp"
#include "gpu/explain.hpp"
#include "module.hpp"

namespace faro::python {
namespace {

gpu::Options options_of(std::uint64_t itemsize, bool in_place, Word mask = 0, Word value = 0) {
  gpu::Options options;
  options.only = {mask, value};
  options.element_bytes = itemsize;
  options.in_place = in_place;
  return options;
}

// Arrays and streams are addresses, or OpenCL's objects. `to` is `from` for one array, in place.
void move(const Map& map, std::uint64_t itemsize, const std::string& language, std::uint64_t stream,
          int device, std::uint64_t from, std::uint64_t to) {
  const auto pointer = [](std::uint64_t address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  };
  const gpu::Stream where{gpu::language(language), pointer(stream), device};
  const nb::gil_scoped_release released;
  if (from == to)
    gpu::permute_in_place(map, pointer(to), options_of(itemsize, true), where);
  else
    gpu::permute(map, pointer(from), pointer(to), options_of(itemsize, false), where);
}

// Words of axes of any length too.
Map any_map(nb::handle map) {
  if (nb::isinstance<nb::str>(map)) return say(nb::cast<std::string>(map)).map;
  return map_from(map, {}).map;
}

nb::list devices(const std::string& language) {
  nb::list out;
  for (const gpu::Device& device : gpu::devices(gpu::language(language)))
    out.append(nb::make_tuple(device.number, device.name, device.target, device.memory_bytes));
  return out;
}

// Of an array that speaks DLPack: its address, its device's number, and whether it lies in C order.
nb::tuple dlpack_place(const nb::ndarray<>& array) {
  bool in_order = true;
  std::int64_t stride = 1;
  for (std::size_t d = array.ndim(); d-- > 0;) {
    in_order = in_order && (array.shape(d) <= 1 || array.stride(d) == stride);
    stride *= static_cast<std::int64_t>(array.shape(d));
  }
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), array.device_id(),
                        in_order);
}

}  // namespace

void bind_gpu(nb::module_& m) {
  m.def("gpu_move", move);
  m.def("gpu_devices", devices);
  m.def("gpu_dlpack_place", dlpack_place);
  m.def("gpu_emit", [](nb::handle map, const std::string& language, std::uint64_t itemsize,
                       bool in_place, const std::string& name, const std::string& on, Word mask,
                       Word value) {
    const gpu::Plan plan =
        gpu::plan(any_map(map), options_of(itemsize, in_place, mask, value), gpu::machine(on));
    return gpu::emit(plan, gpu::language(language), name);
  });
  // The words, and the JSON of format faro-gpu/1.
  m.def("gpu_explain", [](nb::handle map, std::uint64_t itemsize, bool in_place,
                          const std::string& on, Word mask, Word value) {
    const Report report = gpu::explain(
        gpu::plan(any_map(map), options_of(itemsize, in_place, mask, value), gpu::machine(on)));
    return std::pair{report.words(), report.json()};
  });
}

}  // namespace faro::python
