#include "faro/service/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/bounds.hpp"
#include "machines/cube/butterfly_bound.hpp"
#include "machines/cube/flow_bounds.hpp"
#include "machines/default_verifiers.hpp"
#include "machines/pops/bounds.hpp"
#include "papers/printed/printed.hpp"
#include "planners/cube/collectives/collectives.hpp"
#include "planners/header.hpp"
#include "planners/pops/broadcast.hpp"
#include "schedules/crossings.hpp"
#include "schedules/fingerprint.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/quiet_sink.hpp"
#include "service/planning.hpp"

namespace faro::inline v1 {

struct MachinePlan::Content {
  Request asked;
  Request request;
  const Planner* planner = nullptr;
  Offer offer;
  Bound bound;
  std::optional<PaperCount> paper = {};
  std::vector<Considered> considered;
  std::optional<PacketReport> packets = {};
  // Of the schedule that the verifiers saw.
  ScheduleHeader header = {};
  std::vector<Count> crossings = {};
  Cost cost = {};
  Cost listed_cost = {};
  std::string fingerprint = {};
  std::vector<Verdict> verdicts = {};
  bool to_be_verified = true;
};

namespace {

bool replay_is_possible(const ScheduleHeader& header) {
  const Count places = processors(header.machine);
  return places * (header.elements / header.repeat.times) <= bit(limits::replay_elements_log2_max);
}

// Tells how far the schedule has come, in steps of its cost.
class ProgressSink : public QuietSink {
 public:
  ProgressSink(const Progress& progress, Count total)
      : progress_(progress), total_(static_cast<std::uint64_t>(total)) {}
  void step(const CubeStep&) override { tick(); }
  void step(const MeshInstruction&) override { tick(); }
  void step(const PopsSlot&) override { tick(); }
  void loop(const CubeLoop& loop) override { tick(Count{loop.body.size()} * loop.laps); }
  void loop(const PopsLoop& loop) override { tick(Count{loop.body.size()} * loop.laps); }

 private:
  void tick(Count steps = 1) {
    done_ = static_cast<std::uint64_t>(std::min<Count>(done_ + steps, total_));
    report(progress_, done_, total_);
  }
  const Progress& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

// Verifiers judge the request's bound beside the schedule; a planner's header has none.
class WithBound : public TeeSink {
 public:
  WithBound(Bound bound, std::vector<ScheduleSink*> verifiers)
      : TeeSink(std::move(verifiers)), bound_(std::move(bound)) {}
  void begin(const ScheduleHeader& header) override {
    ScheduleHeader with = header;
    with.bound = bound_;
    TeeSink::begin(with);
  }

 private:
  Bound bound_;
};

// A file speaks of one performance of its program.
Bound bound_in_file(const Request& request, const Bound& bound) {
  return is_simd_mesh(request.machine()) ? bound_of(request.with_elements(1)) : bound;
}

[[noreturn]] void changed_its_mind(std::string_view planner) {
  throw InternalError(
      fmt::format("planner {} pushed another schedule than the one that was "
                  "verified",
                  planner));
}

// Lets pass what was verified and nothing else, under a header with cost and bound.
class VerifiedOnly : public ScheduleSink {
 public:
  VerifiedOnly(const ScheduleHeader& header, const std::string& fingerprint, ScheduleSink& next)
      : header_(header), wanted_(fingerprint), next_(next) {}

  void begin(const ScheduleHeader& header) override {
    seen_.begin(header);
    next_.begin(header_);
  }
  void step(const CubeStep& step) override { pass(step); }
  void step(const MeshInstruction& instruction) override { pass(instruction); }
  void step(const PopsSlot& slot) override { pass(slot); }
  void loop(const CubeLoop& loop) override { pass_loop(loop); }
  void loop(const PopsLoop& loop) override { pass_loop(loop); }
  void finish() override {
    seen_.finish();
    if (seen_.text() != wanted_) changed_its_mind(header_.planner);
    next_.finish();
  }

