#include "planners/mesh/program.hpp"

#include <cstdlib>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/mesh/bpc_vector.hpp"

namespace faro::inline v1::mesh {

TernaryMask where_bits(std::initializer_list<BitValue> bits) {
  TernaryMask mask;
  for (const BitValue& b : bits) {
    mask.care |= bit(b.address_bit);
    if (b.value != 0) mask.value |= bit(b.address_bit);
  }
  return mask;
}

void MeshProgram::copy(Transfer registers, const TernaryMask& mask, std::vector<Parity> where) {
  instructions_.emplace_back(MeshCopy{registers.to, registers.from, mask, std::move(where)});
}

void MeshProgram::swap(Transfer registers, const TernaryMask& mask, std::vector<Parity> where) {
  instructions_.emplace_back(MeshSwap{registers.to, registers.from, mask, std::move(where)});
}

void MeshProgram::route(int dimension, std::int64_t by) {
  if (by == 0) return;
  FARO_CHECK(std::abs(by) < geometry_->side(dimension));
  instructions_.emplace_back(MeshRoute{dimension, by});
}

void MeshProgram::route_bit(int address_bit, int times) {
  route(geometry_->dimension_of(address_bit), geometry_->distance(address_bit) * times);
}

void MeshProgram::append(const MeshProgram& other) {
  instructions_.insert(instructions_.end(), other.instructions_.begin(), other.instructions_.end());
}

Cost MeshProgram::cost() const {
  Cost cost;
  for (const MeshInstruction& instruction : instructions_) {
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      cost.unit_routes += static_cast<Count>(std::abs(route->by));
      ++cost.long_routes;
    } else {
      ++cost.register_ops;
    }
  }
  return cost;
}

unsigned MeshProgram::registers_used() const {
  unsigned used = register_bit(Rs);
  for (const MeshInstruction& instruction : instructions_) {
    if (const auto* copy = std::get_if<MeshCopy>(&instruction))
      used |= register_bit(copy->to) | register_bit(copy->from);
    else if (const auto* swap = std::get_if<MeshSwap>(&instruction))
      used |= register_bit(swap->a) | register_bit(swap->b);
    else
      used |= register_bit(Rr);
  }
  return used;
}

const Mesh& mesh_of(const Request& request) {
  const auto* mesh = std::get_if<Mesh>(&request.machine());
  FARO_CHECK(mesh != nullptr);
  return *mesh;
}

std::optional<BitMap> processor_map(const Request& request) {
  return on_processors(request.map(), MeshGeometry(mesh_of(request)).bits());
}

std::vector<Word> destinations_of(const Request& request) {
  if (!request.destinations().empty()) return request.destinations();
  const BitMap map = *processor_map(request);
  FARO_CHECK(map.width() <= 20);
  std::vector<Word> destinations(bit(map.width()));
  for (Word p = 0; p < destinations.size(); ++p) destinations[p] = map(p);
  return destinations;
}

std::optional<std::string> refusal_of_simd(const Request& request, std::optional<Mesh::Wrap> wrap) {
  if (!is_simd_mesh(request.machine())) return "the machine is no SIMD mesh or torus";
  if (wrap && mesh_of(request).wrap != *wrap)
    return *wrap == Mesh::Wrap::orthogonal ? "the machine is no torus"
                                           : "the machine has another wraparound";
  if (!request.destinations().empty()) {
    if (request.elements() > limits::mesh_goal_moves_max / request.destinations().size())
      return "a list of destinations with so many elements; the goal names each, at most 2^22";
    return std::nullopt;
  }
  if (!processor_map(request))
    return "the map moves memory bits; the elements of a processor move alike here";
  return std::nullopt;
}

std::optional<std::string> refusal_of_bpc(const Request& request) {
  if (const auto why = refusal_of_simd(request)) return why;
  if (!request.destinations().empty()) return "it plans maps, not lists of destinations";
  if (!BpcVector::from(*processor_map(request)))
    return "the map is no permutation of bits with complements";
  return std::nullopt;
}

Estimate estimate_of(const Request& request, const MeshProgram& program, std::string text) {
  const Cost cost = performed(program.cost(), request.machine(), request.elements());
  return {.cost = {cost.unit_routes, std::move(text)},
          .paper = std::nullopt,
          .ties = {cost.long_routes, cost.register_ops}};
}

void emit(const Request& request, std::string_view planner, const MeshProgram& program,
          ScheduleSink& sink) {
  ScheduleHeader header;
  header.machine = request.machine();
  if (request.destinations().empty()) {
    header.goal = request.map();
  } else {
    MovesGoal goal;
    for (Word p = 0; p < request.destinations().size(); ++p)
      for (Slot e = 0; e < request.elements(); ++e)
        goal.moves.push_back({p, e, request.destinations()[p], e});
    header.goal = std::move(goal);
  }
  header.elements = request.elements();
  header.slots = static_cast<std::uint64_t>(std::popcount(program.registers_used()));
  header.planner = planner;
  sink.begin(header);
  for (const MeshInstruction& instruction : program.instructions()) sink.step(instruction);
  sink.finish();
}

}  // namespace faro::inline v1::mesh
