#include "faro/service/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/notation.hpp"
#include "faro/base/check.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/bounds/bounds.hpp"
#include "faro/machines/bounds/mesh_bounds.hpp"
#include "faro/machines/bounds/pops_bounds.hpp"
#include "faro/planners/shuffle/packets.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/service/catalogue.hpp"
#include "faro/service/crossings.hpp"
#include "faro/service/default_verifiers.hpp"

namespace faro {
namespace {

// log2 of the elements of the whole machine, rounded up.
int elements_log2(const Request& request) {
  const int processors = std::visit(
      [](const auto& machine) -> int {
        using M = std::decay_t<decltype(machine)>;
        if constexpr (std::is_same_v<M, Hypercube>) {
          return machine.dimensions;
        } else if constexpr (std::is_same_v<M, Mesh>) {
          int bits = 0;
          for (const int side : machine.sides_log2) bits += side;
          return bits;
        } else {
          return static_cast<int>(std::bit_width(machine.group_size - 1) +
                                  std::bit_width(machine.groups - 1));
        }
      },
      request.machine);
  return processors + static_cast<int>(std::bit_width(request.elements - 1));
}

// Tells how far the schedule has come, in steps of its cost.
class ProgressSink : public ScheduleSink {
 public:
  ProgressSink(const Progress& progress, Count total)
      : progress_(progress), total_(static_cast<std::uint64_t>(total)) {}
  void begin(const ScheduleHeader&) override {}
  void step(const CubeStep&) override { tick(); }
  void step(const MeshInstruction&) override { tick(); }
  void step(const PopsSlot&) override { tick(); }
  void finish() override {}

 private:
  void tick() {
    done_ = std::min(done_ + 1, total_);
    report(progress_, done_, total_);
  }
  const Progress& progress_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

// Completes the header with what only the caller of a planner knows.
class HeaderSink : public ScheduleSink {
 public:
  HeaderSink(const PlanReport& report, const std::string& map_text, ScheduleSink& next)
      : report_(report), map_text_(map_text), next_(next) {}

  void begin(const ScheduleHeader& header) override {
    ScheduleHeader complete = header;
    complete.map_text = map_text_;
    complete.cost = report_.listed_cost;
    complete.bound = report_.bound;
    // A file speaks of one performance of its program.
    if (is_simd_mesh(report_.request.machine)) {
      Request one = report_.request;
      one.elements = 1;
      complete.bound = bound_of(one);
    }
    next_.begin(complete);
  }
  void step(const CubeStep& step) override { next_.step(step); }
  void step(const MeshInstruction& instruction) override { next_.step(instruction); }
  void step(const PopsSlot& slot) override { next_.step(slot); }
  void finish() override { next_.finish(); }

 private:
  const PlanReport& report_;
  const std::string& map_text_;
  ScheduleSink& next_;
};

bool cheaper(const Estimate& a, const Estimate& b) {
  if (a.cost.value != b.cost.value) return a.cost.value < b.cost.value;
  return a.ties < b.ties;
}

// Whether a planner's kind of machine is this one, for messages.
bool is_for(const Planner& planner, const Machine& machine) {
  const std::string_view kind = planner.machine;
  if (std::holds_alternative<Hypercube>(machine)) return kind.starts_with("cube");
  if (std::holds_alternative<Pops>(machine)) return kind.starts_with("pops");
  return kind.starts_with("mesh") || kind.starts_with("torus");
}

// Why each planner of this machine refuses; those with one reason share a line.
std::string refusals(const std::vector<Considered>& all, const Machine& machine) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const Considered& c : all) {
    if (!is_for(*c.planner, machine)) continue;
    const std::string reason = c.refusal.value_or("");
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == reason; });
    if (same == lines.end())
      lines.emplace_back(reason, c.planner->name);
    else
      same->second += fmt::format(", {}", c.planner->name);
  }
  std::string text;
  for (const auto& [reason, names] : lines) text += fmt::format("\n  {}: {}", names, reason);
  return text;
}

const Considered& choose(const std::vector<Considered>& all, const std::string& algorithm,
                         const Machine& machine) {
  if (!algorithm.empty()) {
    if (find_planner(algorithm) == nullptr)
      throw Error(
          ErrorCode::usage,
          fmt::format("there is no algorithm '{}'; `faro algorithms` lists them", algorithm));
    for (const Considered& c : all)
      if (algorithm == c.planner->name) {
        if (c.refusal)
          throw Error(ErrorCode::impossible,
                      fmt::format("algorithm {} does not apply: {}", algorithm, *c.refusal));
        return c;
      }
  }
  const Considered* best = nullptr;
  for (const Considered& c : all)
    if (c.estimate && (best == nullptr || cheaper(*c.estimate, *best->estimate))) best = &c;
  if (best != nullptr) return *best;
  throw Error(ErrorCode::impossible, "no planner applies:" + refusals(all, machine));
}

