#include "faro/machines/model/machine_text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro {
namespace {

// The text and where one is in it, for messages.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  [[noreturn]] void fail(std::string_view wanted) const {
    throw Error(ErrorCode::usage,
                fmt::format("machine '{}', column {}: {} wanted. Machines are written cube:4, "
                            "mesh:8x8, torus:8x8 or pops:8,4; sizes may be powers, 2^30.",
                            text, at + 1, wanted));
  }
  bool done() const { return at == text.size(); }
  bool take(std::string_view word) {
    if (!text.substr(at).starts_with(word)) return false;
    at += word.size();
    return true;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const char* begin = text.data() + at;
    const char* end = text.data() + text.size();
    const auto [next, error] = std::from_chars(begin, end, value);
    if (error != std::errc{}) fail("a number below 2^64");
    if (*begin == '0' && next - begin > 1) fail("a number without leading zeros");
    at += static_cast<std::size_t>(next - begin);
    return value;
  }
  // A number or 2^number.
  std::uint64_t size() {
    const std::size_t start = at;
    const std::uint64_t value = number();
    if (!take("^")) return value;
    if (value != 2) {
      at = start;
      fail("a power of two, 2^k,");
    }
    const std::uint64_t exponent = number();
    if (exponent > static_cast<std::uint64_t>(limits::machine_bits_max)) too_large();
    return bit(static_cast<int>(exponent));
  }
  [[noreturn]] void too_large() const {
    throw Error(ErrorCode::limit,
                fmt::format("machine '{}' has more than 2^{} processors, the most there may be",
                            text, limits::machine_bits_max));
  }
};

Hypercube cube_from(Reader& reader) {
  Hypercube cube;
  const std::uint64_t dimensions = reader.number();
  if (dimensions > static_cast<std::uint64_t>(limits::machine_bits_max)) reader.too_large();
  cube.dimensions = static_cast<int>(dimensions);
  if (reader.take(",one-port")) cube.ports = Hypercube::Ports::one;
  if (!reader.done()) reader.fail("',one-port' or the end");
  return cube;
}

Mesh mesh_from(Reader& reader, Mesh::Wrap wrap) {
  Mesh mesh;
  mesh.wrap = wrap;
  int bits = 0;
  do {
    const std::size_t start = reader.at;
    const std::uint64_t side = reader.size();
    if (!is_power_of_two(side)) {
      reader.at = start;
      reader.fail("a side that is a power of two");
    }
    mesh.sides_log2.push_back(log2_exact(side));
    bits += mesh.sides_log2.back();
    if (bits > limits::machine_bits_max) reader.too_large();
  } while (reader.take("x"));
  if (reader.take(",all-links")) {
    mesh.links = Mesh::Links::all;
  } else if (wrap == Mesh::Wrap::none && reader.take(",propagating")) {
    mesh.wrap = Mesh::Wrap::propagating;
  }
  if (!reader.done())
    reader.fail(wrap == Mesh::Wrap::none ? "'x' and a side, ',propagating', ',all-links' or the end"
                                         : "'x' and a side, ',all-links' or the end");
  return mesh;
}

Pops pops_from(Reader& reader) {
  Pops pops;
  pops.group_size = reader.size();
  if (!reader.take(",")) reader.fail("',' and the number of groups");
  pops.groups = reader.size();
  if (pops.group_size == 0 || pops.groups == 0) reader.fail("at least one processor");
  if (Count{pops.group_size} * pops.groups > (Count{1} << limits::machine_bits_max))
    reader.too_large();
  if (reader.take(",multi-receive")) pops.multi_receive = true;
  if (!reader.done()) reader.fail("',multi-receive' or the end");
  return pops;
}

std::string size_text(std::uint64_t size) {
  if (size > 65536 && is_power_of_two(size)) return fmt::format("2^{}", log2_exact(size));
  return fmt::format("{}", size);
}

std::string text_of(const Hypercube& cube) {
  return fmt::format("cube:{}{}", cube.dimensions,
                     cube.ports == Hypercube::Ports::one ? ",one-port" : "");
}

std::string text_of(const Mesh& mesh) {
  std::string text = mesh.wrap == Mesh::Wrap::orthogonal ? "torus:" : "mesh:";
  for (std::size_t i = 0; i < mesh.sides_log2.size(); ++i)
    text += (i == 0 ? "" : "x") + size_text(bit(mesh.sides_log2[i]));
  if (mesh.wrap == Mesh::Wrap::propagating) text += ",propagating";
  if (mesh.links == Mesh::Links::all) text += ",all-links";
  return text;
}

std::string text_of(const Pops& pops) {
  return fmt::format("pops:{},{}{}", size_text(pops.group_size), size_text(pops.groups),
                     pops.multi_receive ? ",multi-receive" : "");
}

}  // namespace

Machine machine_from(std::string_view text) {
  Reader reader{text};
  if (reader.take("cube:")) return cube_from(reader);
  if (reader.take("mesh:")) return mesh_from(reader, Mesh::Wrap::none);
  if (reader.take("torus:")) return mesh_from(reader, Mesh::Wrap::orthogonal);
  if (reader.take("pops:")) return pops_from(reader);
  reader.fail("'cube:', 'mesh:', 'torus:' or 'pops:'");
}

std::string to_string(const Machine& machine) {
  return std::visit([](const auto& m) { return text_of(m); }, machine);
}

}  // namespace faro