 private:
  template <class Step>
  void pass(const Step& step) {
    seen_.step(step);
    next_.step(step);
  }
  template <class Step>
  void pass_loop(const Loop<Step>& loop) {
    seen_.loop(loop);
    next_.loop(loop);
  }
  const ScheduleHeader& header_;
  const std::string& wanted_;
  ScheduleSink& next_;
  Fingerprint seen_;
};

class VerifiedCompiled : public CompiledSink {
 public:
  VerifiedCompiled(VerifiedOnly& verified, const ScheduleHeader& header, CompiledSink& next)
      : verified_(verified), header_(header), next_(next) {}
  void begin(const ScheduleHeader& header) override {
    verified_.begin(header);
    next_.begin(header_);
  }
  void begin_pass(int number) override { next_.begin_pass(number); }
  void step(const CompiledStep& step) override {
    verified_.step(step.step);
    next_.step(step);
  }
  void finish() override {
    verified_.finish();
    next_.finish();
  }

 private:
  VerifiedOnly& verified_;
  const ScheduleHeader& header_;
  CompiledSink& next_;
};

// Every element of a processor has rules of its own in every stage; they are proved and written.
void check_size(const Request& request) {
  const auto* network = request.get_if<ButterflyNetwork>();
  const auto* sort = request.get_if<BitonicSort>();
  if (network == nullptr && sort == nullptr) return;
  if (sort != nullptr) network = &sort->network;
  const auto p = static_cast<unsigned>(network->index_bits);
  const unsigned stages = sort == nullptr ? p : p * (p + 1) / 2;
  const Count rules = network->elements() * stages;
  if (rules > limits::butterfly_rules_max)
    throw Error(
        ErrorCode::limit,
        fmt::format("2^{} elements a processor, {} stages: a plan of some {} rules, and "
                    "the limit is {}; take a larger cube",
                    network->memory_bits(), stages, to_string(rules), limits::butterfly_rules_max));
}

// What the paper counts for this problem: for the planner's own algorithm, else its least.
std::optional<PaperCount> paper_count(const Request& request, const Asked& asked) {
  if (asked.offer.estimate.paper) return asked.offer.estimate.paper;
  std::optional<PaperCount> best = printed_count(request);
  for (const Considered& c : asked.considered)
    if (c.estimate) best = fewer(best, c.estimate->paper);
  return best;
}

}  // namespace

class Planning {
 public:
  static MachinePlan plan(const Request& asked, const PlanOptions& options) {
    check_size(asked);
    const Listening listening(options.progress);
    std::optional<PacketReport> packets;
    Request request = asked;
    if (options.packets) {
      packets = packet_report(asked, options);
      request = packed_request(asked, packets->prices.packet_elements);
    }
    const Bound bound = bound_of(request);
    Asked answers = ask(request, bound, options);
    if (packets) take(answers, request, packets->planner);
    const auto content = std::make_shared<MachinePlan::Content>(
        MachinePlan::Content{.asked = asked,
                             .request = request,
                             .planner = answers.chosen,
                             .offer = answers.offer,
                             .bound = bound,
                             .paper = paper_count(request, answers),
                             .considered = std::move(answers.considered)});
    if (packets && packets->prices.packet_elements > 1)
      content->offer.expression = fmt::format("packets({}, {})", packets->prices.packet_elements,
                                              content->offer.expression);
    content->packets = std::move(packets);
    content->to_be_verified = options.verify != VerifyBy::nobody;
    watch(*content, options);
    complete(content->header, *content);
    return MachinePlan(content);
  }

  static MachinePlan judged(const MachinePlan& plan) {
    const auto content = std::make_shared<MachinePlan::Content>(*plan.content_);
    content->to_be_verified = true;
    content->verdicts.clear();
    watch(*content, {});
    complete(content->header, *content);
    return MachinePlan(content);
  }

 private:
  // The planner that prices chose, if it is another than the one with the fewest unit routes.
  static void take(Asked& asked, const Request& request, std::string_view name) {
    for (Considered& c : asked.considered)
      if (c.planner->name() == name && asked.chosen != c.planner) {
        asked.chosen = c.planner;
        asked.offer = c.planner->offer(request);
        c.estimate = asked.offer.estimate;
        if (asked.offer.expression.empty()) asked.offer.expression = name;
        return;
      }
  }

