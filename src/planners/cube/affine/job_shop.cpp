#include "planners/cube/affine/job_shop.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.hpp"
#include "base/working.hpp"

namespace faro::inline v1::jobs {

std::vector<Source> sources_of(const Task& task) {
  const Word unfed = task.to_do() & ~task.fed();
  const Word idle = low_mask(task.n()) & ~task.to_do();
  // before[j]: all dimensions with a path to j, inside what is not fed.
  std::vector<Word> before(static_cast<std::size_t>(task.n()));
  for (Word rest = unfed; rest != 0; rest &= rest - 1) {
    const int j = lowest_bit(rest);
    before[static_cast<std::size_t>(j)] = task.from_processors(j) & unfed;
  }
  for (Word via = unfed; via != 0; via &= via - 1)
    for (Word rest = unfed; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<std::size_t>(lowest_bit(rest));
      if (has_bit(before[j], lowest_bit(via)))
        before[j] |= before[static_cast<std::size_t>(lowest_bit(via))];
    }
  std::vector<Source> sources;
  Word seen = 0;
  for (Word rest = unfed; rest != 0; rest &= rest - 1) {
    const int j = lowest_bit(rest);
    if (has_bit(seen, j)) continue;
    // A source: all that reach j are reached by j.
    const Word group = before[static_cast<std::size_t>(j)];
    bool source = has_bit(group, j);
    for (Word others = group; others != 0; others &= others - 1)
      source = source && has_bit(before[static_cast<std::size_t>(lowest_bit(others))], j);
    if (!source) continue;
    seen |= group;
    Source found{.dimensions = group, .feeding = 0};
    for (Word others = group; others != 0; others &= others - 1)
      found.feeding |= task.from_processors(lowest_bit(others)) & idle;
    sources.push_back(found);
  }
  return sources;
}

namespace {

// A job in a search: the forms that its dimensions get at last, as masks of q and a alone, so that
// an exchange costs a few operations. All jobs of a type begin alike.
struct Running {
  std::array<Word, word_bits> rows{};
  Word left = 0;      // dimensions to exchange for good
  Word opens = 0;     // dimensions to open first
  Word options = 0;   // what it may do next
  int remaining = 0;  // exchanges
  bool touched = false;

