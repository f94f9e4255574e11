// Dimensions in turn.   [faro]
//   applies:  several ports, but not all; maps and lists
//   cost:     counted; all to all nK/2k with k ports, where k divides n
//   bound:    machines/bounds
//
//   step of a plan for all ports    dimensions 0 1 2 3 4 5
//   with 2 ports                    0 1, 2 3, 4 5: three steps; what lands where somebody has yet
//                                   to read waits in a slot beside
//
// The cheapest plan for all ports, or the cheapest for one, whichever takes fewer steps: the
// crossings of a step go in turn, so many dimensions at a time as there are ports, and the next
// step's begin in the same turn where they read nothing that it writes. A plan whose steps use all
// links stays optimal where ports divide the dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/cube/ports.hpp"
#include "planners/cube/ports/planners.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

// Those that meet the conditions, on the other side of a dimension.
std::vector<Parity> beyond(std::vector<Parity> where, int across) {
  for (Parity& c : where) c.value ^= has_bit(c.mask, across) ? 1U : 0U;
  return where;
}

bool meet(const std::set<Slot>& a, const std::set<Slot>& b) {
  return std::any_of(a.begin(), a.end(), [&b](Slot s) { return b.contains(s); });
}

// What crosses one dimension in a step of the plan, or stays inside.
struct Part {
  CubeStep step;
  std::set<Slot> reads;
};

// Turns the steps of a plan for more or fewer ports into steps of so many dimensions.
class Turns : public ScheduleSink {
 public:
  Turns(const Hypercube& cube, std::uint64_t spare, ScheduleSink& sink)
      : cube_(cube), given_(spare), sink_(sink) {}

  // Slots beyond the plan's own.
  std::uint64_t spare() const { return spare_; }

  void begin(const ScheduleHeader& header) override {
    ScheduleHeader mine = header;
    first_spare_ = header.slots;
    mine.machine = cube_;
    mine.planner = ports_in_turn.name();
    mine.slots += given_;
    sink_.begin(mine);
  }

  void step(const CubeStep& step) override {
    std::map<int, Part> parts = parts_of(step);
    const auto stay = parts.find(inside);
    if (stay != parts.end()) {
      stay_ = std::move(stay->second);
      parts.erase(stay);
    }
    beside_.clear();
    while (true) {
      const std::set<Slot> before = written_;  // of this turn, by the steps before
      std::map<int, Part> now = chosen(parts, before);
      const bool last = parts.empty() && stay_ && !meet(stay_->reads, before);
      Part inside_now = last ? *std::exchange(stay_, {}) : Part{};
      std::set<Slot> kept = before;  // slots that nothing may be written to yet
      for (const auto& [across, part] : parts) kept.insert(part.reads.begin(), part.reads.end());
      if (stay_) kept.insert(stay_->reads.begin(), stay_->reads.end());
      const CubeStep commits = committed(kept);
      for (auto& [across, part] : now) append(landing(across, std::move(part.step), kept), turn_);
      append(landing(inside, std::move(inside_now.step), kept), turn_);
      append(commits, turn_);
      if (parts.empty() && !stay_ && waiting_.empty()) return;
      flush();
    }
  }

  void finish() override {
    flush();
    sink_.finish();
  }

 private:
  static std::map<int, Part> parts_of(const CubeStep& step) {
    std::map<int, Part> parts;
    for (const Rule& rule : step.rules) {
      Part& part = parts[rule.across];
      part.step.rules.push_back(rule);
      part.reads.insert(rule.from);
    }
    for (const Move& move : step.moves) {
      const Word apart = move.from_processor ^ move.to_processor;
      Part& part = parts[apart == 0 ? inside : lowest_bit(apart)];
      part.step.moves.push_back(move);
      part.reads.insert(move.from_slot);
    }
    return parts;
  }

  // Parts that can go in this turn; they leave the others.
  std::map<int, Part> chosen(std::map<int, Part>& parts, const std::set<Slot>& before) {
    std::map<int, Part> now;
    for (auto at = parts.begin(); at != parts.end();) {
      const auto part = at++;
      if (static_cast<int>(crossed_.size()) >= ports_of(cube_)) break;
      if (meet(part->second.reads, before) || !crossed_.insert(part->first).second) continue;
      now.insert(parts.extract(part));
    }
    return now;
  }

