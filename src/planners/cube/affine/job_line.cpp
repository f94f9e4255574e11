#include "planners/cube/affine/job_line.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.hpp"
#include "planners/cube/affine/job_shop.hpp"

namespace faro::inline v1::jobs {
namespace {

// Rings that are tried beside the natural one where that takes more than one step above a lap.
constexpr int other_orders = 24;

// Dimensions in their natural order: the preference of plans by formula.
std::vector<int> natural(const Task& task) {
  std::vector<int> dimensions(static_cast<std::size_t>(task.n()));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return dimensions;
}

// Where a job begins, what it waits and whether it visits.
struct Start {
  std::uint64_t place = 0;  // where it waits from
  std::uint64_t waits = 0;
  std::optional<Word> visit;  // f
  std::uint64_t cost() const { return waits + (visit ? 1 : 0); }
};

class Ring {
 public:
  Ring(const Task& task, std::vector<int> order, Random* random = nullptr)
      : task_(task),
        order_(std::move(order)),
        type_(type_of(task, order_, random)),
        memory_(memory_column(task, type_)) {
    for (int j = 0; j < task.n(); ++j) columns_.push_back(column(task, type_, j));
  }
  JobPlan plan(std::uint64_t jobs) const;

 private:
  int at(std::size_t place) const { return order_[place % order_.size()]; }
  Word column_of(int dimension) const { return columns_[static_cast<std::size_t>(dimension)]; }
  bool plain(std::size_t place) const;
  std::optional<Word> visit(std::size_t place) const;
  std::vector<Start> starts(std::uint64_t places) const;
  History history(const Start& start, std::uint64_t places) const;

  const Task& task_;
  std::vector<int> order_;
  Type type_;
  Word memory_;
  std::vector<Word> columns_;
};

bool Ring::plain(std::size_t place) const {
  Staircase stairs;
  Word next = memory_;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Word y = stairs.reduced(at(place + k));
    if (parity(y & next) == 0) return false;
    stairs.add(y, next);
    next = column_of(at(place + k));
  }
  return true;
}

std::optional<Word> Ring::visit(std::size_t place) const {
  Staircase stairs;
  Word f = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Word y = stairs.reduced(at(place + 1 + k));
    const int j = at(place + k);
    Word column = column_of(j);
    if (parity(y & column) == 0) {
      if (parity(y & memory_) == 0) return {};
      f |= bit(j);
      column ^= memory_;
    }
    stairs.add(y, column);
  }
  return f;
}

// For every place, the waiting ones too, which walk to place 0.
std::vector<Start> Ring::starts(std::uint64_t places) const {
  std::vector<Start> all(places);
  for (std::uint64_t p = places; p-- > 0;) {
    Start& start = all[p];
    start.place = p;
    if (p >= order_.size() || plain(p)) continue;
    start.visit = visit(p);
    if (start.visit) continue;
    start.waits = 1;
    if (p + 1 == order_.size()) continue;  // on to place 0, over waiting places or not
    start.visit = all[p + 1].visit;
    start.waits += all[p + 1].waits;
  }
  return all;
}

History Ring::history(const Start& start, std::uint64_t places) const {
  History h{.exchanges = {}, .at = {}, .end = start_state(task_, type_)};
  const int n = task_.n();
  const std::size_t from = start.place + start.waits;
  if (start.visit) take(h, n, at(from), {bit(n) | *start.visit, 0}, start.waits);
  for (std::size_t k = start.visit ? 1 : 0; k < order_.size() + (start.visit ? 1U : 0U); ++k) {
    const std::uint64_t place = (from + k) % order_.size();
    const std::uint64_t walked = k == order_.size() ? places : (place + places - from) % places;
    take(h, n, order_[place], start.waits + walked);
  }
  return h;
}

JobPlan Ring::plan(std::uint64_t jobs) const {
  const std::uint64_t places = std::max<std::uint64_t>(order_.size(), jobs);
  std::vector<Start> all = starts(places);
  std::stable_sort(all.begin(), all.end(),
                   [](const Start& a, const Start& b) { return a.cost() < b.cost(); });
  JobPlan plan{.type = type_, .histories = {}, .jobs = {}};
  std::optional<std::size_t> straight;  // the history of those that begin at place 0, moved in time
  for (std::uint64_t x = 0; x < jobs; ++x) {
    const Start& start = all[x];
    const bool from_0 = start.place == 0 || start.place + start.waits >= order_.size();
    if (from_0) {
      if (!straight) {
        straight = plan.histories.size();
        plan.histories.push_back(history({}, places));
      }
      const std::uint64_t offset = start.place == 0 ? 0 : places - start.place;
      plan.jobs.push_back({*straight, offset});
    } else {
      plan.jobs.push_back({plan.histories.size(), 0});
      plan.histories.push_back(history(start, places));
    }
  }
  return plan;
}

}  // namespace

JobPlan ring(const Moved& moved) {
  const Task& task = moved.task;
  std::vector<int> preference = natural(task);
  JobPlan best = Ring(task, order_of(task, task.to_do(), preference)).plan(moved.jobs);
  const auto dimensions = static_cast<std::uint64_t>(std::popcount(task.to_do()));
  const std::uint64_t enough = std::max(dimensions, moved.jobs) + 1;
  Random random(16);
  for (int round = 0; round < other_orders && best.steps() > enough; ++round) {
    if (round == 0)
      std::reverse(preference.begin(), preference.end());
    else
      for (std::size_t i = preference.size(); i > 1; --i)
        std::swap(preference[i - 1], preference[random.below(i)]);
    JobPlan tried = Ring(task, order_of(task, task.to_do(), preference), &random).plan(moved.jobs);
    if (tried.steps() < best.steps()) best = std::move(tried);
  }
  return best;
}

JobPlan one_after_another(const Moved& moved) {
  const Task& task = moved.task;
  JobPlan plan{.type = type_of(task, order_of(task, task.fed(), natural(task))),
               .histories = {},
               .jobs = {}};
  plan.histories.push_back(opened_and_done(task, plan.type));
  const std::uint64_t length = plan.histories[0].at.size();
  for (std::uint64_t x = 0; x < moved.jobs; ++x) plan.jobs.push_back({0, x * length});
  return plan;
}

}  // namespace faro::inline v1::jobs