  // The schedule's one pass before the verifiers and counters; a second one for replay where the
  // proof gave up.
  static void watch(MachinePlan::Content& content, const PlanOptions& options) {
    CrossingCounter crossings;
    CostCounter cost;
    HeaderKeeper header(content.header);
    Fingerprint fingerprint;
    ProgressSink progress(options.progress, content.offer.estimate.cost.value);
    std::vector<ScheduleSink*> sinks{&header, &crossings, &cost, &fingerprint, &progress};
    std::vector<std::unique_ptr<Verifier>> verifiers;
    const VerifyBy verify = options.verify;
    if (verify == VerifyBy::samples)
      throw Error(ErrorCode::usage, "samples are drawn of schedule files; plans are proved");
    if (verify == VerifyBy::proof || verify == VerifyBy::both) verifiers.push_back(make_proof());
    if (verify == VerifyBy::replay || verify == VerifyBy::both) verifiers.push_back(make_replay());
    std::vector<ScheduleSink*> judges;
    for (const auto& verifier : verifiers) judges.push_back(verifier.get());
    DefaultVerifiers automatic;
    if (verify == VerifyBy::automatic) judges.push_back(&automatic);
    const Bound bound = bound_in_file(content.request, content.bound);
    WithBound judging(bound, judges);
    sinks.push_back(&judging);
    TeeSink tee(sinks);
    content.offer.push(tee);
    content.crossings = crossings.crossings();
    content.listed_cost = cost.cost();
    content.cost =
        performed(content.listed_cost, content.request.machine(), content.request.elements());
    content.fingerprint = fingerprint.text();
    check_promise(content);
    for (const auto& verifier : verifiers) content.verdicts.push_back(verifier->verdict());
    if (verify != VerifyBy::automatic) return;
    for (const auto& verdict : {automatic.proof(), automatic.replay()})
      if (verdict) content.verdicts.push_back(*verdict);
    if (!automatic.replay() && replay_is_possible(content.header) &&
        content.header.entries == ScheduleHeader::Entries::steps &&
        content.verdicts.front().answer == Verdict::Answer::unprovable) {
      const auto replay = make_replay();
      content.header.bound = bound;
      VerifiedOnly same(content.header, content.fingerprint, *replay);
      content.offer.push(same);
      content.verdicts.push_back(replay->verdict());
    }
  }

  // A verifier judges by the header's goal, and planners are compared by what they promise.
  static void check_promise(const MachinePlan::Content& content) {
    const std::string_view name = content.planner->name();
    if (const auto breach = breach_of(content.request, content.header))
      throw InternalError(
          fmt::format("planner {} made a schedule for another question: {}", name, *breach));
    const Count promised = content.offer.estimate.cost.value;
    const Count counted = cost_value(content.request.machine(), content.cost);
    if (promised != counted)
      throw InternalError(fmt::format("planner {} promised {} {}, its schedule takes {}", name,
                                      to_string(promised), cost_unit(content.request.machine()),
                                      to_string(counted)));
  }

