// Schedules as the proof of loops reads them: what a machine begins with, what a step does as items
// on runs, and what the goal wants of runs at the end.
//
//   a rule of a cube     one item on a set of processors
//   a rule of POPS       the same, on its way along rows
//   a move between links one item from home to home: each processor has runs of its own
#pragma once

#include <vector>

#include "faro/schedules/schedule.hpp"
#include "machines/loop_runs.hpp"

namespace faro::inline v1::loop_proofs {

class LoopItems {
 public:
  // Throws Breach for a header that is wrong, NoClaim for one that is not proved here.
  explicit LoopItems(const ScheduleHeader& header);

  Contents& contents() { return contents_; }
  // How far slots are apart whose low bits agree: those that the map mixes with other bits.
  std::int64_t least() const { return std::int64_t{1} << static_cast<unsigned>(low_); }
  Names names() const;
  std::vector<Run> beginning();

  // Whether its masks are those of the machine.
  bool fits(const CubeStep& step) const;
  bool fits(const PopsSlot& slot) const;
  // Throws Breach where the machine cannot perform it, whatever slots hold. Wants an advance for
  // each rule and move.
  std::vector<Item> of(const CubeStep& step, const std::vector<Advance>& advances);
  std::vector<Item> of(const PopsSlot& slot, const std::vector<Advance>& advances);

  Count expected() const;
  // Elements that are where the goal wants them; `wrong` says what is not.
  Count delivered(Runs& runs, Breach& wrong);

 private:
  bool listed() const { return homes_ != 0; }
  bool pops() const;
  SpaceId everybody() { return contents_.spaces().of(std::vector<Parity>{}); }
  Count agreeing(const Filling& filling, Word home, const std::vector<Parity>& rows);
  Count delivered(const MapGoal& goal, Runs& runs, Breach& wrong);
  Count delivered(const MovesGoal& goal, Runs& runs, Breach& wrong);

  ScheduleHeader header_;
  int bits_ = 0;              // of a processor's number
  Word homes_ = 0;            // 0: one home, and rules
  std::uint64_t judged_ = 0;  // slots of processors that were filled to judge steps alone
  int low_ = 0;               // low bits of an element's number that are rows of contents
  std::uint64_t result_ = 0;
  Contents contents_;
};

}  // namespace faro::inline v1::loop_proofs
