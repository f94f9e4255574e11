#include "faro/schedules/schedule.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "schedules/loops.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

[[noreturn]] void not_for_this_machine(const char* kind) {
  throw Error(ErrorCode::usage,
              std::string("a step of a ") + kind + " in a schedule for another machine");
}

}  // namespace

CostClaim::CostClaim(const Cost& cost) {
  for (const CostPart& part : cost_part::all) this->*part.claim = cost.*part.count;
}

std::optional<std::string> CostClaim::difference(const Cost& counted) const {
  for (const CostPart& part : cost_part::all) {
    const std::optional<Count>& claimed = this->*part.claim;
    const Count count = counted.*part.count;
    if (claimed && *claimed != count)
      return std::string(part.key) + ": claimed " + to_string(*claimed) + ", counted " +
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

template <class Step>
void ScheduleSink::unroll(const Loop<Step>& loop) {
  unrolled_ += moves_of(loop);
  if (unrolled_ > limits::loop_moves_max)
    throw Error(ErrorCode::limit,
                fmt::format("the loops of this schedule, lap after lap, are {} rules, "
                            "conditions, moves and steps so far; what does not know loops performs "
                            "{} of them at most",
                            to_string(unrolled_), limits::loop_moves_max));
  Step now;
  for (std::uint64_t lap = 0; lap < loop.laps; ++lap)
    for (const auto& entry : loop.body) {
      still_working();
      at_lap(entry, lap, now);
      step(now);
    }
}

void ScheduleSink::loop(const CubeLoop& loop) {
  unroll(loop);
}
void ScheduleSink::loop(const PopsLoop& loop) {
  unroll(loop);
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
void TeeSink::loop(const CubeLoop& loop) {
  for (ScheduleSink* sink : sinks_) sink->loop(loop);
}
void TeeSink::loop(const PopsLoop& loop) {
  for (ScheduleSink* sink : sinks_) sink->loop(loop);
}
void TeeSink::finish() {
  for (ScheduleSink* sink : sinks_) sink->finish();
}

void RecordingSink::begin(const ScheduleHeader& h) {
  header = h;
  header.entries = ScheduleHeader::Entries::steps;
}
void RecordingSink::step(const CubeStep& s) {
  cube_steps.push_back(s);
}
void RecordingSink::step(const MeshInstruction& i) {
  mesh_program.push_back(i);
}
void RecordingSink::step(const PopsSlot& s) {
  pops_slots.push_back(s);
}
void RecordingSink::finish() {}

void RecordingSink::replay_into(ScheduleSink& sink) const {
  sink.begin(header);
  for (const CubeStep& s : cube_steps) sink.step(s);
  for (const MeshInstruction& i : mesh_program) sink.step(i);
  for (const PopsSlot& s : pops_slots) sink.step(s);
  sink.finish();
}

}  // namespace faro::inline v1
