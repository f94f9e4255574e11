#include "layouts/circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "layouts/fitting.hpp"

namespace faro::inline v1::layouts {

Circuit::Circuit(int qubits, Order order, const Scanner& in) : order_(order), in_(in) {
  for (int q = 0; q < qubits; ++q)
    states_.push_back({bit(order == Order::little ? q : qubits - 1 - q), false});
}

int Circuit::bit_of(std::uint64_t qubit) const {
  const int q = static_cast<int>(qubit);
  return order_ == Order::little ? q : static_cast<int>(states_.size()) - 1 - q;
}

void Circuit::apply(const std::string& gate, const std::vector<std::uint64_t>& qubits,
                    std::size_t at) {
  ++gates_;
  for (std::size_t k = 0; k < qubits.size(); ++k) {
    if (qubits[k] >= states_.size())
      in_.fail_at(at, fmt::format("qubit {} of {}", qubits[k], states_.size()),
                  NotationFault::range);
    if (std::find(qubits.begin(), qubits.begin() + static_cast<std::ptrdiff_t>(k), qubits[k]) !=
        qubits.begin() + static_cast<std::ptrdiff_t>(k))
      in_.fail_at(at, fmt::format("qubit {} twice in one gate", qubits[k]), NotationFault::name);
  }
  const auto takes = [&](std::size_t count) {
    if (qubits.size() != count)
      in_.fail_at(at, fmt::format("{} acts on {} qubits, not {}", gate, count, qubits.size()));
  };
  const auto cx = [&](std::size_t control, std::size_t target) {
    Form& to = state(qubits[target]);
    const Form& from = state(qubits[control]);
    to.mask ^= from.mask;
    to.inverted = to.inverted != from.inverted;
  };
  if (gate == "id" || gate == "i" || gate == "barrier" || gate == "identity") return;
  if (gate == "x") {
    takes(1);
    state(qubits[0]).inverted = !state(qubits[0]).inverted;
  } else if (gate == "cx" || gate == "cnot") {
    takes(2);
    cx(0, 1);
  } else if (gate == "swap") {
    takes(2);
    std::swap(state(qubits[0]), state(qubits[1]));
  } else if (gate == "dcx") {
    takes(2);
    cx(0, 1);
    cx(1, 0);
  } else if (gate == "ccx" || gate == "toffoli" || gate == "ccnot" || gate == "cswap" ||
             gate == "fredkin" || gate == "mcx" || gate == "rccx" || gate == "c3x" ||
             gate == "c4x") {
    refuse_not_affine(gate, qubits);
  } else {
    in_.refuse(LayoutFault::unknown,
               fmt::format("{} at gate {}: no permutation of amplitudes, which X, CX and SWAP are",
                           gate, gates_));
  }
}

void Circuit::refuse_not_affine(const std::string& gate,
                                const std::vector<std::uint64_t>& qubits) const {
  const bool swaps = gate == "cswap" || gate == "fredkin";
  if (qubits.size() < 3) in_.fail_at(0, fmt::format("{} acts on 3 qubits or more", gate));
  const auto at = [&](std::size_t k) { return bit(bit_of(qubits[k])); };
  Word index = swaps ? at(0) | at(1) : 0;
  Word got = at(0) | at(2);
  if (!swaps) {
    for (std::size_t k = 0; k + 1 < qubits.size(); ++k) index |= at(k);
    got = index | at(qubits.size() - 1);
  }
  throw NotAffine(
      index, got, index,
      fmt::format("{}: {} at gate {}: a permutation, but not affine: amplitude {} goes to "
                  "{}; the images of {} say {}",
                  in_.system(), gate, gates_, index, got, images_that_say(index), index));
}

void Circuit::gather(const std::vector<std::uint64_t>& from,
                     const std::vector<std::uint64_t>& qubits, std::size_t at) {
  ++gates_;
  if (qubits.size() != from.size())
    in_.fail_at(at, fmt::format("a permutation of {} on {} qubits", from.size(), qubits.size()));
  std::vector<bool> taken(from.size());
  for (const std::uint64_t k : from) {
    if (k >= from.size() || taken[k])
      in_.fail_at(at, fmt::format("no permutation of 0 to {}", from.size() - 1),
                  NotationFault::range);
    taken[k] = true;
  }
  for (const std::uint64_t q : qubits)
    if (q >= states_.size())
      in_.fail_at(at, fmt::format("qubit {} of {}", q, states_.size()), NotationFault::range);
  const std::vector<Form> before = states_;
  for (std::size_t k = 0; k < from.size(); ++k) states_[qubits[k]] = before[qubits[from[k]]];
}

ForeignLayout Circuit::layout() const {
  const std::size_t count = states_.size();
  Forms destination;
  std::vector<Field> fields;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t q = order_ == Order::little ? count - 1 - k : k;
    destination.push_back(states_[q]);
    fields.push_back({fmt::format("q{}", q), 1});
  }
  return plain(destination, {}, std::move(fields), in_);
}

}  // namespace faro::inline v1::layouts
