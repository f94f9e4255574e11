#include "faro/simulation/simulate.hpp"

#include <fmt/format.h>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "machines/performer.hpp"
#include "schedules/map_goal.hpp"

namespace faro::inline v1 {
namespace {

void check_data(const Machine& machine, std::uint64_t elements, std::size_t data_bytes,
                std::size_t element_bytes) {
  const Count wanted = processors(machine) * elements;
  const Count found = data_bytes / element_bytes;
  if (wanted != found)
    throw Error(ErrorCode::usage,
                fmt::format("the array has {} elements; {} with {} in each processor holds {}",
                            to_string(found), to_string(machine), elements, to_string(wanted)));
}

void need_bytes(std::size_t element_bytes) {
  if (element_bytes == 0) throw Error(ErrorCode::usage, "elements of 0 bytes hold nothing to move");
}

// Stands before the performer: lets nothing through that it could not hold.
class Gate : public ScheduleSink {
 public:
  Gate(Performer& performer, std::size_t data_bytes, std::size_t element_bytes)
      : performer_(performer), data_bytes_(data_bytes), element_bytes_(element_bytes) {}

  void begin(const ScheduleHeader& header) override {
    if (!std::holds_alternative<MapGoal>(header.goal) &&
        !std::holds_alternative<MovesGoal>(header.goal))
      throw Error(ErrorCode::usage,
                  "this schedule computes; only those that move data are simulated on an array "
                  "(faro transform and faro matmul perform the others)");
    check_data(header.machine, header.elements, data_bytes_, element_bytes_);
    header_ = header;
    forward([&](ScheduleSink& sink) { sink.begin(header); });
  }
  void step(const CubeStep& step) override {
    forward([&](ScheduleSink& sink) { sink.step(step); });
  }
  void step(const MeshInstruction& instruction) override {
    forward([&](ScheduleSink& sink) { sink.step(instruction); });
  }
  void step(const PopsSlot& slot) override {
    forward([&](ScheduleSink& sink) { sink.step(slot); });
  }
  void loop(const CubeLoop& loop) override {
    forward([&](ScheduleSink& sink) { sink.loop(loop); });
  }
  void loop(const PopsLoop& loop) override {
    forward([&](ScheduleSink& sink) { sink.loop(loop); });
  }
  void finish() override {
    forward([&](ScheduleSink& sink) { sink.finish(); });
  }

  const ScheduleHeader& header() const { return header_; }
  const Cost& cost() const { return counter_.cost(); }

 private:
  template <class Call>
  void forward(Call&& call) {
    still_working();
    call(counter_);
    call(performer_);
  }

  Performer& performer_;
  CostCounter counter_;
  ScheduleHeader header_;
  std::size_t data_bytes_;
  std::size_t element_bytes_;
};

// The verifiers have read the same text before; a complaint now is a bug of the reader.
class NoBreaches : public ReadListener {
 public:
  void breach(Count, const std::string& rule, const std::string& message) override {
    throw InternalError(
        fmt::format("a schedule was read differently twice: {}: {}", rule, message));
  }
  void warning(const std::string&) override {}
};

std::string first_violation(const Verdict& verdict) {
  if (verdict.violations.empty()) return verdict.limit;
  const Violation& violation = verdict.violations.front();
  return fmt::format("step {}: {}: {}", to_string(violation.step), violation.rule,
                     violation.message);
}

Simulation outcome_of(const Gate& gate, Performer& performer) {
  Simulation simulation;
  simulation.machine = gate.header().machine;
  simulation.elements = gate.header().elements;
  simulation.planner = gate.header().planner;
  simulation.map_text = gate.header().map_text;
  simulation.cost = performed(gate.cost(), simulation.machine, simulation.elements);
  simulation.result = performer.take_result();
  return simulation;
}

}  // namespace

Simulation simulate_plan(const Request& request, const PlanOptions& options,
                         std::span<const std::byte> data, std::size_t element_bytes) {
  need_bytes(element_bytes);
  check_data(request.machine(), request.elements(), data.size(), element_bytes);
  const std::unique_ptr<Performer> performer = make_performer(data, element_bytes);
  Gate gate(*performer, data.size(), element_bytes);
  const MachinePlan planned = plan(request, options);
  planned.push(gate);
  Simulation simulation = outcome_of(gate, *performer);
  for (const Verdict& verdict : planned.verdicts())
    if (verdict.ok()) simulation.verified_by.push_back(verdict.by);
  return simulation;
}

Simulation simulate_schedule(std::string_view schedule, const std::optional<std::string>& map,
                             std::span<const std::byte> data, std::size_t element_bytes,
                             const Progress& progress) {
  need_bytes(element_bytes);
  const Listening listening(progress);
  TextSource first(schedule);
  const VerifyReport report = verify_schedule(first, {.by = VerifyBy::automatic, .map = map});
  if (!report.verdict.ok())
    throw Error(ErrorCode::refused,
                fmt::format("the schedule is not right, by {}: {}",
                            report.verdict.by == "both" ? "replay and proof" : report.verdict.by,
                            first_violation(report.verdict)));
  const std::unique_ptr<Performer> performer = make_performer(data, element_bytes);
  Gate gate(*performer, data.size(), element_bytes);
  ReadOptions options;
  options.map = map;
  options.map_from = [](std::string_view text, const Machine& machine, std::uint64_t elements) {
    return map_goal_from(text, machine, elements);
  };
  NoBreaches listener;
  TextSource second(schedule);
  if (read_schedule(second, gate, options, listener) != ReadOutcome::complete)
    throw InternalError("a schedule that was verified could not be read again");
  Simulation simulation = outcome_of(gate, *performer);
  if (report.verdict.by == "both")
    simulation.verified_by = {"replay", "proof"};
  else
    simulation.verified_by.push_back(report.verdict.by);
  return simulation;
}

}  // namespace faro::inline v1
