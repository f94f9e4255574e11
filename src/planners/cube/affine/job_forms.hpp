// A job in a search: the forms that its dimensions get at last, as masks of q and a alone, so that
// an exchange costs a few operations. All jobs of a type begin alike.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1::jobs {

struct Forms {
  std::array<Word, word_bits> rows{};
  Word left = 0;  // dimensions to exchange for good

  static Forms beginning(const Task& task, const Type& type);
  void change(int n, int d, Word to);
  // Dimensions that a reaches among those left.
  Word fed(int n) const { return reached(rows, left, bit(n)); }
};

// An exchange of dimension d.
struct Taken {
  std::uint64_t at = 0;
  int dimension = 0;
  Word to = 0;        // a form of q and a, where it is not the last value
  bool last = false;  // it is
};
History history_of(const Task& task, const Type& type, const std::vector<Taken>& all);
// The same back, in steps of the whole plan.
std::vector<Taken> taken_by(const JobPlan& plan, const Job& job, int n);

}  // namespace faro::inline v1::jobs
