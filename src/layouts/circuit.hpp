// Circuits that permute basis states: X, CX, SWAP and what is made of them.
//
//   cx(0, 1) on 3 qubits:  the amplitude of |q2 q1 q0> goes to |q2 q1^q0 q0>
//
// Every such circuit is an affine map and every affine map such a circuit.
#pragma once

#include "layouts/bits.hpp"

namespace faro::inline v1::layouts {

class Circuit {
 public:
  // Which qubit is bit 0 of the index.
  enum class Order { little, big };
  Circuit(int qubits, Order order, const Scanner& in);

  // A gate by its name, in small letters, on these qubits. Refuses what is no permutation, and
  // what is one but not affine.
  void apply(const std::string& gate, const std::vector<std::uint64_t>& qubits, std::size_t at);
  // Output k takes input from[k], for the listed qubits.
  void gather(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& qubits,
              std::size_t at);
  ForeignLayout layout() const;

 private:
  Form& state(std::uint64_t qubit) { return states_[qubit]; }
  int bit_of(std::uint64_t qubit) const;
  [[noreturn]] void refuse_not_affine(const std::string& gate,
                                      const std::vector<std::uint64_t>& qubits) const;

  std::vector<Form> states_;  // by qubit
  Order order_;
  const Scanner& in_;
  int gates_ = 0;
};

}  // namespace faro::inline v1::layouts
