#include "faro/service/butterfly_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/text.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/cube/butterfly_bound.hpp"
#include "service/crossings.hpp"

namespace faro::inline v1 {
namespace {

// Completes the header, and keeps the goal with the final rows that the planner chose.
class HeaderSink : public ScheduleSink {
 public:
  HeaderSink(const ButterflyPlanReport& report, ScheduleSink& next)
      : report_(report), next_(next) {}
  void begin(const ScheduleHeader& header) override {
    ScheduleHeader complete = header;
    complete.cost = report_.cost;
    complete.bound = report_.bound;
    next_.begin(complete);
  }
  void step(const CubeStep& step) override { next_.step(step); }
  void finish() override { next_.finish(); }

 private:
  const ButterflyPlanReport& report_;
  ScheduleSink& next_;
};

class GoalKeeper : public ScheduleSink {
 public:
  ButterflyGoal goal;
  void begin(const ScheduleHeader& header) override { goal = std::get<ButterflyGoal>(header.goal); }
  void step(const CubeStep&) override {}
  void finish() override {}
};

const ButterflyPlanner& chosen(const ButterflyNetwork& request, const std::string& algorithm) {
  if (algorithm.empty()) {
    return cheapest_butterfly_planner(request, Effort::search, bound_of(request).value);
  }
  const ButterflyPlanner& planner = butterfly_planner(algorithm);
  if (const auto refusal = planner.refusal(request)) {
    throw Error(ErrorCode::impossible,
                fmt::format("algorithm {} does not apply: {}", algorithm, *refusal));
  }
  return planner;
}

// Every element of a processor has rules of its own in every stage.
void check_rules(const ButterflyNetwork& request) {
  const Count rules = request.elements() * static_cast<Count>(request.index_bits);
  if (rules <= limits::butterfly_rules_max) return;
  throw Error(ErrorCode::limit,
              fmt::format("2^{} elements a processor, {} stages: a plan of some {} rules, and the "
                          "limit is {}; take a larger cube",
                          request.memory_bits(), request.index_bits, to_string(rules),
                          limits::butterfly_rules_max));
}

}  // namespace

bool ButterflyPlanReport::ok() const {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const Verdict& v) { return v.answer == Verdict::Answer::no; });
}

const Hypercube& butterfly_cube(const Machine& machine) {
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all) {
    throw Error(ErrorCode::usage, fmt::format("{}: butterfly networks run on cubes with all ports, "
                                              "cube:6",
                                              to_string(machine)));
  }
  return *cube;
}

const ButterflyPlanner& butterfly_planner(std::string_view name) {
  if (const ButterflyPlanner* planner = find_butterfly_planner(name)) return *planner;
  std::string names;
  for (const ButterflyPlanner* p : butterfly_planners()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", p->name);
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("there is no planner of butterflies named '{}'; there are {}", name, names));
}

void set_output(ButterflyNetwork& request, ButterflyOutput output) {
  const bool coded = request.encoding != Encoding::binary;
  const bool gray =
      output == ButterflyOutput::gray || (output == ButterflyOutput::natural && coded);
  request.output = gray ? ButterflyNetwork::Output::gray : ButterflyNetwork::Output::binary;
  request.finish = output == ButterflyOutput::natural ? ButterflyNetwork::Finish::restored
                                                      : ButterflyNetwork::Finish::as_planned;
}

Bound bound_of(const ButterflyNetwork& request) {
  ButterflyGoal goal;
  goal.processor_bits = request.processor_bits;
  goal.index_bits = request.index_bits;
  goal.allocation = request.allocation;
  goal.order = request.order;
  return lower_bound(Hypercube{.dimensions = request.processor_bits}, goal);
}

ButterflyPlanReport plan_butterfly(const ButterflyNetwork& request,
                                   const ButterflyPlanOptions& options) {
  check_request(request);
  check_rules(request);
  ButterflyPlanReport report;
  report.request = request;
  for (const ButterflyPlanner* planner : butterfly_planners()) {
    ButterflyConsidered c{.planner = planner, .refusal = planner->refusal(request), .estimate = {}};
    // A search says its cost only when its turn comes.
    if (!c.refusal && planner->kind == ButterflyPlanner::Kind::closed) {
      c.estimate = planner->estimate(request);
    }
    report.considered.push_back(std::move(c));
  }
  report.planner = &chosen(request, options.algorithm);
  report.estimate = report.planner->estimate(request);
  report.bound = bound_of(request);

  CrossingCounter crossings;
  CostCounter cost;
  GoalKeeper goal;
  std::vector<ScheduleSink*> sinks{&crossings, &cost, &goal};
  std::vector<std::unique_ptr<Verifier>> verifiers;
  const VerifyBy verify = options.verify;
  if (verify == VerifyBy::automatic || verify == VerifyBy::proof || verify == VerifyBy::both) {
    verifiers.push_back(make_proof());
  }
  if (verify == VerifyBy::replay || verify == VerifyBy::both ||
      (verify == VerifyBy::automatic && request.index_bits <= limits::replay_default_log2_max)) {
    verifiers.push_back(make_replay());
  }
  for (const auto& verifier : verifiers) sinks.push_back(verifier.get());
  TeeSink tee(sinks);
  ToSchedule compiled(tee);
  report.planner->build(request, compiled);
  for (const auto& verifier : verifiers) report.verdicts.push_back(verifier->verdict());
  report.crossings = crossings.crossings();
  report.slots_used = crossings.slots();
  report.cost = cost.cost();
  report.goal = goal.goal;
  if (options.sink != nullptr && report.ok()) {
    HeaderSink complete(report, *options.sink);
    ToSchedule sink(complete);
    report.planner->build(request, sink);
  }
  return report;
}

}  // namespace faro::inline v1
