// The readers, one a system, each in a file of its name. A reader takes what stands behind
// "SYSTEM:" to its end.
#pragma once

#include "layouts/bits.hpp"

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
