// Planning: every planner of the machine is asked, the cheapest offer is taken, and verifiers that
// share no code with it watch its schedule pass.
//
//   const MachinePlan plan = faro::plan("a:6 -> ungray(a)", "cube:6", {.elements = 100});
//   plan.cost().steps, plan.bound().value, plan.planner()     61, 61, conversion-table
//   plan.ok()                                                 proof and replay said yes
//   plan.push(sink)                                           the schedule, as often as wanted
//   plan.write("s.json"); verify_file("s.json").ok()          as a file that anybody can check
//
// What was verified is what a sink gets: the steps that the verifiers saw and those pushed later
// have one fingerprint, or InternalError comes before the sink's finish(). Same request, same plan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/progress.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "faro/words/say.hpp"

// Every planner of the library, in one explicit table. A new algorithm is one line here.
//
//   find_planner("services-ring")->offer(request).estimate.cost.value

namespace faro::inline v1 {

std::span<const Planner* const> catalogue();

// Those that plan() chooses among: all but the papers' own algorithms that never win, which come
// last in the catalogue and answer to their names.
std::span<const Planner* const> asked_planners();

// Nothing if there is none of this name.
const Planner* find_planner(std::string_view name);

enum class VerifyBy {
  automatic,  // as DefaultVerifiers choose; where the proof gives up, replay up to its limit
  replay,
  proof,
  both,
  nobody,
  samples,  // of schedule files: some elements followed back, never "right"
};

// Time of a machine that pays `startup` for every packet it sends and `transfer` for every element.
// On a SIMD mesh the start-up is that of a route, however long; a unit route pays the transfer, a
// register operation its own price, each for every element of the packet: N1 a + N2 b + N3 c.
struct PacketPrices {
  double startup = 0;
  double transfer = 1;
  double operation = 0;
  std::uint64_t packet_elements = 0;  // 0: the best size
};

struct PlanOptions {
  // K of each processor, for a request in words.
  std::optional<std::uint64_t> elements = {};
  // A planner's name: nobody else is asked. Empty: the cheapest.
  std::string algorithm = {};
  VerifyBy verify = VerifyBy::automatic;
  std::optional<PacketPrices> packets = {};
  Progress progress = {};
  // The caller's own, which must outlive the plan; asked first, beside the library's or alone.
  std::vector<const Planner*> planners = {};
  enum class Ask { everybody, own_planners } ask = Ask::everybody;
  // Those that search are asked while they may still win, or only where nobody else applies.
  enum class Searches { may_win, last_resort } searches = Searches::may_win;
};

// What packets of B elements cost: the schedule for ceil(K/B) packets, each step taking
// startup + B * transfer. With prices this is the schedule that is planned, verified and written:
// its elements are packets. On a SIMD mesh it is that of the planner with the least time.
struct PacketReport {
  // Another size, and from which (or up to which) price of a start-up it is the faster one.
  struct Change {
    double startup = 0;
    std::uint64_t packet_elements = 0;
    Count startups = 0;
    std::string planner = {};
  };
  PacketPrices prices;         // packet_elements filled in
  std::uint64_t elements = 0;  // of a processor, before they were packed
  Count startups = 0;          // the steps of that schedule; the long routes of a SIMD mesh
  std::string planner = {};    // of that schedule
  double time = 0;             // in the unit of the prices
  double time_unpacked = 0;    // with packets of one element
  // What would change the choice: nothing where no price of a start-up does.
  std::optional<Change> below = {};
  std::optional<Change> above = {};
  // With a size that was asked for: the best one, if that is another.
  std::uint64_t best_elements = 0;
  double best_time = 0;
};

// One planner's answer: what it offers, why it does not apply, or why it was not asked.
struct Considered {
  const Planner* planner = nullptr;
  std::optional<std::string> refusal = {};
  std::optional<Estimate> estimate = {};
  std::string not_asked = {};
};

class MachinePlan {
 public:
  // What the schedule does: with prices, it moves packets. `asked` is the request before that.
  const Request& request() const;
  const Request& asked() const;

  std::string_view planner() const { return about().name; }
  const About& about() const;
  // What the plan is made of: the planner's name, or "phases(lanes(2), ring(3))".
  const std::string& expression() const;
  const Formula& formula() const;
  // What the paper offers: for this algorithm, else its cheapest of those asked.
  const std::optional<PaperCount>& paper() const;

