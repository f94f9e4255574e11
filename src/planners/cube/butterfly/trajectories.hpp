// Trajectories: a plan that says for every element where it is after every step, and the emitter
// that makes a schedule of explicit moves of it. For small machines; closed plans are chains.hpp.
//
// A butterfly is done as soon as its two elements meet with the right stages behind them. An
// arrival takes the lowest free slot; a final free step brings the elements to their slots.
#pragma once

#include <vector>

#include "faro/schedules/cost.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1::butterfly {

struct Trajectories {
  ButterflyNetwork request;
  std::string_view planner = {};
  std::vector<Form> final_rows;           // of the processors, bit 0 first
  std::vector<std::vector<Word>> places;  // places[t][v]: processor of element v after t steps
};

// Which elements do which stages while they are moved about.
class Stages {
 public:
  explicit Stages(const ButterflyNetwork& request);
  int done(Word index) const { return done_[index]; }
  // Does every stage whose partners are at one processor; visit(low index, index bit) for each.
  template <class Visit>
  void advance(const std::vector<Word>& place, Visit&& visit);
  bool complete() const { return remaining_ == 0; }

 private:
  ButterflyNetwork request_;
  std::vector<int> done_;
  Word remaining_;  // butterflies
};

template <class Visit>
void Stages::advance(const std::vector<Word>& place, Visit&& visit) {
  for (bool again = true; again;) {
    again = false;
    for (Word v = 0; v < done_.size(); ++v) {
      if (done_[v] == request_.index_bits) continue;
      const int b = stage_of(request_, done_[v]);
      const Word partner = v ^ bit(b);
      if (has_bit(v, b) || done_[partner] != done_[v] || place[v] != place[partner]) continue;
      visit(v, b);
      ++done_[v];
      ++done_[partner];
      --remaining_;
      again = true;
    }
  }
}

// Throws InternalError if the trajectories do not complete the network.
void emit(const Trajectories& plan, CompiledSink& sink);

}  // namespace faro::inline v1::butterfly