  void change(int n, int d, Word to) {
    const Substitution s = substitution(n, d, to);
    for (int j = 0; j < n; ++j) {
      Word& row = rows[static_cast<std::size_t>(j)];
      row = s(row);
    }
  }
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

History history_of(const Task& task, const Type& type, const std::vector<Taken>& all) {
  History h{.exchanges = {}, .at = {}, .end = start_state(task, type)};
  for (const Taken& t : all) {
    if (t.last)
      take(h, task.n(), t.dimension, t.at);
    else
      take(h, task.n(), t.dimension, {t.to, 0}, t.at);
  }
  return h;
}

// By bit of a form the dimensions whose row contains it: what q_k, or a, feeds.
using Columns = std::array<Word, word_bits>;

Columns columns_of(const Running& job, int n) {
  Columns columns{};
  for (int j = 0; j < n; ++j)
    for (Word row = job.rows[static_cast<std::size_t>(j)]; row != 0; row &= row - 1)
      columns[static_cast<std::size_t>(lowest_bit(row))] |= bit(j);
  return columns;
}

// After j has its last value, is all that a reached still reached? Columns are changed as they are
// asked for, and most answers need few of them.
bool safe(const Running& job, const Columns& columns, int n, int j, Word reached_before) {
  const Substitution s = substitution(n, j, job.rows[static_cast<std::size_t>(j)]);
  const Word left = job.left & ~bit(j);
  const auto feeds = [&](int k) {
    Word column = columns[static_cast<std::size_t>(k)];
    if (has_bit(s.for_a, k)) column ^= columns[static_cast<std::size_t>(n)];
    if (has_bit(s.for_q, k)) column ^= columns[static_cast<std::size_t>(j)];
    return column & left;
  };
  const Word wanted = reached_before & ~bit(j);
  Word found = feeds(n);
  for (Word more = found; (found & wanted) != wanted;) {
    if (more == 0) return false;
    const Word fresh = feeds(lowest_bit(more)) & ~found;
    more = (more & (more - 1)) | fresh;
    found |= fresh;
  }
  return true;
}

void find_options(Running& job, int n) {
  job.options = job.opens;
  job.remaining = std::popcount(job.left) + std::popcount(job.opens);
  const Word fed = job.fed(n);
  const Columns columns = columns_of(job, n);
  for (Word rest = job.left; rest != 0; rest &= rest - 1) {
    const int j = lowest_bit(rest);
    if (!has_bit(job.rows[static_cast<std::size_t>(j)], n) || has_bit(job.opens, j)) continue;
    if (safe(job, columns, n, j, fed)) job.options |= bit(j);
  }
}

// Opens d, or gives it its last value.
Taken perform(Running& job, int n, int d, std::uint64_t at) {
  Taken taken{.at = at, .dimension = d};
  if (has_bit(job.opens, d)) {
    taken.to = bit(n);
    job.change(n, d, taken.to);
    job.opens &= ~bit(d);
    job.left |= bit(d);
  } else {
    taken.last = true;
    job.change(n, d, job.rows[static_cast<std::size_t>(d)]);
    job.left &= ~bit(d);
  }
  job.touched = true;
  find_options(job, n);
  return taken;
}

Running beginning(const Task& task, const Type& type) {
  Running job;
  const State state = start_state(task, type);
  for (std::size_t j = 0; j < state.rows.size(); ++j)
    job.rows[j] = state.rows[j].mask & low_mask(task.n() + 1);
  job.left = task.to_do();
  return job;
}

// How a shop is run.
struct Setting {
  int visits = 0;           // exchanges more than needed, a dimension
  std::uint64_t early = 0;  // in so many first steps
  bool few_options_first = false;
};
constexpr std::array<Setting, 5> settings{Setting{0, 0, false}, Setting{1, 1, false},
                                          Setting{1, 1, true}, Setting{2, 2, false},
                                          Setting{2, 1, true}};

class Shop {
 public:
  Shop(const Task& task, const Type& type, const std::vector<Source>& sources, std::uint64_t jobs,
       const Setting& setting, Random& random);
  // False if it would take `most` steps or more.
  bool run(std::uint64_t most);
  std::uint64_t steps() const { return steps_; }
  const std::vector<std::vector<Taken>>& taken() const { return taken_; }

 private:
  void choose_openings(const std::vector<Source>& sources);
  std::vector<std::size_t> jobs_in_order();
  std::vector<int> dimensions_in_order() const;
  bool match(int d, const std::vector<std::size_t>& order);
  void match_all(const std::vector<std::size_t>& order);
  void visit_more(const std::vector<std::size_t>& order);
  bool visit(std::size_t x, int d);

