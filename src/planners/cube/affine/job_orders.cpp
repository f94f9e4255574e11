#include "planners/cube/affine/job_orders.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/working.hpp"
#include "planners/cube/affine/job_forms.hpp"
#include "search/route.hpp"

namespace faro::inline v1::jobs {
namespace {

using Price = search::SmallPrice;
using Links = search::RouterIn<Price>;  // a channel is a dimension
using Order = std::vector<Taken>;       // their steps are of no account

// Looks at links of steps in all: near what is enough, and three steps or more above it.
constexpr std::uint64_t looks_near = std::uint64_t{1} << 28U;
constexpr std::uint64_t looks_far = std::uint64_t{1} << 32U;
constexpr std::uint64_t patience = 8000;
constexpr int orders_asked = 8;        // when a job chooses
constexpr std::size_t drawn = 1000;    // orders in advance
constexpr std::size_t visits_max = 3;  // exchanges more than needed that a change may lead to

// Orders of one task and type.
class Orders {
 public:
  Orders(const Task& task, const Type& type, Random& random)
      : n_(task.n()), beginning_(Forms::beginning(task, type)), random_(random) {}

  bool legal(const Order& order) const {
    Forms job = beginning_;
    for (const Taken& taken : order) {
      const Word to = taken.last ? row(job, taken.dimension) : taken.to;
      if (!has_bit(to, n_) || (taken.last && !has_bit(job.left, taken.dimension))) return false;
      exchange(job, taken, to);
    }
    return job.left == 0;
  }

  // An exchange moved elsewhere, seldom one left out or put in. Nothing if none of a few is legal.
  bool change(const Order& order, Order& changed) {
    for (int attempt = 0; attempt < 6; ++attempt) {
      changed = order;
      const std::size_t from = random_.below(order.size());
      const std::size_t to = random_.below(order.size());
      const Taken taken = order[from];
      const std::uint64_t how = random_.below(8);
      if (how == 0 && taken.last) continue;
      if (how != 1) changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(from));
      if (how == 1)
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(to), visit(taken.dimension));
      else if (how != 0)
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(to), taken);
      if (how == 1 && visits(changed) > visits_max) continue;
      if (legal(changed)) return true;
    }
    return false;
  }

  // Legal exchanges at random; with visits to spare also such after which not all is fed, and
  // visits that feed it again. Empty where that ends nowhere.
  Order any(std::uint64_t visits) {
    Forms job = beginning_;
    Order order;
    while (job.left != 0) {
      if (visits > 0 && visits_now(job)) {
        const std::optional<Taken> opening = opening_of(job);
        if (opening) {
          exchange(job, *opening, opening->to);
          order.push_back(*opening);
          --visits;
          continue;
        }
      }
      const int d = exchanged_next(job, visits > 0);
      if (d < 0) return {};
      order.push_back({.dimension = d, .last = true});
      exchange(job, order.back(), row(job, d));
    }
    return order;
  }

 private:
  static Word row(const Forms& job, int d) { return job.rows[static_cast<std::size_t>(d)]; }
  void exchange(Forms& job, const Taken& taken, Word to) const {
    job.change(n_, taken.dimension, to);
    job.left = taken.last ? job.left & ~bit(taken.dimension) : job.left | bit(taken.dimension);
  }
  bool all_fed(const Forms& job) const { return (job.fed(n_) & job.left) == job.left; }
  static std::size_t visits(const Order& order) {
    return static_cast<std::size_t>(
        std::count_if(order.begin(), order.end(), [](const Taken& t) { return !t.last; }));
  }
  Taken visit(int d) {
    const Word form = random_.below(2) == 0 ? 0 : bit(static_cast<int>(random_.below(bits())));
    return {.dimension = d, .to = bit(n_) | form};
  }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(n_); }

  bool visits_now(const Forms& job) {
    const bool some = std::any_of(job.rows.begin(), job.rows.begin() + n_,
                                  [this](Word form) { return has_bit(form, n_); });
    return !some || random_.below(all_fed(job) ? 2 * bits() : 3) == 0;
  }
  std::vector<int> mixed(Word dimensions) {
    std::vector<int> all;
    for (; dimensions != 0; dimensions &= dimensions - 1) all.push_back(lowest_bit(dimensions));
    random_.mix(all);
    return all;
  }
  std::optional<Taken> opening_of(const Forms& job) {
    for (const int d : mixed(job.left)) {
      const Taken tried = visit(d);
      Forms after = job;
      exchange(after, tried, tried.to);
      if (all_fed(after)) return tried;
    }
    return {};
  }
  // Of the legal ones any after which all is fed; with visits to spare also others.
  int exchanged_next(const Forms& job, bool to_spare) {
    const bool fed = all_fed(job);
    for (const int d : mixed(job.left)) {
      if (!has_bit(row(job, d), n_)) continue;
      Forms after = job;
      exchange(after, {.dimension = d, .last = true}, row(job, d));
      if (all_fed(after) || (to_spare && (!fed || random_.below(3) == 0))) return d;
    }
    return -1;
  }

  int n_;
  Forms beginning_;
  Random& random_;
};

