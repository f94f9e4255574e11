// The table of systems.
#include "layouts/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1 {
namespace {

using namespace layouts;

struct System {
  const char* name;
  const char* alias;  // "" for none
  const char* title;
  ForeignLayout (*read)(Scanner&, const ForeignSizes&);  // nullptr: written only
  std::string (*write)(const ForeignLayout&);            // nullptr: read only
  const char* example;
  const char* example_shape;
  std::size_t bytes_max = limits::notation_bytes_max;  // of a text
};

constexpr std::array<System, 22> systems = {{
    {"numpy", "np", "NumPy expressions", read_numpy, write_numpy, "np.flip(a, 1).T", "2x4"},
    {"strides", "", "shape and strides of a view", read_strides, nullptr, "(4,8):(1,4)", ""},
    {"einops", "", "einops patterns", read_einops, write_einops, "(a b) c -> c (b a), a=2", "4x2"},
    {"xla", "hlo", "XLA's HloSharding: V1, V2 and named", read_xla, write_xla,
     "{devices=[2,1,4]<=[4,2]T(1,0)}", "16x16x16"},
    {"shardy", "sdy", "Shardy", read_shardy, write_shardy,
     "<[\"x\"=4, \"y\"=2]> [{\"y\"}, {\"x\"}]", "8x8"},
    {"jax", "", "JAX: Mesh and PartitionSpec", read_jax, write_jax, "mesh x=4 y=2, P('y', 'x')",
     "8x8"},
    {"dtensor", "torch", "PyTorch DTensor", read_dtensor, write_dtensor,
     "(2,4) [Shard(1), Shard(0)]", "8x4"},
    {"cute", "", "CuTe layouts and swizzles", read_cute, write_cute, "Swizzle<3,4,3>", ""},
    {"triton", "", "Triton LinearLayout", read_triton, write_triton,
     "{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}", "2x2"},
    {"hpf", "", "High Performance Fortran", read_hpf, nullptr,
     "DISTRIBUTE A(BLOCK, CYCLIC) ONTO P(2,4)", "8x16"},
    {"scalapack", "", "ScaLAPACK descriptors", read_scalapack, nullptr,
     "M=16 N=16 MB=2 NB=2 grid=2x4", ""},
    {"morton", "", "Morton order", read_morton, nullptr, "interleave(x, y)", "8x8"},
    {"qiskit", "", "Qiskit circuits of X, CX, SWAP", read_qiskit, write_qiskit, "cx(0, 1)", "",
     limits::circuit_bytes_max},
    {"cirq", "", "Cirq circuits of X, CNOT, SWAP", read_cirq, write_cirq, "CNOT(q0, q1)", "",
     limits::circuit_bytes_max},
    {"qasm", "openqasm", "OpenQASM 2 and 3", read_qasm, write_qasm, "qreg q[3]; cx q[0],q[1];", "",
     limits::circuit_bytes_max},
    {"qasm3", "", "OpenQASM 3", read_qasm, write_qasm3, "qubit[3] q; cx q[0], q[1];", "",
     limits::circuit_bytes_max},
    {"quirk", "", "links into Quirk", read_quirk, write_quirk, R"({"cols":[["•","X"]]})", ""},
    {"custatevec", "", "cuStateVec bit orders", read_custatevec, write_custatevec,
     "swaps (0,2) (1,3)", ""},
    {"fft", "", "unordered transforms by their radices", read_fft, nullptr, "(8,4)", ""},
    {"walsh", "", "Walsh-Hadamard orders", read_walsh, nullptr, "natural -> sequency", "16"},
    {"zarr", "dask", "chunk grids", read_zarr, nullptr, "(4,2)", "8x8"},
    {"c", "", "a loop in C", nullptr, write_c, "", ""},
}};

const System* system_named(std::string_view name) {
  const auto found = std::find_if(systems.begin(), systems.end(), [&](const System& s) {
    return name == s.name || (s.alias[0] != '\0' && name == s.alias);
  });
  return found == systems.end() ? nullptr : found;
}

std::string readable_names() {
  std::string names;
  for (const System& s : systems)
    if (s.read != nullptr) names += fmt::format("{}{}", names.empty() ? "" : ", ", s.name);
  return names;
}

bool blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

struct Prefix {
  std::string_view name;
  std::size_t behind = 0;  // where the words begin
};

// "NAME:" at the front, blanks aside; not where a digit follows, which is a width, unless the rest
// is
// neither a width alone nor a map.
std::optional<Prefix> prefix_of(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && blank(text[at])) ++at;
  std::size_t end = at;
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end < text.size() && in_name(text[end])) ++end;
  if (end == at || (text[at] >= '0' && text[at] <= '9')) return {};
  std::size_t colon = end;
  while (colon < text.size() && blank(text[colon])) ++colon;
  if (colon >= text.size() || text[colon] != ':') return {};
  std::size_t behind = colon + 1;
  while (behind < text.size() && blank(text[behind])) ++behind;
  if (behind >= text.size() || (text[behind] >= '0' && text[behind] <= '9')) return {};
  return Prefix{text.substr(at, end - at), behind};
}

}  // namespace

