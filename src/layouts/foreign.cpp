// The table of systems, and texts that mix them with the notation.
#include "faro/layouts/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "faro/layouts/placement_move.hpp"
#include "layouts/field_text.hpp"
#include "layouts/plain_words.hpp"
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
    {"qiskit", "", "Qiskit circuits of X, CX, SWAP", read_qiskit, write_qiskit, "cx(0, 1)", ""},
    {"cirq", "", "Cirq circuits of X, CNOT, SWAP", read_cirq, write_cirq, "CNOT(q0, q1)", ""},
    {"qasm", "openqasm", "OpenQASM 2 and 3", read_qasm, write_qasm, "qreg q[3]; cx q[0],q[1];", ""},
    {"qasm3", "", "OpenQASM 3", read_qasm, write_qasm3, "qubit[3] q; cx q[0], q[1];", ""},
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

// Where '=>' stands, outside quotes.
std::optional<std::size_t> arrow_of(std::string_view text) {
  char quote = 0;
  for (std::size_t k = 0; k + 1 < text.size(); ++k) {
    const char c = text[k];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '=' && text[k + 1] == '>') {
      return k;
    }
  }
  return {};
}

// A text without '->' that is a term in one unknown name means `name -> term`: rot(i, 1), ~i.
std::optional<std::string> as_bare_side(std::string_view text) {
  constexpr std::array functions = {"rev",    "gray",  "ungray", "zip",  "unzip", "rot",
                                    "matrix", "front", "back",   "swap", "rest"};
  if (text.find("->") != std::string_view::npos || text.find('|') != std::string_view::npos ||
      text.size() > limits::notation_bytes_max)
    return {};
  std::optional<std::string> only;
  for (std::size_t k = 0; k < text.size();) {
    std::size_t end = k;
    const auto letter = [&](std::size_t at) {
      const char c = text[at];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    while (end < text.size() && (letter(end) || digit(end))) ++end;
    if (end == k) {
      ++k;
      continue;
    }
    const std::string name(text.substr(k, end - k));
    const bool is_number = digit(k);
    k = end;
    if (is_number || std::find(functions.begin(), functions.end(), name) != functions.end())
      continue;
    if (only && *only != name) return {};
    only = name;
  }
  // A name alone is that of a map.
  if (!only || text.find_first_of("~^([") == std::string_view::npos) return {};
  return fmt::format("{} -> {}", *only, text);
}

// The first error is told where neither way of reading does.
Notation notation_or_side(std::string_view text, const KnownSizes& known) {
  try {
    return parse_notation(text, known);
  } catch (const NotationError& error) {
    const bool may_be_side = error.fault() == NotationFault::syntax ||
                             error.fault() == NotationFault::name ||
                             error.fault() == NotationFault::lex;
    const auto side = may_be_side ? as_bare_side(text) : std::nullopt;
    if (!side) throw;
    try {
      return parse_notation(*side, known);
    } catch (const NotationError& inner) {
      if (inner.fault() == NotationFault::syntax || inner.fault() == NotationFault::lex)
        throw error;
      throw;
    }
  }
}

ForeignLayout one_side(std::string_view text, const KnownSizes& known, const ForeignSizes& sizes) {
  if (prefix_of(text)) return read_foreign(text, sizes);
  ForeignLayout layout;
  layout.notation = notation_or_side(text, known);
  return layout;
}

}  // namespace

bool layouts::is_system(std::string_view name) {
  const System* system = system_named(name);
  return system != nullptr && system->read != nullptr;
}

std::string_view layouts::system_name(std::string_view name) {
  return system_named(name)->name;
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
  Scanner in(text, prefix->behind, system->name);
  ForeignLayout layout = system->read(in, sizes);
  if (sizes.width && layout.outer == 1 && layout.inner == 1 &&
      layout.notation.map.width() - layout.replica_bits != *sizes.width)
    throw NotationError(
        NotationFault::size, 0,
        fmt::format("{}: a map of {} bits, the data has {}", system->name,
                    layout.notation.map.width() - layout.replica_bits, *sizes.width),
        text);
  return layout;
}