// Shows the schedule to the verifiers that `verify` asks for, and to the counters.
void build_watched(const Planner& planner, const Request& request, VerifyBy verify,
                   std::vector<ScheduleSink*> sinks, PlanReport& report) {
  std::vector<std::unique_ptr<Verifier>> verifiers;
  if (verify == VerifyBy::proof || verify == VerifyBy::both) verifiers.push_back(make_proof());
  if (verify == VerifyBy::replay || verify == VerifyBy::both) verifiers.push_back(make_replay());
  for (const auto& verifier : verifiers) sinks.push_back(verifier.get());
  DefaultVerifiers automatic;
  if (verify == VerifyBy::automatic) sinks.push_back(&automatic);
  TeeSink tee(sinks);
  planner.build(request, tee);
  for (const auto& verifier : verifiers) report.verdicts.push_back(verifier->verdict());
  if (verify != VerifyBy::automatic) return;
  for (const auto& verdict : {automatic.proof(), automatic.replay()})
    if (verdict) report.verdicts.push_back(*verdict);

  // Where the proof gave up and replay did not watch, it may still say something.
  if (!automatic.replay() && elements_log2(request) <= limits::replay_elements_log2_max &&
      report.verdicts.front().answer == Verdict::Answer::unprovable) {
    const auto replay = make_replay();
    planner.build(request, *replay);
    report.verdicts.push_back(replay->verdict());
  }
}

// What the paper offers for this problem: for the planner's own algorithm, else its cheapest.
std::optional<PaperCount> paper_count(const PlanReport& report) {
  std::optional<PaperCount> best = report.estimate.paper;
  if (best) return best;
  for (const Considered& c : report.considered)
    if (c.estimate && c.estimate->paper &&
        (!best || c.estimate->paper->formula.value < best->formula.value))
      best = c.estimate->paper;
  return best;
}

// The request that moves packets instead of elements. With memory bits in the map only powers of
// two that leave the bits which tell elements apart.
Request packed_request(const Request& request, std::uint64_t packet) {
  if (packet == 1) return request;
  if (!request.map.cut || request.map.memory_bits == 0) {
    Request packed = request;
    packed.workings = nullptr;
    packed.elements = (request.elements + packet - 1) / packet;
    return packed;
  }
  auto packed =
      is_power_of_two(packet) ? shuffle::packed(request, log2_exact(packet)) : std::nullopt;
  if (!packed)
    throw Error(ErrorCode::impossible,
                fmt::format("packets of {} elements do not move alike: in a map that names memory "
                            "bits it must be a permutation of bits, and a packet a power of two "
                            "that leaves a memory bit for each one that moves into a processor bit",
                            packet));
  packed->workings = nullptr;
  return *packed;
}

// The sizes at which the number of packets changes, or that a map with memory bits allows.
std::vector<std::uint64_t> packet_sizes(const Request& request) {
  std::vector<std::uint64_t> sizes = {1};
  if (request.map.cut && request.map.memory_bits > 0) {
    for (int j = 1; shuffle::packed(request, j); ++j) sizes.push_back(bit(j));
    return sizes;
  }
  const std::uint64_t k = request.elements;
  for (std::uint64_t packets = k; packets > 1;) {
    const std::uint64_t size = (k + packets - 2) / (packets - 1);
    packets = (k + size - 1) / size;
    sizes.push_back(size);
  }
  return sizes;
}

// Times are linear in the start-up: where another of the sizes becomes better than `best`.
void add_changes(const std::vector<PacketReport>& tried, PacketReport& best) {
  const auto transfers = [](const PacketReport& r) {
    return static_cast<double>(r.startups) * static_cast<double>(r.prices.packet_elements) *
           r.prices.transfer;
  };
  for (const PacketReport& t : tried) {
    if (t.startups == best.startups) continue;
    const double crossing = (transfers(t) - transfers(best)) /
                            (static_cast<double>(best.startups) - static_cast<double>(t.startups));
    const PacketReport::Change change{.startup = crossing,
                                      .packet_elements = t.prices.packet_elements,
                                      .startups = t.startups,
                                      .planner = t.planner};
    if (t.startups < best.startups && (!best.above || crossing < best.above->startup))
      best.above = change;
    if (t.startups > best.startups && crossing > 0 &&
        (!best.below || crossing > best.below->startup))
      best.below = change;
  }
}

