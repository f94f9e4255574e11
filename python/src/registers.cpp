// Qubits of a distributed state: where they are, and the exchange that makes some local. What
// faro.qubits.Register is made of; the messages are mpi4py's.
#include <fmt/format.h>

#include "buffer.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/distributed/register.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::python {
namespace {

using Qubits = distributed::Register;

void bind_qubits(nb::module_& m) {
  nb::class_<Qubits> c(m, "_Qubits");
  c.def(nb::init<int, int>());
  c.def("copy", [](const Qubits& q) { return Qubits(q); });
  c.def("x", &Qubits::x);
  c.def("cnot", &Qubits::cnot);
  c.def("swap", &Qubits::swap);
  c.def("absorb", [](Qubits& q, const NamedMap& gate) { q.absorb(gate.map); });
  c.def("where", [](const Qubits& q) { return NamedMap{q.where(), {}}; });
  c.def("is_home", &Qubits::is_home);
  const auto checked = [](const Qubits& q, int bit) {
    if (bit < 0 || bit >= q.bits())
      throw Error(ErrorCode::usage, fmt::format("qubit {} of {}", bit, q.bits()));
    return bit;
  };
  c.def("step", [checked](const Qubits& q, int bit) { return q.step(checked(q, bit)); });
  c.def("is_local", [checked](const Qubits& q, int bit) { return q.is_local(checked(q, bit)); });
  // The places whose parity is the qubit's value, and whether it is the other one.
  c.def("parity", [checked](const Qubits& q, int bit) {
    Word mask = 0;
    const bool at_zero = q.value(checked(q, bit), 0);
    for (int b = 0; b < q.bits(); ++b)
      if (q.value(bit, faro::bit(b)) != at_zero) mask |= faro::bit(b);
    return nb::make_tuple(mask, at_zero);
  });
  c.def("bring_local", [](Qubits& q, const std::vector<int>& wanted, const std::vector<int>& keep) {
    return NamedMap{q.bring_local(wanted, keep), {}};
  });
  c.def("home", [](Qubits& q) { return NamedMap{q.home(), {}}; });
}

}  // namespace

void bind_registers(nb::module_& m) {
  bind_qubits(m);
  nb::class_<ExchangePlan> c(m, "_Exchange");
  c.def_static("make", [](const NamedMap& map, int rank_bits, std::uint64_t element_bytes,
                          std::uint64_t buffer_bytes) {
    ExchangeOptions options;
    options.buffer_bytes = buffer_bytes;
    options.in_place = true;
    return ExchangePlan::make(map.map, rank_bits, element_bytes, options);
  });
  c.def_prop_ro("moved_bytes",
                [](const ExchangePlan& p) { return integer(p.cost().ranks.moved_bytes); });
  c.def_prop_ro("has_exchange", &ExchangePlan::has_exchange);
  c.def_prop_ro("steps", &ExchangePlan::steps);
  c.def_prop_ro("step_bytes", &ExchangePlan::step_bytes);
  c.def_prop_ro("block_bytes", &ExchangePlan::block_bytes);
  c.def_prop_ro("packs", &ExchangePlan::packs);
  c.def_prop_ro("unpacks", &ExchangePlan::unpacks);
  // Of one rank and step: (target, where it lies, origin, where it goes) a block; nothing where the
  // rank keeps what the step has.
  c.def("blocks", [](const ExchangePlan& p, Word rank, Word step) {
    nb::list result;
    if (p.keeps_apart(rank) && p.target(rank, step, 0) == rank) return result;
    for (Word b = 0; b < p.blocks(); ++b)
      result.append(nb::make_tuple(p.target(rank, step, b), p.send_offset(rank, step, b),
                                   p.origin(rank, step, b), p.receive_offset(rank, step, b)));
    return result;
  });
  c.def("pack",
        [](const ExchangePlan& p, Word rank, Word step, nb::handle data, nb::handle buffer) {
          between_buffers(data, buffer, [&](auto from, auto to) { p.pack(rank, step, from, to); });
        });
  c.def("unpack", [](const ExchangePlan& p, Word rank, Word step, nb::handle buffer,
                     nb::handle data) {
    between_buffers(buffer, data, [&](auto from, auto to) { p.unpack(rank, step, from, to); });
  });
  // What remains to be done within the rank.
  c.def("finish", [](const ExchangePlan& p, Word rank, nb::handle data) {
    Buffer held;
    const auto bytes = held.bytes_of(data, Buffer::Use::write);
    if (bytes.size() != p.local_bytes())
      throw Error(ErrorCode::usage, "a state of another size than the plan's");
    const nb::gil_scoped_release unlocked;
    if (p.keeps_apart(rank)) p.move_kept(rank, 0, 1, bytes, bytes);
    if (p.has_local_map())
      PermutePlan::in_place(p.local_map(rank), {.element_bytes = p.element_bytes()}, {})
          .execute_in_place(bytes);
  });
}

}  // namespace faro::python
