#include "faro/schedules/schedule.hpp"

#include <tuple>

#include "faro/base/error.hpp"

namespace faro {
namespace {

[[noreturn]] void not_for_this_machine(const char* kind) {
  throw Error(ErrorCode::usage,
              std::string("a step of a ") + kind + " in a schedule for another machine");
}

}  // namespace

CostClaim::CostClaim(const Cost& cost)
    : steps(cost.steps),
      remote_moves(cost.remote_moves),
      unit_routes(cost.unit_routes),
      long_routes(cost.long_routes),
      register_ops(cost.register_ops),
      slots(cost.slots),
      compute_rounds(cost.compute_rounds) {}

std::optional<std::string> CostClaim::difference(const Cost& counted) const {
  const std::tuple<const char*, std::optional<Count>, Count> pairs[] = {
      {"steps", steps, counted.steps},
      {"remote_moves", remote_moves, counted.remote_moves},
      {"unit_routes", unit_routes, counted.unit_routes},
      {"long_routes", long_routes, counted.long_routes},
      {"register_ops", register_ops, counted.register_ops},
      {"slots", slots, counted.slots},
      {"compute_rounds", compute_rounds, counted.compute_rounds}};
  for (const auto& [name, claimed, count] : pairs) {
    if (claimed && *claimed != count)
      return std::string(name) + ": claimed " + to_string(*claimed) + ", counted " +
             to_string(count);
  }
  return {};
}

void CubeStep::clear() {
  rules.clear();
  moves.clear();
  butterflies.clear();
  butterfly_rules.clear();
}

void PopsSlot::clear() {
  sends.clear();
  receives.clear();
  rules.clear();
  operations.clear();
}

void ScheduleSink::step(const CubeStep&) {
  not_for_this_machine("cube");
}
void ScheduleSink::step(const MeshInstruction&) {
  not_for_this_machine("mesh");
}
void ScheduleSink::step(const PopsSlot&) {
  not_for_this_machine("POPS network");
}

void TeeSink::begin(const ScheduleHeader& header) {
  for (ScheduleSink* sink : sinks_) sink->begin(header);
}
void TeeSink::step(const CubeStep& step) {
  for (ScheduleSink* sink : sinks_) sink->step(step);
}
void TeeSink::step(const MeshInstruction& instruction) {
  for (ScheduleSink* sink : sinks_) sink->step(instruction);
}
void TeeSink::step(const PopsSlot& slot) {
  for (ScheduleSink* sink : sinks_) sink->step(slot);
}
void TeeSink::finish() {
  for (ScheduleSink* sink : sinks_) sink->finish();
}

void RecordingSink::replay_into(ScheduleSink& sink) const {
  sink.begin(header);
  for (const CubeStep& s : cube_steps) sink.step(s);
  for (const MeshInstruction& i : mesh_program) sink.step(i);
  for (const PopsSlot& s : pops_slots) sink.step(s);
  sink.finish();
}

}  // namespace faro