  int n_;
  Setting setting_;
  Random& random_;
  std::vector<Running> jobs_;
  std::vector<std::vector<Taken>> taken_;
  std::vector<std::uint64_t> load_;  // exchanges left, by dimension
  std::vector<int> visits_;
  std::vector<int> dimension_of_;  // by job, in this step; -1: none
  std::vector<bool> asked_;
  std::uint64_t now_ = 0;
  std::uint64_t steps_ = 0;
};

Shop::Shop(const Task& task, const Type& type, const std::vector<Source>& sources,
           std::uint64_t jobs, const Setting& setting, Random& random)
    : n_(task.n()),
      setting_(setting),
      random_(random),
      jobs_(jobs, beginning(task, type)),
      taken_(jobs),
      load_(static_cast<std::size_t>(task.n())),
      visits_(static_cast<std::size_t>(task.n())) {
  for (Word rest = task.to_do(); rest != 0; rest &= rest - 1)
    load_[static_cast<std::size_t>(lowest_bit(rest))] = jobs;
  choose_openings(sources);
  if (sources.empty()) {
    find_options(jobs_[0], n_);
    for (Running& job : jobs_) job = jobs_[0];
  } else {
    for (Running& job : jobs_) find_options(job, n_);
  }
}

// For each job and group the dimension whose load is least afterwards.
void Shop::choose_openings(const std::vector<Source>& sources) {
  for (Running& job : jobs_)
    for (const Source& source : sources) {
      if ((source.feeding & job.opens) != 0) continue;  // opened for another group
      int best = -1;
      std::uint64_t least = 0;
      for (Word rest = source.dimensions | source.feeding; rest != 0; rest &= rest - 1) {
        const int d = lowest_bit(rest);
        const std::uint64_t after =
            load_[static_cast<std::size_t>(d)] + (has_bit(source.feeding, d) ? 2 : 1);
        if (best >= 0 && after >= least) continue;
        best = d;
        least = after;
      }
      job.opens |= bit(best);
      load_[static_cast<std::size_t>(best)] = least;
      // What a bit that stays has reached is not opened again: half exchanged, it would be lost.
      for (const Source& other : sources) {
        if (!has_bit(other.feeding, best)) continue;
        for (Word spared = job.opens & other.dimensions; spared != 0; spared &= spared - 1)
          --load_[static_cast<std::size_t>(lowest_bit(spared))];
        job.opens &= ~other.dimensions;
      }
    }
}

std::vector<std::size_t> Shop::jobs_in_order() {
  std::vector<std::size_t> order;
  std::vector<int> last(jobs_.size());  // whose turn comes late: little left, many options
  for (std::size_t x = 0; x < jobs_.size(); ++x) {
    if (jobs_[x].options == 0) continue;
    order.push_back(x);
    last[x] = (word_bits - jobs_[x].remaining) * (word_bits + 1);
    if (setting_.few_options_first) last[x] += std::popcount(jobs_[x].options);
  }
  random_.mix(order);
  std::stable_sort(order.begin(), order.end(),
                   [&last](std::size_t x, std::size_t y) { return last[x] < last[y]; });
  return order;
}

std::vector<int> Shop::dimensions_in_order() const {
  std::vector<int> order;
  for (int d = 0; d < n_; ++d)
    if (load_[static_cast<std::size_t>(d)] != 0) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
    return load_[static_cast<std::size_t>(a)] > load_[static_cast<std::size_t>(b)];
  });
  return order;
}

// Finds a job for d, moving others to other dimensions if need be.
bool Shop::match(int d, const std::vector<std::size_t>& order) {
  for (const std::size_t x : order) {
    if (asked_[x] || !has_bit(jobs_[x].options, d)) continue;
    asked_[x] = true;
    if (dimension_of_[x] >= 0 && !match(dimension_of_[x], order)) continue;
    dimension_of_[x] = d;
    return true;
  }
  return false;
}

void Shop::match_all(const std::vector<std::size_t>& order) {
  dimension_of_.assign(jobs_.size(), -1);
  for (const int d : dimensions_in_order()) {
    asked_.assign(jobs_.size(), false);
    match(d, order);
  }
}

bool Shop::visit(std::size_t x, int d) {
  Running& job = jobs_[x];
  if (job.touched || dimension_of_[x] >= 0 || !has_bit(job.left & ~job.opens, d)) return false;
  const Word fed = job.fed(n_);
  if (!has_bit(fed, d)) return false;
  for (int attempt = 0; attempt <= n_ + 4; ++attempt) {
    const Word f = attempt == 0    ? 0
                   : attempt <= n_ ? bit(attempt - 1)
                                   : random_.next() & low_mask(n_);
    Running after = job;
    after.change(n_, d, bit(n_) | f);
    if ((after.fed(n_) & fed) != fed) continue;
    after.touched = true;
    find_options(after, n_);
    job = std::move(after);
    taken_[x].push_back({.at = now_, .dimension = d, .to = bit(n_) | f, .last = false});
    dimension_of_[x] = d;
    ++visits_[static_cast<std::size_t>(d)];
    return true;
  }
  return false;
}

// Dimensions that nobody takes in this step.
void Shop::visit_more(const std::vector<std::size_t>& order) {
  Word taken = 0;
  for (const int d : dimension_of_)
    if (d >= 0) taken |= bit(d);
  for (int d = 0; d < n_; ++d) {
    if (has_bit(taken, d) || visits_[static_cast<std::size_t>(d)] >= setting_.visits) continue;
    for (const std::size_t x : order)
      if (visit(x, d)) break;
  }
}

bool Shop::run(std::uint64_t most) {
  for (;; ++now_) {
    still_working();
    std::uint64_t left = 0;
    for (const std::uint64_t load : load_) left = std::max(left, load);
    for (const Running& job : jobs_)
      left = std::max(left, static_cast<std::uint64_t>(job.remaining));
    if (left == 0) break;
    if (now_ + left >= most) return false;
    const std::vector<std::size_t> order = jobs_in_order();
    FARO_CHECK(!order.empty());  // theorem 1
    match_all(order);
    const std::vector<int> chosen = dimension_of_;
    if (now_ < setting_.early) visit_more(order);
    for (std::size_t x = 0; x < jobs_.size(); ++x) {
      if (chosen[x] < 0) continue;
      taken_[x].push_back(perform(jobs_[x], n_, chosen[x], now_));
      --load_[static_cast<std::size_t>(chosen[x])];
    }
  }
  steps_ = now_;
  return true;
}

// The best of several shops for `jobs` jobs of one block.
struct Best {
  Type type;
  std::uint64_t steps = 0;
  std::vector<std::vector<Taken>> taken;
};

// Word operations of a shop, roughly: each exchange of each job looks at every dimension left.
std::uint64_t work_of(const Task& task, std::uint64_t jobs) {
  const auto n = static_cast<std::uint64_t>(std::popcount(task.to_do())) + 1;
  return jobs * n * n * n * 3;
}
constexpr std::uint64_t work_max = std::uint64_t{1} << 26U;
constexpr std::uint64_t types_max = 24;
constexpr std::uint64_t block_max = 512;

Best best_shop(const Moved& moved, std::uint64_t jobs, std::uint64_t enough) {
  const Task& task = moved.task;
  const std::vector<Source> sources = sources_of(task);
  std::vector<int> preference(static_cast<std::size_t>(task.n()));
  std::iota(preference.begin(), preference.end(), 0);
  const std::uint64_t types =
      std::clamp<std::uint64_t>(work_max / (settings.size() * work_of(task, jobs)), 1, types_max);
  Best best;
  for (std::uint64_t k = 0; k < types; ++k) {
    Random random(k);
    if (k > 0) random.mix(preference);
    const Type type = type_of(task, order_of(task, task.fed(), preference),
                              k == 0 || moved.alike ? nullptr : &random);
    for (const Setting& setting : settings) {
      Shop shop(task, type, sources, jobs, setting, random);
      if (!shop.run(best.taken.empty() ? ~std::uint64_t{0} : best.steps)) continue;
      best = {.type = type, .steps = shop.steps(), .taken = shop.taken()};
      if (best.steps <= enough) return best;
    }
  }
  return best;
}

}  // namespace