std::optional<TwoPlacements> read_move(std::string_view text, const KnownSizes& known,
                                       const ForeignSizes& sizes) {
  const auto arrow = arrow_of(text);
  if (!arrow) return {};
  const std::string_view left = text.substr(0, *arrow);
  const std::string_view right = text.substr(*arrow + 2);
  // A side that does not count its devices, or the notation without sizes, takes the other's.
  const auto devices_of = [](const ForeignLayout& side) {
    return std::uint64_t{1} << std::min(side.notation.cut.processor_bits, 62);
  };
  const auto sized_like = [&](const ForeignLayout& other) {
    KnownSizes both = known;
    both.processor = other.notation.cut.processor_bits;
    both.total = other.notation.map.width() - other.replica_bits;
    return both;
  };
  const auto needs_devices = [](std::string_view side) {
    return side.find("{replicated") != std::string_view::npos;
  };
  ForeignSizes counted = sizes;
  ForeignLayout from;
  ForeignLayout to;
  if ((!prefix_of(left) && prefix_of(right)) || (needs_devices(left) && !needs_devices(right))) {
    to = one_side(right, known, sizes);
    counted.devices = devices_of(to);
    from = one_side(left, prefix_of(left) ? known : sized_like(to), counted);
  } else {
    from = one_side(left, known, sizes);
    counted.devices = devices_of(from);
    to = one_side(right, prefix_of(right) ? known : sized_like(from), counted);
  }
  for (const ForeignLayout* side : {&from, &to})
    if (side->notation.cut.kind != Cut::Kind::layout)
      throw NotationError(NotationFault::cut, side == &from ? 0 : *arrow + 2,
                          "'=>' joins two placements, and this side names no devices", text);
  return TwoPlacements{from.placement(), to.placement()};
}

ForeignLayout read_layout(std::string_view text, const KnownSizes& known,
                          const ForeignSizes& sizes) {
  const auto arrow = arrow_of(text);
  const bool foreign =
      prefix_of(text).has_value() || (arrow && prefix_of(text.substr(*arrow + 2)).has_value());
  if (!foreign) return one_side(text, known, sizes);
  if (!arrow) return read_foreign(text, sizes);
  const TwoPlacements sides = *read_move(text, known, sizes);
  ForeignLayout layout;
  layout.notation = PlacementMove(sides.from, sides.to).map_or_refuse();
  layout.shape = sides.from.shape();
  return layout;
}

Notation read_map(std::string_view text, const KnownSizes& known, const ForeignSizes& sizes) {
  ForeignSizes filled = sizes;
  if (!filled.width && filled.shape.empty()) filled.width = known.total;
  const ForeignLayout layout = read_layout(text, known, filled);
  if (layout.replica_bits > 0)
    throw NotExpressible(layout.system, LayoutFault::replicated,
                         fmt::format("every element has {} copies; a map has one place for it",
                                     bit(layout.replica_bits)));
  if (layout.outer != 1 || layout.inner != 1)
    throw NotExpressible(layout.system, LayoutFault::size,
                         "an axis that is no power of two stays in its place: permute the others");
  return layout.notation;
}

std::string layouts::plain_words(std::string_view map, const ForeignSizes& sizes) {
  const auto arrow = arrow_of(map);
  if (!is_foreign(map) && !(arrow && is_foreign(map.substr(*arrow + 2)))) {
    const auto side = as_bare_side(map);
    try {
      if (side) parse_notation(*side);
    } catch (const NotationError& error) {
      // What is wrong either way is told of what was written.
      if (error.fault() == NotationFault::syntax || error.fault() == NotationFault::lex)
        return std::string(map);
    }
    return side.value_or(std::string(map));
  }
  const Notation notation = read_map(map, {}, sizes);
  return to_notation(notation.map, notation.cut);
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
