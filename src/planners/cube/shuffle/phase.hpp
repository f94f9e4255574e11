// What every shuffle algorithm emits: timed operations, from which the rules follow.
//
// Two elements of a processor whose slots differ in every control bit are a JOB. An exchange of
// control c with dimension d moves exactly one of the two at every processor: those for which bit
// c of the slot, after an inversion, differs from bit d of the processor. K/2 jobs, one machine a
// dimension: planning chains is a job shop, whatever the number of processors.
//
// A real cycle may also be walked by single elements:
//
//   lane   a fixed path of 1 to 4 links for each class of elements (cycles of at most 3 dimensions)
//   run    algorithm A2: one free slot, `length` operations, each element crosses where it must
//   ahead  A2 one step ahead after its first idle operation: one step less, where parities allow
//
// Example: the perfect shuffle a:2 | m:1 has one job (slots 0, 1) and two exchanges of control 0:
// dimension 0 at step 0, dimension 1 at step 1.
//
// Aligned storage: while a phase lasts, label l of job x is in slot x ^ l·M at EVERY processor, M
// the mask of controls; its virtual slot is that, xor-ed with the parities of the dimensions each
// control owns and with the job's inversions. So partners use equal slots and each slot stays one
// piece in a proof. Correct only if each exchanged dimension is owned by the control that exchanges
// it (or the exchange is the job's last), and no two sequences of one control interleave in a job.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1::shuffle {

using Time = std::uint32_t;

struct Exchange {
  Time step = 0;
  Slot job = 0;  // its label 0: the slot with bit C[0] clear
  std::uint8_t control = 0;
  std::uint8_t dimension = 0;
  std::uint8_t inverted = 0;
};

// How single elements walk short real cycles; e is even, o odd parity, the digit the length.
enum class LaneKind : std::uint8_t { complement, e2a, e2b, o2f, o2b, e3s, e3f, e3b, e4a, e4b, e4c };

struct Lane {
  Time step = 0;
  Slot slot = 0;
  std::uint16_t cycle = 0;
  LaneKind kind = LaneKind::complement;
  std::uint8_t turn = 0;  // e4: the lane begins that many dimensions further on
};

struct LaneForm {
  LaneKind kind;
  Time latency;                    // steps from the first hop to the last, both counted
  Time interval;                   // a new element may enter this often
  std::optional<Time> phase = {};  // and only at times with this remainder by the interval
  std::uint8_t turn = 0;
};

Time lane_latency(LaneKind kind);

// The lanes of a cycle, fastest first; none beyond four dimensions and for odd cycles of three and
// four.
std::vector<LaneForm> lanes_of(const Cycle& cycle);

// A2 of the element in `slot`, first on dimension number `first` of the cycle; steps[i] is the time
// of operation i, ascending.
struct Run {
  Slot slot = 0;
  std::uint16_t cycle = 0;
  std::uint8_t first = 0;
  std::vector<Time> steps;
};

// A2 one step ahead: length - 1 steps from `step` on.
struct Ahead {
  Time step = 0;
  Slot slot = 0;
  std::uint16_t cycle = 0;
  std::uint8_t first = 0;
};

// A job that starts in the middle of a chain, at its dimension number `at` >= 1, with the spare
// control; with several chains two such jobs at a time, x and x ^ spare ^ control (up to M).
struct Split {
  Slot job = 0;
  std::uint16_t chain = 0;
  std::uint8_t at = 0;
};

struct TimedRule {
  Time step = 0;
  Rule rule;
};

struct Phase {
  std::vector<int> controls;    // C; the first one names the jobs
  int spare = -1;               // control of split jobs
  Slot spare_until = ~Slot{0};  // jobs from this slot on differ in the other controls only
  std::vector<Word> own;        // a mask of dimensions for each slot bit
  Word inversions = 0;          // slot bits that a completed job has inverted
  std::vector<Exchange> exchanges;
  std::vector<Lane> lanes;
  std::vector<Run> runs;
  std::vector<Ahead> aheads;
  std::vector<Split> splits;
  std::vector<TimedRule> rules;  // as they are; for forms of their own
  std::vector<Rule> last_rules;  // local, after everything
  std::uint64_t slots = 0;       // that these use, if more than K

  Word control_mask() const;
  // The jobs: slots with bit C[0] clear, ascending.
  std::vector<Slot> jobs(const Structure& s) const;
};

// A phase for the structure: each chain owned by its control and, with `a1`, the cycles listed by
// it (they will be exchanged with control v).
struct PhaseOptions {
  int a1_control = -1;  // v, -1 if no cycle is exchanged
  std::vector<std::uint16_t> a1_cycles = {};
  bool with_spare = false;  // the spare control takes part (split jobs)
};
Phase make_phase(const Structure& s, const PhaseOptions& options);

// An exchange of dimension number `at` of a chain or cycle; the caller says when, and of which job.
template <class Line>
Exchange exchange_of(const Line& line, std::size_t at, int control) {
  return {.control = static_cast<std::uint8_t>(control),
          .dimension = static_cast<std::uint8_t>(line.dimensions[at]),
          .inverted = static_cast<std::uint8_t>(line.inverted[at])};
}
// The operations of one job on one chain, dimension i at step first + i.
void push_chain(Phase& phase, const Structure& s, int chain, Slot job, Time first);
// A1 of one job on one cycle, from dimension number `start`, at the times given (length + 1).
void push_a1(Phase& phase, const Structure& s, int cycle, int control, Slot job, int start,
             const std::vector<Time>& times);

// Steps from 0 to the end of the last operation.
Time finish_of(const Structure& s, const Phase& phase);

// Phases follow each other freely, each with the part of the structure it performs: chains and
// cycles left out of a part are other parts' matter.
struct Part {
  Structure structure;
  Phase phase;
};
using Program = std::vector<Part>;

// The structure without its chains, and with the one cycle or none.
Structure chains_only(const Structure& s);
Structure cycle_only(const Structure& s, std::size_t cycle);

Time finish_of(const Program& program);
// Slots each processor needs: K and the transit slots.
std::uint64_t slots_of(const Structure& s, const Program& program);

// Emits everything from begin to finish. The goal is the request's.
void emit(const Structure& s, const Program& program, const Request& request,
          std::string_view planner, ScheduleSink& sink);
// The steps of one part, without the last local permutation, and that permutation.
void emit_part(const Part& part, ScheduleSink& sink);
void emit_final(const Structure& s, ScheduleSink& sink);

}  // namespace faro::inline v1::shuffle
