// Qiskit, Cirq and OpenQASM: circuits of X, CX, SWAP and permutations.
//
//   qiskit:cx(0, 1); x(2)          qubit 0 is bit 0 of the index
//   qiskit:[['cx', 0, 1]]          the same as a list
//   cirq:CNOT(q0, q1)              qubit 0 is the highest bit
//   qasm:qreg q[3]; cx q[0],q[1];
//
// The same list means opposite things: Qiskit's PermutationGate([1, 2, 0]) gathers (output k takes
// input pattern[k]), Cirq's QubitPermutationGate scatters (input k goes to permutation[k]).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "faro/base/limits.hpp"
#include "layouts/circuit.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

struct Gate {
  std::string name;  // in small letters
  std::vector<std::uint64_t> qubits;
  std::vector<std::uint64_t> permutation;
  std::size_t at = 0;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// 2, q2, q(2), LineQubit(2)
std::uint64_t read_qubit(Scanner& in) {
  if (in.number_is_next()) return in.number();
  in.accept("cirq.");
  const std::size_t at = in.at();
  const std::string name = in.name();
  if (in.accept("(")) {
    const std::uint64_t q = in.number();
    in.expect(")");
    return q;
  }
  const std::size_t digit = name.find_first_of("0123456789");
  if (digit == std::string::npos || digit == 0 || name.size() - digit > 4)
    in.fail_at(at, "wanted a qubit: 2, q2 or q(2)");
  return std::stoull(name.substr(digit));
}

std::uint64_t count_of(const std::vector<Gate>& gates) {
  std::uint64_t count = 0;
  for (const Gate& gate : gates) {
    for (const std::uint64_t q : gate.qubits) count = std::max(count, q + 1);
    if (gate.qubits.empty()) count = std::max<std::uint64_t>(count, gate.permutation.size());
  }
  return count;
}

void read_qubits(Scanner& in, Gate& gate, const char* close) {
  while (!in.accept(close)) {
    if (!gate.qubits.empty() || !gate.permutation.empty()) {
      in.expect(",");
      if (in.accept(close)) break;
    }
    if (in.next_is("[")) {
      if (!gate.qubits.empty() || (!gate.permutation.empty() && close[0] == ']'))
        in.fail("wanted a qubit");
      if (gate.permutation.empty())
        gate.permutation = in.numbers("[", "]");
      else
        gate.qubits = in.numbers("[", "]");
      continue;
    }
    gate.qubits.push_back(read_qubit(in));
  }
}

// ['cx', 0, 1] or cx(0, 1), perhaps with `qc.` or `cirq.` before, or `cx 0 1`.
Gate read_gate(Scanner& in) {
  Gate gate;
  gate.at = in.at();
  if (in.accept("[") || in.accept("(")) {
    const char* close = in.words_from(gate.at).starts_with("[") ? "]" : ")";
    gate.name = lower(in.quoted());
    in.expect(",");
    read_qubits(in, gate, close);
    return gate;
  }
  gate.name = lower(in.name());
  while (in.accept(".")) gate.name = lower(in.name());
  if (!in.accept("(")) {
    while (in.number_is_next() || in.name_is_next()) {
      gate.qubits.push_back(read_qubit(in));
      in.accept(",");
    }
    return gate;
  }
  read_qubits(in, gate, ")");
  // PermutationGate([1, 2, 0])(q0, q1, q2)
  if (!gate.permutation.empty() && in.accept("(")) {
    Gate on;
    while (!in.accept(")")) {
      if (!on.qubits.empty()) in.expect(",");
      on.qubits.push_back(read_qubit(in));
    }
    gate.qubits = on.qubits;
  }
  return gate;
}

std::vector<Gate> read_gates(Scanner& in, std::uint64_t& qubits) {
  if (in.accept("qubits")) {
    in.accept("=");
    qubits = in.number();
    if (!in.accept(";")) in.accept(",");
  }
  std::vector<Gate> gates;
  const bool listed = in.next_is("[");
  if (listed) in.accept("[");
  while (!in.done()) {
    if (listed && in.accept("]")) break;
    gates.push_back(read_gate(in));
    if (!in.accept(";")) in.accept(",");
  }
  in.expect_end();
  return gates;
}

ForeignLayout read_circuit(Scanner& in, const ForeignSizes& sizes, Circuit::Order order) {
  in.take_comments("#");
  std::uint64_t qubits = 0;
  const std::vector<Gate> gates = read_gates(in, qubits);
  if (qubits == 0) {
    qubits = count_of(gates);
    if (sizes.width)
      qubits = static_cast<std::uint64_t>(*sizes.width);
    else if (!sizes.shape.empty())
      qubits = joined(axis_bits(sizes.shape, in)).size();
  }
  if (qubits > limits::address_bits_max) in.fail_at(0, "more than 64 qubits", NotationFault::limit);
  Circuit circuit(static_cast<int>(qubits), order, in);
  for (const Gate& gate : gates) {
    if (gate.permutation.empty()) {
      circuit.apply(gate.name, gate.qubits, gate.at);
      continue;
    }
    std::vector<std::uint64_t> from = gate.permutation;
    if (gate.name == "qubitpermutationgate") {
      for (std::size_t k = 0; k < from.size(); ++k)
        if (gate.permutation[k] < from.size()) from[gate.permutation[k]] = k;
    } else if (gate.name != "permutationgate" && gate.name != "permutation") {
      in.fail_at(gate.at, fmt::format("'{}' takes no list", gate.name));
    }
    std::vector<std::uint64_t> on = gate.qubits;
    if (on.empty())
      for (std::uint64_t q = 0; q < from.size(); ++q) on.push_back(q);
    std::vector<std::uint64_t> listed = gate.permutation;
    std::sort(listed.begin(), listed.end());
    for (std::size_t k = 0; k < listed.size(); ++k)
      if (listed[k] != k)
        in.fail_at(gate.at, fmt::format("no permutation of 0 to {}", listed.size() - 1),
                   NotationFault::range);
    circuit.gather(from, on, gate.at);
  }
  return circuit.layout();
}

struct Register {
  std::string name;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

class Qasm {
 public:
  explicit Qasm(Scanner& in) : in_(in) { in_.take_comments("//"); }