class Negotiated {
 public:
  Negotiated(const Task& task, const Type& type, std::vector<Order> taken)
      : n_(static_cast<std::size_t>(task.n())),
        random_(1),
        orders_(task, type, random_),
        taken_(std::move(taken)) {
    std::set<std::vector<int>> known;
    for (std::size_t i = 0; i < 10 * drawn && drawn_.size() < drawn; ++i) {
      Order order = orders_.any(random_.below(3));
      std::vector<int> dimensions;
      for (const Taken& t : order) dimensions.push_back(t.dimension);
      if (!order.empty() && known.insert(std::move(dimensions)).second)
        drawn_.push_back(std::move(order));
    }
  }

  const std::vector<Order>& taken() const { return taken_; }

  // All jobs within so many steps, after so many looks in all at most. False, and nothing changes,
  // if that is not found.
  bool run(std::uint64_t steps, std::uint64_t looks) {
    Links links(std::vector<std::uint16_t>(n_, 1), steps, Links::Beside::steps,
                {.unit = 1, .rounds = {.patience = patience}});
    std::vector<Order> now = taken_;
    std::vector<search::Way> ways(now.size());
    for (std::size_t x = 0; x < now.size(); ++x)
      for (const Taken& t : now[x])
        ways[x].push_back({static_cast<std::uint32_t>(t.at), channel(t)});
    const bool found = links.run(
        ways,
        [&](auto& turn) {
          random_.mix(turn);
          looks_ += n_ * steps / 4 + now.size();
        },
        [&](std::size_t x, search::Way& way) {
          return looks_ <= looks && choose(links, now[x], way);
        });
    if (!found) return false;
    taken_ = std::move(now);
    for (std::size_t x = 0; x < ways.size(); ++x)
      for (std::size_t k = 0; k < ways[x].size(); ++k) taken_[x][k].at = ways[x][k].step;
    return true;
  }

 private:
  static std::uint32_t channel(const Taken& t) { return static_cast<std::uint32_t>(t.dimension); }

  // States of a job with an order: so many exchanges made.
  struct Made {
    struct Next {
      std::size_t from;
    };
    std::size_t exchanges;
    std::size_t size() const { return exchanges + 1; }
    std::size_t crossed(std::size_t made) const { return made; }
    std::array<Next, 1> into(std::size_t made) const { return {Next{made - 1}}; }
  };

  // False if none of the orders that it looks at is short enough.
  bool choose(const Links& links, Order& order, search::Way& way) {
    still_working();
    Order best = order;
    Price least = price_of(links, best, way);
    Order tried;
    search::Way tried_way;
    for (int i = 1; i < orders_asked; ++i) {
      if (drawn_.empty() || i % 2 == 0) {
        if (!orders_.change(order, tried)) continue;
      } else {
        tried = drawn_[random_.below(drawn_.size())];
      }
      const Price price = price_of(links, tried, tried_way);
      if (price > least) continue;  // of equals the last: then changes add up
      least = price;
      std::swap(best, tried);
      std::swap(way, tried_way);
    }
    order = std::move(best);
    return least < search::out_of_reach_in<Price>;
  }

  Price price_of(const Links& links, const Order& order, search::Way& way) {
    if (order.size() <= links.steps()) looks_ += order.size() * links.steps();
    return finder_.find(
        links, Made{order.size()},
        [&](const Made::Next& next) { return channel(order[next.from]); }, way);
  }

  std::size_t n_;
  Random random_;
  Orders orders_;
  std::vector<Order> taken_;  // by job
  std::vector<Order> drawn_;
  std::uint64_t looks_ = 0;
  search::OrderedWays<Price> finder_;
};

}  // namespace

JobPlan negotiated(const Moved& moved, const JobPlan& plan, std::uint64_t enough) {
  const Task& task = moved.task;
  std::vector<Order> taken;
  std::uint64_t steps = 0;
  for (const Job& job : plan.jobs) {
    taken.push_back(taken_by(plan, job, task.n()));
    if (taken.back().empty()) return plan;
    steps = std::max(steps, taken.back().back().at + 1);
  }
  if (steps <= enough) return plan;
  Negotiated search(task, plan.type, std::move(taken));
  bool better = false;
  const std::uint64_t least =
      std::max({enough, moved.jobs, static_cast<std::uint64_t>(std::popcount(task.to_do()))});
  while (steps > enough && search.run(steps - 1, steps > least + 2 ? looks_far : looks_near)) {
    --steps;
    better = true;
  }
  if (!better) return plan;
  JobPlan found{.type = plan.type, .histories = {}, .jobs = {}};
  for (const Order& order : search.taken()) {
    found.jobs.push_back({found.histories.size(), 0});
    found.histories.push_back(history_of(task, plan.type, order));
  }
  return found;
}

}  // namespace faro::inline v1::jobs