History opened_and_done(const Task& task, const Type& type) {
  Running job = beginning(task, type);
  for (const Source& source : sources_of(task))
    job.opens |= source.dimensions & (~source.dimensions + 1);
  find_options(job, task.n());
  std::vector<Taken> taken;
  const auto next = [&](int d) { taken.push_back(perform(job, task.n(), d, taken.size())); };
  while (job.opens != 0) next(lowest_bit(job.opens));
  while (job.left != 0) {
    FARO_CHECK(job.options != 0);
    next(lowest_bit(job.options));
  }
  return history_of(task, type, taken);
}

JobPlan shop(const Moved& moved, std::uint64_t enough) {
  const Task& task = moved.task;
  std::uint64_t block = std::min(moved.jobs, block_max);
  while (block > 64 && work_of(task, block) > work_max / settings.size()) block /= 2;
  const Best best = best_shop(moved, block, block == moved.jobs ? enough : block);
  JobPlan plan{.type = best.type, .histories = {}, .jobs = {}};
  for (const std::vector<Taken>& taken : best.taken)
    plan.histories.push_back(history_of(task, best.type, taken));
  for (std::uint64_t x = 0; x < moved.jobs; ++x)
    plan.jobs.push_back({static_cast<std::size_t>(x % block), (x / block) * best.steps});
  return plan;
}

}  // namespace faro::inline v1::jobs
