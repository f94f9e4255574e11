// The readers, one a system, each in a file of its name. A reader takes what stands behind
// "SYSTEM:" to its end.
#pragma once

#include "layouts/bits.hpp"
#include "layouts/rearrangement.hpp"

namespace faro::inline v1::layouts {

ForeignLayout read_numpy(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_strides(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_einops(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_xla(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_shardy(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_jax(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_dtensor(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_cute(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_triton(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_hpf(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_scalapack(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_morton(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_qiskit(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_qasm(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_quirk(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_cirq(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_custatevec(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_fft(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_walsh(Scanner& in, const ForeignSizes& sizes);
ForeignLayout read_zarr(Scanner& in, const ForeignSizes& sizes);

// By name or alias, if it is read; and the name of such a one, and how long a text it takes.
bool is_system(std::string_view name);
std::string_view system_name(std::string_view name);
std::size_t system_bytes_max(std::string_view name);

// What words say of arrays of any lengths; `elements`: of one whose shape is not known.
struct EinopsWords {
  std::vector<std::string> names;  // of the axes of moved.split
  Rearrangement moved;
};
EinopsWords read_einops_words(Scanner& in, const Shape& shape,
                              std::optional<std::uint64_t> elements);
struct ZarrWords {
  Shape shape;  // empty: not stated
  std::vector<std::uint64_t> chunks;
};
ZarrWords read_zarr_words(Scanner& in);
void check_chunks(const Shape& shape, const std::vector<std::uint64_t>& chunks, const Scanner& in);

std::string write_numpy(const ForeignLayout& layout);
std::string write_einops(const ForeignLayout& layout);
std::string write_jax(const ForeignLayout& layout);
std::string write_shardy(const ForeignLayout& layout);
std::string write_xla(const ForeignLayout& layout);
std::string write_dtensor(const ForeignLayout& layout);
std::string write_cute(const ForeignLayout& layout);
std::string write_triton(const ForeignLayout& layout);
std::string write_qiskit(const ForeignLayout& layout);
std::string write_cirq(const ForeignLayout& layout);
std::string write_qasm(const ForeignLayout& layout);
std::string write_qasm3(const ForeignLayout& layout);
std::string write_quirk(const ForeignLayout& layout);
std::string write_custatevec(const ForeignLayout& layout);
std::string write_c(const ForeignLayout& layout);

}  // namespace faro::inline v1::layouts