PacketReport packet_report(const Request& request, const PlanOptions& options) {
  const PacketPrices prices = options.packets.value();
  const auto report_of = [&](std::uint64_t packet) {
    const std::vector<Considered> all = consider(packed_request(request, packet), options.planners);
    const Considered& chosen = choose(all, options.algorithm, request.machine);
    PacketReport report{
        .prices = prices, .elements = request.elements, .planner = chosen.planner->name};
    report.prices.packet_elements = packet;
    report.startups = chosen.estimate->cost.value;
    report.time = static_cast<double>(report.startups) *
                  (prices.startup + static_cast<double>(packet) * prices.transfer);
    return report;
  };
  std::vector<PacketReport> tried;
  for (const std::uint64_t size : packet_sizes(request)) tried.push_back(report_of(size));
  PacketReport best = tried.front();
  for (const PacketReport& t : tried)
    if (t.time < best.time) best = t;
  PacketReport report = best;
  if (prices.packet_elements != 0) {
    report = report_of(prices.packet_elements);
    if (best.time < report.time) {
      report.best_elements = best.prices.packet_elements;
      report.best_time = best.time;
    }
  } else {
    add_changes(tried, report);
  }
  report.time_unpacked = tried.front().time;
  return report;
}

// The canonical text of what is moved instead of the request.
std::string packed_text(const Request& request, const std::string& map_text) {
  if (!request.map.cut) return map_text;
  return to_notation(request.map.map,
                     Cut{.kind = Cut::Kind::both,
                         .processor_bits = request.map.map.width() - request.map.memory_bits});
}

}  // namespace

const char* cost_unit(const Machine& machine) {
  if (std::holds_alternative<Pops>(machine)) return "slots";
  return is_simd_mesh(machine) ? "unit routes" : "steps";
}

Count cost_value(const Machine& machine, const Cost& cost) {
  if (std::holds_alternative<Pops>(machine)) return cost.slots;
  return is_simd_mesh(machine) ? cost.unit_routes : cost.steps;
}

Count PlanReport::value() const {
  return cost_value(request.machine, cost);
}

Count PlanReport::gap() const {
  return value() > bound.value ? value() - bound.value : 0;
}

bool PlanReport::ok() const {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const Verdict& v) { return v.answer == Verdict::Answer::no; });
}

std::vector<Considered> consider(const Request& request, std::span<const Planner* const> planners) {
  std::vector<Considered> all;
  for (const Planner* planner : planners.empty() ? catalogue() : planners) {
    Considered c{.planner = planner, .refusal = planner->refusal(request), .estimate = {}};
    if (!c.refusal) c.estimate = planner->estimate(request);
    all.push_back(std::move(c));
  }
  return all;
}

Bound bound_of(const Request& request) {
  // A machine family joins by an overload of lower_bound in machines/bounds.
  return std::visit(
      [&request](const auto& machine) -> Bound {
        if constexpr (requires { lower_bound(machine, request.map, request.elements); }) {
          if (request.destinations.empty())
            return lower_bound(machine, request.map, request.elements);
        }
        if constexpr (requires {
                        lower_bound(machine, std::span<const std::uint64_t>(request.destinations),
                                    request.elements);
                      }) {
          if (!request.destinations.empty())
            return lower_bound(machine, std::span<const std::uint64_t>(request.destinations),
                               request.elements);
        }
        return {.value = 0, .reason = "no bound is known for this request"};
      },
      request.machine);
}

PlanReport plan(const Request& asked, const PlanOptions& options) {
  if (asked.elements == 0)
    throw Error(ErrorCode::usage, "a processor holds 0 elements; there is nothing to plan");
  PlanReport report;
  report.request = asked;
  report.map_text = options.map_text;
  if (options.packets) {
    report.packets = packet_report(asked, options);
    const std::uint64_t packet = report.packets->prices.packet_elements;
    if (packet > 1) {
      report.request = packed_request(asked, packet);
      report.map_text = packed_text(report.request, options.map_text);
    }
  }
  Request moved = report.request;
  if (!moved.workings) moved.workings = std::make_shared<Workings>();
  report.considered = consider(moved, options.planners);
  const Considered& chosen = choose(report.considered, options.algorithm, moved.machine);
  report.planner = chosen.planner;
  report.estimate = *chosen.estimate;
  report.bound = bound_of(moved);
  report.paper = paper_count(report);

  CrossingCounter crossings;
  CostCounter cost;
  ProgressSink progress(options.progress, report.estimate.cost.value);
  build_watched(*report.planner, moved, options.verify, {&crossings, &cost, &progress}, report);
  report.crossings = crossings.crossings();
  report.slots_used = crossings.slots();
  report.listed_cost = cost.cost();
  report.cost = performed(report.listed_cost, moved.machine, moved.elements);
  if (options.sink != nullptr && report.ok()) {
    HeaderSink sink(report, report.map_text, *options.sink);
    report.planner->build(moved, sink);
  }
  return report;
}

}  // namespace faro
