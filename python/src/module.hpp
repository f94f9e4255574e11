// The parts of faro._core, one a file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"
#include "layouts/foreign.hpp"

namespace faro::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_arrays(nb::module_& m);
void bind_layouts(nb::module_& m);
void bind_tensors(nb::module_& m);
void bind_schedules(nb::module_& m);
void bind_transforms(nb::module_& m);
void bind_files(nb::module_& m);
void bind_stored(nb::module_& m);
void bind_jobs(nb::module_& m);
void bind_outside(nb::module_& m);
void bind_ranks(nb::module_& m);
void bind_registers(nb::module_& m);
void bind_places(nb::module_& m);
void bind_checkpoints(nb::module_& m);
void bind_xla_call(nb::module_& m);
void bind_gpu(nb::module_& m);

// A file's name as the system has it, bytes that need not be UTF-8. Throws Error(usage) for a byte 0.
std::string path_from(const nb::bytes& name);

// Beyond 64 bits too.
nb::object integer(Count count);

// A map with the fields of its text, as Python's BitMap holds it.
struct NamedMap {
  BitMap map;
  std::vector<Field> fields;
};

// A BitMap, or the text of one; `width` and `shape` are those of the data.
NamedMap map_from(nb::handle object, std::optional<int> width,
                  const std::vector<std::uint64_t>& shape = {});

}  // namespace faro::python
