// Planning a request: every planner of the catalogue that applies says what it would cost, the
// cheapest builds the schedule, and verifiers that share no code with it watch the schedule pass.
//
//   Request{cube of 6 dimensions, ungray on 6 bits, K = 100}
//     -> plan()  ->  PlanReport: three-fifths-table, 61 steps, bound 61, proved
//
// A plan is built once to be counted and verified, and once more into the caller's sink if there is
// one and nothing was refused: the caller's header then carries cost and bound, and no schedule
// that a verifier refuses is written. Same request, same plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faro/base/progress.hpp"
#include "faro/machines/verify/verifier.hpp"
#include "faro/planners/planner.hpp"

namespace faro {

enum class VerifyBy {
  automatic,  // as DefaultVerifiers choose; where the proof gives up, replay up to its limit
  replay,
  proof,
  both,
  nobody,
};

// Time of a machine that pays `startup` for every packet it sends and `transfer` for every element.
struct PacketPrices {
  double startup = 0;
  double transfer = 1;
  std::uint64_t packet_elements = 0;  // 0: the best size
};

struct PlanOptions {
  std::string algorithm = {};  // a planner's name; empty: the cheapest
  VerifyBy verify = VerifyBy::automatic;
  std::optional<PacketPrices> packets = {};
  std::string map_text = {};     // canonical notation, for the header of the schedule
  ScheduleSink* sink = nullptr;  // receives the verified schedule
  Progress progress = {};
  std::span<const Planner* const> planners = {};  // to choose from; empty: the catalogue
};

// What packets of B elements cost: the schedule for ceil(K/B) packets, each step taking
// startup + B * transfer. With prices this is the schedule that is planned, verified and written:
// its elements are packets.
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
  Count startups = 0;          // the steps of that schedule
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

// One planner's answer: why it does not apply, or what it would cost.
struct Considered {
  const Planner* planner = nullptr;
  std::optional<std::string> refusal = {};
  std::optional<Estimate> estimate = {};
};

struct PlanReport {
  Request request;       // what the schedule moves: with prices, packets
  std::string map_text;  // of that, where there is one
  const Planner* planner = nullptr;
  Estimate estimate;
  std::optional<PaperCount> paper;  // of this planner, else the paper's cheapest that applies
  Cost cost;                        // counted from the schedule, for all elements
  Cost listed_cost;                 // the same but on a SIMD mesh, where the program is listed once
  Bound bound;
  std::uint64_t slots_used = 0;  // storage places of a processor
  std::vector<Count> crossings;  // cube: remote moves over each dimension, both directions
  std::vector<Verdict> verdicts;
  std::vector<Considered> considered;
  std::optional<PacketReport> packets;

  Count value() const;  // cost in the machine's unit
  Count gap() const;    // value - bound
  bool ok() const;      // no verdict says no
};

// The unit that a machine's schedules are compared in, and a cost in it.
const char* cost_unit(const Machine& machine);
Count cost_value(const Machine& machine, const Cost& cost);

// Throws Error: impossible if no planner applies (the message lists why, planner by planner) or the
// one asked for does not; usage if there is none of that name; what planners and verifiers throw.
PlanReport plan(const Request& request, const PlanOptions& options = {});

// What all planners say, without building.
std::vector<Considered> consider(const Request& request,
                                 std::span<const Planner* const> planners = {});

// The best lower bound known for the request's machine.
Bound bound_of(const Request& request);

}  // namespace faro
