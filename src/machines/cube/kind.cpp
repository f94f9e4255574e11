// The Boolean cube's row of the table of machines.
#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "machines/cube/ports.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/kinds.hpp"
#include "machines/text_reader.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

const Hypercube& cube_of(const Machine& machine) {
  return std::get<Hypercube>(machine);
}

Machine read(MachineText& text) {
  Hypercube cube;
  const std::uint64_t dimensions = text.number();
  if (dimensions > static_cast<std::uint64_t>(limits::machine_bits_max)) text.too_large();
  cube.dimensions = static_cast<int>(dimensions);
  if (text.take(",one-port")) {
    cube.ports = Hypercube::Ports::one;
  } else {
    for (int ports = 2; ports < cube.dimensions && !text.done(); ++ports)
      if (text.take(fmt::format(",{}-ports", ports))) cube.ports = Hypercube::Ports{ports};
  }
  if (text.take("^"))
    text.fail("the number of dimensions, of which cube:4 has 4 and 2^4 processors,");
  if (!text.done()) text.fail("',one-port', fewer ports than dimensions as ',2-ports', or the end");
  return cube;
}

Machine from_json(const json::Value& value, const json::Unknown& unknown) {
  json::only(value, {"kind", "dimensions", "ports"}, "machine", unknown);
  Hypercube cube;
  cube.dimensions = json::small(json::required(value, "dimensions", "machine"),
                                "machine.dimensions", limits::machine_bits_max, "machine");
  const json::Value ports = json::required(value, "ports", "machine");
  if (ports.kind() != json::Kind::integer) {
    cube.ports = json::word_from(json_words::ports, ports, "machine.ports");
    return cube;
  }
  const int several = json::small(ports, "machine.ports",
                                  static_cast<std::uint64_t>(limits::machine_bits_max), "machine");
  if (several < 2 || several >= cube.dimensions)
    throw json::Breach{"machine",
                       fmt::format("{} ports of a {}-cube: more than one and fewer than its "
                                   "dimensions, or \"one\", \"all\"",
                                   several, cube.dimensions)};
  cube.ports = Hypercube::Ports{several};
  return cube;
}

constexpr MachineKind::Word words[] = {{"cube", "cube:4", read}};
constexpr CostPart cost[] = {cost_part::steps, cost_part::remote_moves};

template <auto network, auto moves>
std::unique_ptr<Verifier> judge(const Goal& goal) {
  if (std::holds_alternative<ButterflyGoal>(goal)) return network();
  if (!std::holds_alternative<BroadcastGoal>(goal)) only_moves(goal);
  return moves();
}

}  // namespace

MachineKind cube_kind() {
  return {
      .is = [](const Machine& m) { return std::holds_alternative<Hypercube>(m); },
      .processors = [](const Machine& m) { return Count{1} << cube_of(m).dimensions; },
      .address_bits = [](const Machine& m) { return std::optional(cube_of(m).dimensions); },
      .words = words,
      .text =
          [](const Machine& m) {
            const Hypercube& cube = cube_of(m);
            const std::string ports = cube.ports == Hypercube::Ports::all ? ""
                                      : cube.ports == Hypercube::Ports::one
                                          ? ",one-port"
                                          : fmt::format(",{}-ports", static_cast<int>(cube.ports));
            return fmt::format("cube:{}{}", cube.dimensions, ports);
          },
      .json_name = "hypercube",
      .json =
          [](const Machine& m) {
            const Hypercube& cube = cube_of(m);
            return several_ports(cube)
                       ? fmt::format(R"(,"dimensions":{},"ports":{})", cube.dimensions,
                                     static_cast<int>(cube.ports))
                       : fmt::format(R"(,"dimensions":{},"ports":"{}")", cube.dimensions,
                                     json_words::ports.text(cube.ports));
          },
      .from_json = from_json,
      .tag = 0,
      .absorb =
          [](const Machine& m, const MachineKind::Absorb& absorb) {
            absorb(static_cast<std::uint64_t>(cube_of(m).dimensions));
            absorb(static_cast<std::uint64_t>(cube_of(m).ports));
          },
      .steps = MachineKind::Steps::cube,
      .cost = cost,
      .sends_inside_cost = false,
      .replay = judge<butterfly_replay, cube_replay>,
      .proof = judge<butterfly_proof, cube_proof>,
      .map_bound = map_bound_of<Hypercube>,
      .list_bound = list_bound_of<Hypercube>,
  };
}

}  // namespace faro::inline v1