  // What came in turns before, into the slots that are free by now.
  CubeStep committed(const std::set<Slot>& kept) {
    CubeStep commits;
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      const auto here = at++;
      if (kept.contains(here->first)) continue;
      written_.insert(here->first);
      append(here->second, commits);
      waiting_.erase(here);
    }
    return commits;
  }

  // A part, landing beside the slots that are kept.
  CubeStep landing(int across, CubeStep step, const std::set<Slot>& kept) {
    const auto land = [&](Slot& to, auto&& bring) {
      if (!kept.contains(to)) {
        written_.insert(to);
        return;
      }
      const Slot slot = beside(to);
      bring(waiting_[to], slot);
      to = slot;
    };
    for (Rule& rule : step.rules)
      land(rule.to, [&](CubeStep& later, Slot slot) {
        const auto there = across == inside ? rule.where : beyond(rule.where, across);
        later.rules.push_back({there, slot, inside, rule.to});
      });
    for (Move& move : step.moves)
      land(move.to_slot, [&](CubeStep& later, Slot slot) {
        later.moves.push_back({move.to_processor, slot, move.to_processor, move.to_slot});
      });
    return step;
  }
  Slot beside(Slot slot) {
    const auto next = static_cast<Slot>(first_spare_ + beside_.size());
    const Slot found = beside_.try_emplace(slot, next).first->second;
    spare_ = std::max<std::uint64_t>(spare_, beside_.size());
    return found;
  }

  static void append(const CubeStep& step, CubeStep& to) {
    to.rules.insert(to.rules.end(), step.rules.begin(), step.rules.end());
    to.moves.insert(to.moves.end(), step.moves.begin(), step.moves.end());
  }
  void flush() {
    if (!turn_.rules.empty() || !turn_.moves.empty()) sink_.step(turn_);
    turn_.clear();
    crossed_.clear();
    written_.clear();
  }

  Hypercube cube_;
  std::uint64_t given_;
  ScheduleSink& sink_;
  std::uint64_t first_spare_ = 0;
  std::uint64_t spare_ = 0;
  CubeStep turn_;           // the step that is filled
  std::set<int> crossed_;   // its dimensions
  std::set<Slot> written_;  // what it writes, but for slots beside
  // Of the plan's step: what is left to do inside, the slots beside those it writes, and what waits
  // in them.
  std::optional<Part> stay_;
  std::map<Slot, Slot> beside_;
  std::map<Slot, CubeStep> waiting_;
};

std::optional<std::string> refusal(const Request& request) {
  const Hypercube* cube = cube_of(request);
  if (!several_ports(*cube)) return "it is for cubes of several ports, not all";
  if (request.is_map() &&
      request.map().map.width() - (request.map().cut ? request.map().memory_bits : 0) !=
          cube->dimensions)
    return "the data lie on a part of the cube";
  return {};
}

// The same question where processors have these ports.
Request with_ports(const Request& request, Hypercube::Ports ports) {
  const std::optional<std::uint64_t> elements =
      request.is_map() && request.map().cut ? std::nullopt : std::optional(request.elements());
  return Request::of(Hypercube{cube_of(request)->dimensions, ports}, request.question(), elements);
}

// Plans for all ports and for one. The cheapest may be a search's, which follows no order of
// dimensions and so takes more turns than another: there are several.
std::vector<Offer> plans_to_turn(const Request& request) {
  std::vector<Offer> plans;
  for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
    const Request whole = with_ports(request, ports);
    for (const auto searching : {Searching::all, Searching::few})
      if (auto plan = cheapest_if_any(whole, searching)) plans.push_back(std::move(*plan));
    for (const PlannerEntry* more :
         entries_where([](const PlannerEntry::Parts& parts) { return parts.of_ports; }))
      if (!more->refusal(whole)) plans.push_back(more->offer(whole));
  }
  return plans;
}

Offer offer(const Request& request) {
  const Hypercube cube = *cube_of(request);
  std::optional<Offer> best;
  for (const Offer& plan : plans_to_turn(request)) {
    CostCounter counter;
    Turns turns(cube, 0, counter);
    plan.push(turns);
    const Count steps = counter.cost().steps;
    if (best && best->estimate.cost.value <= steps) continue;
    best = Offer{.estimate = {.cost = {steps, "counted"}},
                 .push =
                     [plan, cube, spare = turns.spare()](ScheduleSink& sink) {
                       Turns again(cube, spare, sink);
                       plan.push(again);
                     },
                 .expression = fmt::format("in-turn({})", header_of(plan).planner)};
  }
  if (!best)
    throw Error(ErrorCode::impossible, "no plan for all ports or for one is known to begin with");
  return *best;
}

}  // namespace

const PlannerEntry ports_in_turn({
    .name = "ports-in-turn",
    .machine = "cube",
    .title = "the best plan for all ports or for one, its dimensions in turn",
    .needs = "several ports, but not all; a map or a list",
    .cost = "counted; nK/2k for all to all where k divides n",
    .refusal = refusal,
    .offer = offer,
    .asks_often = true,
    .several_ports = true,
});

}  // namespace faro::inline v1