  // Counted from the schedule, for all elements; `listed` is the same but on a SIMD mesh, whose
  // program is listed once and performed for every element.
  const Cost& cost() const;
  const Cost& listed_cost() const;
  Count value() const;  // cost in the machine's unit
  const Bound& bound() const;
  Count gap() const;  // value - bound

  // At least one verifier said yes and none said no.
  bool ok() const;
  const std::vector<Verdict>& verdicts() const;
  const std::vector<Considered>& considered() const;

  // The header of the schedule, with cost and bound.
  const ScheduleHeader& header() const;
  std::uint64_t slots() const;  // storage places of a processor
  // Cube: remote moves over each dimension, both directions.
  const std::vector<Count>& crossings() const;
  const std::string& fingerprint() const;
  const std::optional<PacketReport>& packets() const;
  // The report as one line, format faro-plan/1.
  std::string json() const;

  // Throws Error(refused) for a plan that a verifier refused or none of those asked could judge;
  // a plan that nobody was to verify is pushed.
  void push(ScheduleSink& sink) const;
  // Of butterfly networks and sorts; Error(usage) for others.
  void push(CompiledSink& sink) const;
  // The schedule as a file, format faro-schedule/1, or /2 where it has loops, written step by step;
  // it appears under its name when it is complete. Throws what push does, and Error(environment).
  void write(const std::string& path) const;

 private:
  struct Content;
  friend class Planning;
  explicit MachinePlan(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  [[noreturn]] void refuse() const;

  std::shared_ptr<const Content> content_;
};

// The unit that a machine's schedules are compared in, and a cost in it.
std::string cost_unit(const Machine& machine);
Count cost_value(const Machine& machine, const Cost& cost);

// Throws Error: impossible if no planner applies (the message lists why, planner by planner) or the
// one asked for does not; usage if there is none of that name; what planners and verifiers throw.
MachinePlan plan(const Request& request, const PlanOptions& options = {});
// The same in words; throws what Request::of throws.
MachinePlan plan(std::string_view map, std::string_view machine, const PlanOptions& options = {});

// The best lower bound known for the request's machine.
Bound bound_of(const Request& request);

// Judging a schedule file: read as a stream, watched by one verifier or both.
//
//   file  --->  reader  --->  replay, proof, fingerprint
//                  |  breaches of the file's form
//                  +--->  one verdict
//
// Breaches that the reader finds and violations that the verifiers find are one list. Where both
// verifiers give an answer and differ, one of them has a bug: InternalError.

struct VerifyOptions {
  // automatic: as DefaultVerifiers choose, default_verifiers.hpp.
  VerifyBy by = VerifyBy::automatic;
  std::optional<std::string> map = {};  // the goal, in place of the file's
  // Called now and then with 0 of 0, since how far it is nobody knows; may end it.
  Progress progress = {};
};

struct VerifyReport {
  // `by` is "replay", "proof" or "both"; cost and deliveries are replay's where it took part.
  Verdict verdict;
  std::optional<Machine> machine;  // nothing where the header could not be read
  std::string fingerprint;
  std::vector<std::string> warnings;
  std::uint64_t turns = 1;  // alike, so that one of them was carried out
};

// Throws Error: usage for what is no schedule, limit for what is too large to replay, cancelled.
VerifyReport verify_schedule(ByteSource& source, const VerifyOptions& options = {});
// The same of a file, "-" being standard input, whole and its verdict alone; throw
// Error(environment) too.
VerifyReport verify_schedule_file(const std::string& path, const VerifyOptions& options = {});
Verdict verify_file(const std::string& path, const VerifyOptions& options = {});

// A schedule file, step by step into a sink of the caller's. Nothing is judged but the file's form:
// throws Error(refused) at its first breach, which leaves the sink without finish().
void read_schedule(const std::string& path, ScheduleSink& sink);

// The verdict as an object of format faro-verdict/1, in one line without its end.
std::string verdict_json(const VerifyReport& report);

// What a map does, as format faro-map/1 (docs/schemas): its matrix, class, cycles, inverse,
// examples and what it costs at least on each kind of machine.
//
//   explain_json("i:4 -> rev(i)")     {"format":"faro-map/1","text":"i:4 -> rev(i)","width":4, ...}

// One line; throws NotationError.
std::string explain_json(std::string_view map, const Sizes& known = {});

}  // namespace faro::inline v1
