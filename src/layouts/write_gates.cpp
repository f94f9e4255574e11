// Any affine map as a circuit of CX, SWAP and X, by elimination.
#include <fmt/format.h>

#include <algorithm>

#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

struct Operation {
  const char* name;
  int first;
  int second;  // -1: none
};

// Column operations on the inverse's matrix undo the map bit by bit; in the other order they are
// it.
// Gates act on bits of the index.
std::vector<Operation> circuit_of(const BitMap& map) {
  const int width = map.width();
  // rows[b]: what bit b of the new index is a sum of. CX(c, t) adds row c to row t; reducing the
  // matrix to the identity by such steps and taking them back to front builds it.
  std::vector<Word> rows;
  for (int b = 0; b < width; ++b) rows.push_back(map.matrix().row(b));
  std::vector<Operation> steps;
  const auto row = [&](int b) -> Word& { return rows[static_cast<std::size_t>(b)]; };
  for (int b = 0; b < width; ++b) {
    if (!has_bit(row(b), b)) {
      int other = b + 1;
      while (!has_bit(row(other), b)) ++other;
      std::swap(row(b), row(other));
      steps.push_back({"swap", b, other});
    }
    for (int t = 0; t < width; ++t)
      if (t != b && has_bit(row(t), b)) {
        row(t) ^= row(b);
        steps.push_back({"cx", b, t});
      }
  }
  std::reverse(steps.begin(), steps.end());
  for (int b = 0; b < width; ++b)
    if (has_bit(map.complement(), b)) steps.push_back({"x", b, -1});
  return steps;
}

// OpenQASM's, of either version.
std::string statements_of(const BitMap& map) {
  std::string text;
  for (const Operation& gate : circuit_of(map))
    text += gate.second < 0 ? fmt::format("{} q[{}];\n", gate.name, gate.first)
                            : fmt::format("{} q[{}],q[{}];\n", gate.name, gate.first, gate.second);
  return text;
}

const ForeignLayout& without_copies(const ForeignLayout& layout, const char* system) {
  if (layout.replica_bits > 0)
    throw NotExpressible(system, LayoutFault::replicated, "a circuit makes no copies");
  return layout;
}

}  // namespace

std::string write_qiskit(const ForeignLayout& layout) {
  const BitMap& map = without_copies(layout, "qiskit").notation.map;
  std::string text = fmt::format("qubits {}", map.width());
  for (const Operation& gate : circuit_of(map))
    text += gate.second < 0 ? fmt::format("; {}({})", gate.name, gate.first)
                            : fmt::format("; {}({}, {})", gate.name, gate.first, gate.second);
  return text;
}

std::string write_cirq(const ForeignLayout& layout) {
  const BitMap& map = without_copies(layout, "cirq").notation.map;
  std::string text = fmt::format("qubits {}", map.width());
  for (const Operation& gate : circuit_of(map)) {
    const std::string name = gate.name == std::string_view("cx")     ? "CNOT"
                             : gate.name == std::string_view("swap") ? "SWAP"
                                                                     : "X";
    const int first = map.width() - 1 - gate.first;
    text += gate.second < 0
                ? fmt::format("; {}(q{})", name, first)
                : fmt::format("; {}(q{}, q{})", name, first, map.width() - 1 - gate.second);
  }
  return text;
}

std::string write_qasm(const ForeignLayout& layout) {
  const BitMap& map = without_copies(layout, "qasm").notation.map;
  std::string text = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n";
  if (map.width() > 0) text += fmt::format("qreg q[{}];\n", map.width());
  return text + statements_of(map);
}

std::string write_qasm3(const ForeignLayout& layout) {
  const BitMap& map = without_copies(layout, "qasm3").notation.map;
  std::string text = "OPENQASM 3.0;\ninclude \"stdgates.inc\";\n";
  if (map.width() > 0) text += fmt::format("qubit[{}] q;\n", map.width());
  return text + statements_of(map);
}

// Quirk's own object, escaped whole so that it may stand in any text.
std::string write_quirk(const ForeignLayout& layout) {
  constexpr int wires_max = 16;
  const BitMap& map = without_copies(layout, "quirk").notation.map;
  if (map.width() > wires_max)
    throw NotExpressible(
        "quirk", LayoutFault::size,
        fmt::format("{} qubits, and a circuit there has at most {}", map.width(), wires_max));
  std::string columns;
  for (const Operation& gate : circuit_of(map)) {
    const bool swap = gate.name == std::string_view("swap");
    std::string column;
    for (int q = 0; q < map.width(); ++q) {
      const char* entry = "1";
      if (swap && (q == gate.first || q == gate.second))
        entry = "\"Swap\"";
      else if (q == (gate.second < 0 ? gate.first : gate.second))
        entry = "\"X\"";
      else if (q == gate.first)
        entry = "\"•\"";
      column += (column.empty() ? "" : ",") + std::string(entry);
    }
    columns += (columns.empty() ? "[" : ",[") + column + "]";
  }
  // A column of nothing says how many qubits there are.
  if (columns.empty() && map.width() > 0)
    columns = fmt::format(
        "[{}]", fmt::join(std::vector<int>(static_cast<std::size_t>(map.width()), 1), ","));
  std::string link = "https://algassert.com/quirk#circuit=";
  for (const char c : "{\"cols\":[" + columns + "]}") {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == ',' || c == ':';
    link += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

std::string write_custatevec(const ForeignLayout& layout) {
  const BitMap& map = without_copies(layout, "custatevec").notation.map;
  if (map.complement() != 0)
    throw NotExpressible("custatevec", LayoutFault::complement, "a bit order inverts no bit");
  std::vector<int> places;
  for (int b = 0; b < map.width(); ++b) {
    if (!is_power_of_two(map.column(b)))
      throw NotExpressible("custatevec", LayoutFault::exclusive,
                           fmt::format("bit {} goes to several places", b));
    places.push_back(lowest_bit(map.column(b)));
  }
  return fmt::format("scatter [{}]", fmt::join(places, ", "));
}

}  // namespace faro::inline v1::layouts