  static void complete(ScheduleHeader& header, const MachinePlan::Content& content) {
    header.map_text = content.request.text();
    header.cost = content.listed_cost;
    header.bound = bound_in_file(content.request, content.bound);
  }
};

MachinePlan judged(const MachinePlan& plan) {
  return Planning::judged(plan);
}

const Request& MachinePlan::request() const {
  return content_->request;
}
const Request& MachinePlan::asked() const {
  return content_->asked;
}
const About& MachinePlan::about() const {
  return content_->planner->about();
}
const std::string& MachinePlan::expression() const {
  return content_->offer.expression;
}
const Formula& MachinePlan::formula() const {
  return content_->offer.estimate.cost;
}
const std::optional<PaperCount>& MachinePlan::paper() const {
  return content_->paper;
}
const Cost& MachinePlan::cost() const {
  return content_->cost;
}
const Cost& MachinePlan::listed_cost() const {
  return content_->listed_cost;
}
Count MachinePlan::value() const {
  return cost_value(request().machine(), cost());
}
const Bound& MachinePlan::bound() const {
  return content_->bound;
}
Count MachinePlan::gap() const {
  return value() > bound().value ? value() - bound().value : 0;
}
const std::vector<Verdict>& MachinePlan::verdicts() const {
  return content_->verdicts;
}
const std::vector<Considered>& MachinePlan::considered() const {
  return content_->considered;
}
const ScheduleHeader& MachinePlan::header() const {
  return content_->header;
}
std::uint64_t MachinePlan::slots() const {
  return content_->header.slots;
}
const std::vector<Count>& MachinePlan::crossings() const {
  return content_->crossings;
}
const std::string& MachinePlan::fingerprint() const {
  return content_->fingerprint;
}
const std::optional<PacketReport>& MachinePlan::packets() const {
  return content_->packets;
}

bool MachinePlan::ok() const {
  bool yes = false;
  for (const Verdict& verdict : verdicts()) {
    if (verdict.answer == Verdict::Answer::no) return false;
    yes = yes || verdict.ok();
  }
  return yes;
}

void MachinePlan::push(ScheduleSink& sink) const {
  if (content_->to_be_verified && !ok()) refuse();
  VerifiedOnly verified(header(), fingerprint(), sink);
  content_->offer.push(verified);
}

void MachinePlan::push(CompiledSink& sink) const {
  if (!content_->offer.compiled)
    throw Error(ErrorCode::usage, fmt::format("{} moves data and computes nothing", planner()));
  if (content_->to_be_verified && !ok()) refuse();
  QuietSink nobody;
  VerifiedOnly verified(header(), fingerprint(), nobody);
  VerifiedCompiled compiled(verified, header(), sink);
  content_->offer.compiled(compiled);
}

void MachinePlan::refuse() const {
  for (const Verdict& verdict : verdicts())
    if (verdict.answer == Verdict::Answer::no && !verdict.violations.empty()) {
      const Violation& violation = verdict.violations.front();
      throw Error(
          ErrorCode::refused,
          fmt::format("the plan of {} was refused by {}: step {}: {}: {}", planner(), verdict.by,
                      to_string(violation.step), violation.rule, violation.message));
    }
  throw Error(ErrorCode::limit, fmt::format("the plan of {} could not be verified: {}", planner(),
                                            verdicts().empty() ? "" : verdicts().front().limit));
}

std::string cost_unit(const Machine& machine) {
  return kind_of(machine).unit();
}

Count cost_value(const Machine& machine, const Cost& cost) {
  return kind_of(machine).value(cost);
}

Bound bound_of(const Request& request) {
  const auto* cube = std::get_if<Hypercube>(&request.machine());
  if (request.is_map()) {
    Bound known = lower_bound(request.machine(), request.map(), request.elements());
    if (cube == nullptr) return known;
    std::optional<Bound> flow = flow_bound(*cube, request.map(), request.elements());
    return flow && flow->value > known.value ? std::move(*flow) : known;
  }
  if (const auto* relation = request.get_if<Relation>(); relation != nullptr && cube != nullptr)
    return relation_bound(*cube, *relation, request.elements());
  if (!request.destinations().empty())
    return lower_bound(request.machine(), std::span<const std::uint64_t>(request.destinations()),
                       request.elements());
  if (const auto* network = request.get_if<ButterflyNetwork>()) {
    ButterflyGoal goal;
    goal.processor_bits = network->processor_bits;
    goal.index_bits = network->index_bits;
    goal.allocation = network->allocation;
    goal.encoding = network->encoding;
    goal.order = network->order;
    if (network->finish == ButterflyNetwork::Finish::restored && goal.processor_bits > 0)
      goal.final_processor_rows = {top_processor_bit(goal)};
    return lower_bound(std::get<Hypercube>(request.machine()), goal);
  }
  if (const auto* sort = request.get_if<BitonicSort>())
    return sorting_bound(std::get<Hypercube>(request.machine()), sort->network.index_bits);
  if (const auto* product = request.get_if<MatrixProduct>())
    return matmul_bound(std::get<Pops>(request.machine()), product->order);
  if (const auto* broadcast = request.get_if<Broadcast>()) {
    if (cube != nullptr) return broadcast_bound(*cube, *broadcast, request.elements());
    return broadcast_bound(std::get<Pops>(request.machine()), broadcast->kind);
  }
  return {.value = 0, .reason = "nothing moves"};
}

MachinePlan plan(const Request& request, const PlanOptions& options) {
  if (options.elements && *options.elements != request.elements())
    throw Error(ErrorCode::usage,
                fmt::format("the request has {} elements in each processor, the options say {}",
                            request.elements(), *options.elements));
  return Planning::plan(request, options);
}

MachinePlan plan(std::string_view map, std::string_view machine, const PlanOptions& options) {
  PlanOptions rest = options;
  rest.elements.reset();
  return Planning::plan(Request::of(map, machine, options.elements), rest);
}

}  // namespace faro::inline v1
