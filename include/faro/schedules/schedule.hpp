// A schedule is a header and a stream of steps. Nobody holds it whole: a planner pushes it, step by
// step, into a sink, and everything that reads one is a sink: the verifiers, the counter of its
// cost, the writer, the simulated machine. A reader of files pushes into a sink too, so that
//
//   planner or file  --->  tee  --->  replay
//                              --->  proof
//                              --->  cost, fingerprint, JSON
//
// is one pass with one step in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/base/count.hpp"
#include "faro/schedules/certificate.hpp"
#include "faro/schedules/goal.hpp"
#include "faro/schedules/machine.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

// What a schedule costs, counted from its steps. Each machine counts in its own words; the others
// stay zero.
struct Cost {
  Count steps = 0;           // cube, mesh with all links: steps with a remote move
  Count remote_moves = 0;    // cube, mesh with all links
  Count unit_routes = 0;     // SIMD mesh: the sum of |by|
  Count long_routes = 0;     // SIMD mesh: routes
  Count register_ops = 0;    // SIMD mesh: copies and swaps
  Count slots = 0;           // POPS: time slots with a send
  Count compute_rounds = 0;  // POPS with operations: sum over slots of the busiest processor's
  friend bool operator==(const Cost&, const Cost&) = default;
};

// What a schedule's header says of its cost. A file may claim a part; verifiers compare what is
// claimed with what they count.
struct CostClaim {
  std::optional<Count> steps;
  std::optional<Count> remote_moves;
  std::optional<Count> unit_routes;
  std::optional<Count> long_routes;
  std::optional<Count> register_ops;
  std::optional<Count> slots;
  std::optional<Count> compute_rounds;

  CostClaim() = default;
  // Claims everything; implicit, so that a planner's header may take a counted cost.
  CostClaim(const Cost& cost);

  // Nothing if `counted` is as claimed, else the first difference: "steps: claimed 5, counted 6".
  std::optional<std::string> difference(const Cost& counted) const;
  friend bool operator==(const CostClaim&, const CostClaim&) = default;
};

// A claim that no schedule takes fewer, with the reason in words and what proves it.
struct Bound {
  Count value = 0;
  std::string reason = {};
  Certificate certificate = {};
  friend bool operator==(const Bound&, const Bound&) = default;
};

// The steps are performed `times` times over, each time with slots of their own for another part of
// the elements: performance j moves those of slots j·K/times and on, in its slots 0 and on.
//
//   2^20 elements of a processor in 256 turns of 4096:  times 256, the steps of one listed once
//
// Where a map has memory bits, elements change places inside their processors by `before`, then
// take their turns, then change places by `after`; maps of processor | slot bits, of width 0 if
// nothing changes.
struct Repeat {
  std::uint64_t times = 1;
  BitMap before = {};
  BitMap after = {};
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct ScheduleHeader {
  Machine machine;
  Goal goal;
  std::string map_text;        // canonical notation of a MapGoal, else empty
  std::uint64_t elements = 1;  // K: per processor
  std::uint64_t slots = 1;     // storage places of a processor: slots or registers
  std::string planner;
  std::optional<CostClaim> cost;
  std::optional<Bound> bound;
  // POPS: the register where elements end, one for all processors or one for each.
  std::vector<Slot> result;
  // Elements, cost and bound above are those of all performances together, slots those of one.
  Repeat repeat = {};
  // Which entries come. A writer has to know it at once: loops want another format of files.
  enum class Entries { steps, loops };
  Entries entries = Entries::steps;
};

// Receives begin once, then steps and loops of the header's machine, then finish once. A sink may
// throw: the builder stops. A sink implements the kinds of step it understands; the others throw
// Error(usage). One that does not know loops gets their steps, lap after lap, as long as they are
// not more than limits::loop_moves_max in all; beyond, Error(limit).
class ScheduleSink {
 public:
  virtual ~ScheduleSink() = default;
  virtual void begin(const ScheduleHeader& header) = 0;
  virtual void step(const CubeStep& step);
  virtual void step(const MeshInstruction& instruction);
  virtual void step(const PopsSlot& slot);
  virtual void loop(const CubeLoop& loop);
  virtual void loop(const PopsLoop& loop);
  virtual void finish() = 0;

 private:
  template <class Step>
  void unroll(const Loop<Step>& loop);
  Count unrolled_ = 0;  // rules and moves, of all laps
};

// Forwards to several sinks, in order. They must outlive it.
class TeeSink : public ScheduleSink {
 public:
  explicit TeeSink(std::vector<ScheduleSink*> sinks) : sinks_(std::move(sinks)) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override;

 private:
  std::vector<ScheduleSink*> sinks_;
};

// Keeps everything, loops lap after lap: for tests, small schedules and planners that work on a
// whole. Nothing virtual is defined here: each source would compile it, with all that a header
// holds.
class RecordingSink : public ScheduleSink {
 public:
  ScheduleHeader header;
  std::vector<CubeStep> cube_steps;
  std::vector<MeshInstruction> mesh_program;
  std::vector<PopsSlot> pops_slots;

  void begin(const ScheduleHeader& h) override;
  void step(const CubeStep& s) override;
  void step(const MeshInstruction& i) override;
  void step(const PopsSlot& s) override;
  void finish() override;

  void replay_into(ScheduleSink& sink) const;
};

}  // namespace faro::inline v1
