// A butterfly schedule as it runs on a small cube: which indices lie where after every step with a
// remote move, and which dimensions the pairs of slots use. A result bears the index it belongs to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/service/plan.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1 {

class Motion : public ScheduleSink {
 public:
  // contents[t][processor]: the indices there, ascending.
  std::vector<std::vector<std::vector<Word>>> contents;
  // used[t][slot / 2]: the dimensions that these slots cross in step t, highest first.
  std::vector<std::vector<std::vector<int>>> used;

  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override {}

  // The rows of the processors after step t, bit 0 first. Requires every index at one place, as an
  // affine function of the index.
  std::vector<Parity> rows(std::size_t t) const;

 private:
  using Held = std::optional<Word>;
  bool move(const std::vector<Rule>& rules, std::vector<std::vector<int>>& dimensions);
  void note();

  ButterflyGoal goal_;
  std::size_t jobs_ = 1;
  std::vector<std::vector<Held>> slots_;
};

// On the cube of its processors.
Request request_of(const ButterflyNetwork& network);
// The plan of one planner; one that no verifier says yes to is an InternalError.
MachinePlan judged_plan(const ButterflyNetwork& request, const char* algorithm);
ButterflyGoal goal_of(const MachinePlan& plan);

// The rows after the first `exchanges` exchanges of local conversion: each dimension is exchanged
// once, from the top down, so they are final.
std::vector<butterfly::Form> rows_of_local(const ButterflyNetwork& request, std::size_t exchanges);

// The motion of that plan.
Motion motion_of(const ButterflyNetwork& request, const char* algorithm);

// A row in the letters of the paper: b2 for an index bit, g2 for a bit of the Gray code.
std::string letters(Word mask);

}  // namespace faro::inline v1
