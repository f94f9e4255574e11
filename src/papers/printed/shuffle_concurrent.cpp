// Figures 5 and 9 in general: some jobs start inside a chain with the spare bit.   [Johnsson, Ho
// 1991: generalized shuffles, Theorems 1 and 2]
//
// The first dimension of every chain is entered by all jobs in turn, one a step at most: first by
// the plain jobs of its own block, then by the block of the chain before, the one before that, ..,
// and last by its own jobs that started inside it. A chain of m dimensions with g groups has two
// jobs each that start at dimensions 2g, 2(g-1), .., 2 (from 0), at steps 0 and 1; the group that
// returns last has least left to do.
//
//   gap c = what its plain jobs may fill; c-1 the chain before:   gap c + 2 g(c-1) >= m(c-1)
//   total = the sum of all gaps and 2g = max(K/2, N), one more if N would leave no idle step: the
//           paper gives v and the chain's own bit one step to change places
//   steps = total + 2 where g >= (m - 3)/2 in every chain, so max(N + 3, K/2 + 2)
#include <algorithm>
#include <numeric>

#include "papers/printed/shuffle.hpp"

namespace faro::inline v1::shuffle {
namespace {

// What one choice of groups comes to.
class Blocks {
 public:
  Blocks(const std::vector<int>& lengths, std::vector<int> groups, std::uint64_t jobs)
      : lengths_(lengths), groups_(std::move(groups)), plain_(lengths.size(), 0) {
    const std::size_t chains = lengths.size();
    Time inside = 0;
    for (const int g : groups_) inside += static_cast<Time>(2 * g);
    for (std::size_t c = 0; c < chains; ++c) {
      const std::size_t before = (c + chains - 1) % chains;
      gaps_.push_back(static_cast<Time>(lengths[before]) - starts(before));
      total_ += gaps_[c] + starts(c);
    }
    const auto wanted = std::max<Time>(static_cast<Time>(jobs), total_ + (inside != 0 ? 1 : 0));
    gaps_.back() += wanted - total_;
    total_ = wanted;
    for (Time left = static_cast<Time>(jobs) - inside; left != 0;)
      for (std::size_t c = 0; c < chains && left != 0; ++c)
        if (plain_[c] < gaps_[c]) {
          ++plain_[c];
          --left;
        }
  }

  std::vector<JobRow> rows() const {
    std::vector<JobRow> rows;
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      for (Time q = 0; q < starts(c); ++q) rows.push_back(inside_row(c, q));
      for (Time q = starts(c); q < starts(c) + plain_[c]; ++q) {
        JobRow row;
        push(row, c, {.first = 0, .last = lengths_[c], .step = q - starts(c)});
        push_others(row, c, q);
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }

  // The end of the last job of each block, by the times of `rows`.
  Count steps() const {
    Time end = 0;
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      const Time size = starts(c) + plain_[c];
      if (groups_[c] != 0) end = std::max(end, total_ + 2);
      if (plain_[c] != 0) end = std::max(end, plain_[c] - 1 + static_cast<Time>(lengths_[c]));
      for (std::size_t i = 1; i < lengths_.size() && size != 0; ++i)
        end = std::max(end, entry(c, i) + size - 1 + static_cast<Time>(length(c + i)));
    }
    return end;
  }

 private:
  struct Part {
    int first = 0;  // dimensions first .. last - 1
    int last = 0;
    Time step = 0;  // of the first
    bool spare = false;
  };

  Time starts(std::size_t c) const { return static_cast<Time>(2 * groups_[c]); }
  int length(std::size_t c) const { return lengths_[c % lengths_.size()]; }

  // When block c, counted from its job 0, enters the i-th chain after its own, i >= 1.
  Time entry(std::size_t c, std::size_t i) const {
    const std::size_t chains = lengths_.size();
    Time step = gaps_[(c + i) % chains];
    for (std::size_t j = 1; j < i; ++j) step += gaps_[(c + j) % chains] + starts((c + j) % chains);
    return step;
  }

  void push(JobRow& row, std::size_t c, const Part& part) const {
    for (int i = part.first; i < part.last; ++i)
      row.push_back(
          {part.step + static_cast<Time>(i - part.first), static_cast<int>(c), i, part.spare});
  }
  void push_others(JobRow& row, std::size_t c, Time q) const {
    for (std::size_t i = 1; i < lengths_.size(); ++i)
      push(row, (c + i) % lengths_.size(),
           {.first = 0, .last = length(c + i), .step = entry(c, i) + q});
  }
  JobRow inside_row(std::size_t c, Time q) const {
    const int at = 2 * (groups_[c] - static_cast<int>(q / 2));
    JobRow row;
    push(row, c, {.first = at, .last = lengths_[c], .step = q % 2, .spare = true});
    push_others(row, c, q);
    push(row, c, {.first = 0, .last = at + 1, .step = total_ - starts(c) + q});
    return row;
  }

  const std::vector<int>& lengths_;
  std::vector<int> groups_;
  std::vector<Time> plain_;  // jobs of each block that start in its first dimension
  std::vector<Time> gaps_;
  Time total_ = 0;
};

// At most `most` groups in a chain, and no more than it can use.
std::vector<int> groups_of(const std::vector<int>& lengths, int most) {
  std::vector<int> groups;
  for (const int m : lengths) groups.push_back(std::min(most, std::max(0, (m - 2) / 2)));
  return groups;
}

}  // namespace

ConcurrentPlan concurrent_plan(const std::vector<int>& lengths, std::uint64_t jobs) {
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  ConcurrentPlan best;
  for (int most = 0; most == 0 || most <= (longest - 2) / 2; ++most) {
    std::vector<int> groups = groups_of(lengths, most);
    const int all = std::accumulate(groups.begin(), groups.end(), 0);
    if (2 * static_cast<std::uint64_t>(all) > jobs) break;
    const Count steps = Blocks(lengths, groups, jobs).steps();
    if (most == 0 || steps < best.steps) best = {.groups = std::move(groups), .steps = steps};
  }
  return best;
}

std::vector<JobRow> concurrent_rows(const std::vector<int>& lengths, std::uint64_t jobs) {
  return Blocks(lengths, concurrent_plan(lengths, jobs).groups, jobs).rows();
}

}  // namespace faro::inline v1::shuffle
