// Verifiers: sinks that watch a schedule and give a verdict. They believe nobody: they share
// nothing with the planners beyond base, algebra and the schedule types, and count the cost
// themselves.
//
//   replay  carries every element as a tagged token and enforces each rule of the machine; it
//   spells
//           rules out one step at a time and evaluates their parities itself
//   proof   keeps, for each slot, a partition of the processors into affine subspaces with the map
//           that says which element is there; it never enumerates processors
//
// Both must agree wherever both apply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/count.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

// Machines as a user types them.
//
//   cube:4                  cube:4,one-port
//   mesh:8x8                mesh:8x8,propagating      mesh:8x8,all-links
//   torus:8x8               torus:8x8,all-links
//   pops:8,4                pops:8,4,multi-receive        8 processors in each of 4 groups
//
// Sizes may be powers, `mesh:2^30x2^30`. Sides of a mesh are powers of two; at most 2^63
// processors.

namespace faro::inline v1 {

// Throws Error(usage) for a text that names no machine, Error(limit) for one too large.
Machine machine_from(std::string_view text);

// The text that machine_from reads back to the same machine: numbers up to 65536 in digits, larger
// powers of two as powers.
std::string to_string(const Machine& machine);

// One breach of a rule. `rule` is its short name, the same in every verifier of the machine.
struct Violation {
  // Where: as much as the verifier knows. A proof that speaks of many processors names one of them
  // or none.
  struct Place {
    std::optional<Word> processor = {};  // whose slot, or where a move starts
    std::optional<Word> to = {};         // where it ends
    std::optional<Slot> slot = {};       // or register
    std::optional<int> dimension = {};   // of a cube or mesh
    // The entry of the step's list of that name ("moves", "rules", "sends", ...), from 0.
    std::string list = {};
    std::size_t entry = 0;
  };

  Count step = 0;  // from 0; the number of steps for what is found at the end
  std::string rule;
  std::string message;
  Place at = {};
};

struct Verdict {
  // no: `violations` says why. unprovable: the proof gave up at a stated limit, or does not apply;
  // `limit` says which and no claim is made.
  enum class Answer { yes, no, unprovable };
  Answer answer = Answer::no;
  std::string by;  // "replay", "proof"
  std::string limit;
  Cost cost;                          // as counted
  std::vector<Violation> violations;  // the first 20
  Count violation_count = 0;
  Count delivered = 0;  // elements that ended where the goal says
  Count expected = 0;

  // What became of the header's bound. claimed: not checked, `bound_limit` says why; of one checked
  // it says of which schedules, if not of all. One that proves less is a violation, `bound-claim`.
  enum class BoundAnswer { none, checked, claimed };
  BoundAnswer bound = BoundAnswer::none;
  std::string bound_limit;

  bool ok() const { return answer == Answer::yes; }
  void add(Violation violation);
};

class Verifier : public ScheduleSink {
 public:
  // Requires finish() to have been called.
  virtual Verdict verdict() const = 0;
};

// Choose by the header's machine and goal when begin() comes. Replay throws Error(limit) for what
// is too large to spell out; proof answers unprovable.
std::unique_ptr<Verifier> make_replay();
std::unique_ptr<Verifier> make_proof();

}  // namespace faro::inline v1