  ForeignLayout run() {
    // Registers first: a circuit knows its width before its gates.
    const std::size_t begin = in_.at();
    if (in_.rest().ends_with(".qasm"))
      in_.fail_at(begin, fmt::format("here stands a circuit, not the name of its file; the program "
                                     "reads that as qasm:@{}",
                                     in_.rest()));
    statements(nullptr);
    if (registers_.empty())
      in_.fail_at(begin, "no register of qubits, as in 'qreg q[3];'", NotationFault::size);
    in_.go_to(begin);
    Circuit circuit(static_cast<int>(qubits_), Circuit::Order::little, in_);
    statements(&circuit);
    return circuit.layout();
  }

 private:
  void statements(Circuit* circuit) {
    while (!in_.done()) statement(circuit);
  }

  void statement(Circuit* circuit) {
    const std::size_t at = in_.at();
    if (in_.accept(";")) return;
    if (in_.accept("OPENQASM")) {
      in_.number();
      if (in_.accept(".")) in_.number();
    } else if (in_.accept("include")) {
      in_.quoted();
    } else if (in_.accept("qreg")) {
      const std::string name = in_.name();
      in_.expect("[");
      const std::uint64_t size = in_.number();
      in_.expect("]");
      declare(circuit, name, size, at);
    } else if (in_.accept("qubit")) {
      std::uint64_t size = 1;
      if (in_.accept("[")) {
        size = in_.number();
        in_.expect("]");
      }
      declare(circuit, in_.name(), size, at);
    } else if (in_.accept("creg") || in_.accept("bit")) {
      while (!in_.next_is(";") && !in_.done()) in_.go_to(in_.at() + 1);
    } else {
      gate(circuit, at);
    }
    in_.expect(";");
  }

  void declare(Circuit* circuit, const std::string& name, std::uint64_t size, std::size_t at) {
    if (circuit != nullptr) return;
    if (size == 0 || size > limits::address_bits_max - qubits_)
      in_.fail_at(at, "more than 64 qubits, or none", NotationFault::limit);
    registers_.push_back({name, qubits_, size});
    qubits_ += size;
  }

  void gate(Circuit* circuit, std::size_t at) {
    const std::string name = lower(in_.name());
    if (in_.next_is("("))
      in_.refuse(LayoutFault::unknown, fmt::format("{} with parameters: no permutation of "
                                                   "amplitudes",
                                                   name));
    // A register alone stands for all its qubits, one gate each.
    std::vector<std::vector<std::uint64_t>> operands;
    std::size_t repeats = 1;
    do {
      operands.push_back(operand());
      repeats = std::max(repeats, operands.back().size());
    } while (in_.accept(","));
    if (name == "barrier" || circuit == nullptr) return;
    for (std::size_t k = 0; k < repeats; ++k) {
      std::vector<std::uint64_t> qubits;
      for (const auto& list : operands) {
        if (list.size() != 1 && list.size() != repeats)
          in_.fail_at(at, "registers of different lengths");
        qubits.push_back(list[list.size() == 1 ? 0 : k]);
      }
      circuit->apply(name, qubits, at);
    }
  }

  std::vector<std::uint64_t> operand() {
    const std::size_t at = in_.at();
    const std::string name = in_.name();
    for (const Register& r : registers_) {
      if (r.name != name) continue;
      if (in_.accept("[")) {
        const std::uint64_t k = in_.number();
        in_.expect("]");
        if (k >= r.size)
          in_.fail_at(at, fmt::format("{}[{}] of {}", name, k, r.size), NotationFault::range);
        return {r.first + k};
      }
      std::vector<std::uint64_t> all;
      for (std::uint64_t k = 0; k < r.size; ++k) all.push_back(r.first + k);
      return all;
    }
    in_.fail_at(at, fmt::format("no register named '{}'", name), NotationFault::name);
  }

  Scanner& in_;
  std::vector<Register> registers_;
  std::uint64_t qubits_ = 0;
};

}  // namespace

ForeignLayout read_qiskit(Scanner& in, const ForeignSizes& sizes) {
  return read_circuit(in, sizes, Circuit::Order::little);
}

ForeignLayout read_cirq(Scanner& in, const ForeignSizes& sizes) {
  return read_circuit(in, sizes, Circuit::Order::big);
}

ForeignLayout read_qasm(Scanner& in, const ForeignSizes&) {
  return Qasm(in).run();
}

}  // namespace faro::inline v1::layouts