bool layouts::is_system(std::string_view name) {
  const System* system = system_named(name);
  return system != nullptr && system->read != nullptr;
}

std::string_view layouts::system_name(std::string_view name) {
  return system_named(name)->name;
}

std::size_t layouts::system_bytes_max(std::string_view name) {
  return system_named(name)->bytes_max;
}

Placement ForeignLayout::placement() const {
  if (notation.cut.kind != Cut::Kind::layout)
    throw Error(ErrorCode::usage,
                "a plain map says nothing of devices; a placement has a '|' right "
                "of '->' only");
  return {notation.map, notation.cut.processor_bits, replica_bits, shape};
}

bool is_foreign(std::string_view text) {
  const auto prefix = prefix_of(text);
  return prefix && system_named(prefix->name) != nullptr;
}

ForeignLayout read_foreign(std::string_view text, const ForeignSizes& sizes) {
  const auto prefix = prefix_of(text);
  const System* system = prefix ? system_named(prefix->name) : nullptr;
  if (system == nullptr || system->read == nullptr)
    throw NotationError(
        NotationFault::name, 0,
        fmt::format("no system '{}'; there are {}",
                    prefix ? std::string(prefix->name)
                           : std::string(text.substr(0, std::min<std::size_t>(text.size(), 20))),
                    readable_names()),
        text);
  Scanner in(text, prefix->behind, system->name, system->bytes_max);
  ForeignLayout layout = system->read(in, sizes);
  if (sizes.width && layout.notation.map.width() - layout.replica_bits != *sizes.width)
    throw NotationError(
        NotationFault::size, 0,
        fmt::format("{}: a map of {} bits, the data has {}", system->name,
                    layout.notation.map.width() - layout.replica_bits, *sizes.width),
        text);
  return layout;
}

std::string write_foreign(std::string_view name, const ForeignLayout& layout) {
  const System* system = system_named(name);
  if (system == nullptr || system->write == nullptr) {
    std::string names;
    for (const System& s : systems)
      if (s.write != nullptr) names += fmt::format("{}{}", names.empty() ? "" : ", ", s.name);
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is written by no system; there are {}", name, names));
  }
  return system->write(layout);
}

std::vector<ForeignSystem> foreign_systems() {
  std::vector<ForeignSystem> list;
  for (const System& s : systems)
    list.push_back({s.name, s.title, s.example, s.example_shape, s.write != nullptr});
  return list;
}

std::vector<std::uint64_t> shape_from(std::string_view text) {
  const auto refuse = [&]() -> void {
    throw Error(ErrorCode::usage, fmt::format("'{}' is no shape; wanted 16x16 or 16,16", text));
  };
  std::vector<std::uint64_t> shape;
  std::uint64_t value = 0;
  bool digits = false;
  std::uint64_t product = 1;
  const auto finish = [&] {
    if (!digits || value == 0) refuse();
    shape.push_back(value);
    product = size_product(product, value, "the shape");
    value = 0;
    digits = false;
  };
  if (text.size() > 1000) refuse();
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (value > bit(58)) refuse();
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      digits = true;
    } else if (c == 'x' || c == ',') {
      finish();
    } else if (c != ' ') {
      refuse();
    }
  }
  finish();
  return shape;
}

}  // namespace faro::inline v1
