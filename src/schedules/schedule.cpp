#include "faro/schedules/schedule.hpp"

#include "faro/base/error.hpp"

namespace faro {
namespace {

[[noreturn]] void not_for_this_machine(const char* kind) {
  throw Error(ErrorCode::usage,
              std::string("a step of a ") + kind + " in a schedule for another machine");
}

}  // namespace

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
