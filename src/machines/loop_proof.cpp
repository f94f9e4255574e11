// Steps as items on runs, and loops by induction.
#include "machines/loop_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/judge.hpp"
#include "machines/loop_items.hpp"
#include "machines/loop_runs.hpp"
#include "schedules/loops.hpp"

namespace faro::inline v1 {
namespace loop_proofs {
namespace {

using Items = std::vector<Item>;

// Laps that a pass speaks of are fewer than 2^32, and slots below 2^48, so forms fit 64 bits.
constexpr std::uint64_t slots_max = std::uint64_t{1} << 48U;

// Residues that all runs are taken apart into, laps that are performed together so that strides fit
// residues, and laps until buffers that rotate are as they were.
constexpr std::int64_t grid_max = 4096;
constexpr std::int64_t unroll_max = 512;
constexpr std::size_t period_max = 64;
constexpr int depth_max = 3;  // of periods within periods

// Fillings of all states that are kept to look for a period.
constexpr std::size_t remembered_max = std::size_t{1} << 19U;

// Loops of so many items in all laps are performed where strides do not fit.
constexpr Count by_hand_max = Count{1} << 18U;

using State = std::vector<Run>;  // in the order of `before`

std::size_t fillings_of(const State& state) {
  std::size_t fillings = state.size();
  for (const Run& run : state) fillings += run.fillings.size();
  return fillings;
}

bool between(Linear& form, const Linear& a, const Linear& b, const Linear& c) {
  if (b.base - a.base != c.base - b.base) return false;
  form = {c.base, c.base - b.base};
  return true;
}

// Linear forms through three states, the last of them at lap 0 of the forms. Starts stay on the
// grid.
std::optional<State> through(const State& a, const State& b, const State& c, std::int64_t grid) {
  if (a.size() != b.size() || b.size() != c.size()) return {};
  State forms = c;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!alike(a[i], b[i]) || !alike(b[i], c[i])) return {};
    Run& form = forms[i];
    if (!between(form.start, a[i].start, b[i].start, c[i].start) ||
        !between(form.count, a[i].count, b[i].count, c[i].count) || form.start.slope % grid != 0)
      return {};
    for (std::size_t k = 0; k < form.fillings.size(); ++k) {
      const std::uint64_t step = c[i].fillings[k].first.base - b[i].fillings[k].first.base;
      if (b[i].fillings[k].first.base - a[i].fillings[k].first.base != step) return {};
      form.fillings[k].first.slope = step;
    }
  }
  return forms;
}

Linear at(Linear x, std::uint64_t lap) {
  return {x.base + x.slope * static_cast<std::int64_t>(lap), 0};
}

// What forms say of one lap; runs that are empty then are left out.
State at(const State& forms, std::uint64_t lap) {
  State state;
  for (const Run& form : forms) {
    Run run{form.home, form.grid, at(form.start, lap), at(form.count, lap), form.fillings};
    for (Filling& filling : run.fillings)
      filling.first = {filling.first.base + filling.first.slope * lap, 0};
    if (run.count.base <= 0) continue;
    state.push_back(part(run, {}, run.count));
  }
  return state;
}

// Forms as they are one lap later.
State later(State forms) {
  for (Run& run : forms) {
    run.start.base += run.start.slope;
    run.count.base += run.count.slope;
    for (Filling& filling : run.fillings) filling.first.base += filling.first.slope;
  }
  std::sort(forms.begin(), forms.end(), before);
  return forms;
}

class LoopProof : public Judge {
 public:
  LoopProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override { take(step); }
  void step(const PopsSlot& slot) override { take(slot); }
  void loop(const CubeLoop& loop) override { take(loop); }
  void loop(const PopsLoop& loop) override { take(loop); }
  void finish() override;

 private:
  template <class Step>
  void take(const Step& step);
  template <class Step>
  void take(const Loop<Step>& loop);
  template <class Step>
  bool count(const Step& step);
  template <class Work>
  void attempt(Work&& work);

  void perform(const std::vector<Items>& body, std::uint64_t lap);
  struct Pace {
    std::int64_t grid = 1;
    std::uint64_t unroll = 1;
  };
  std::optional<Pace> pace_of(const std::vector<Items>& body, std::uint64_t laps) const;
  void repeat(std::uint64_t laps, const std::vector<Items>& body, int depth);
  void repeat_on_grid(std::uint64_t laps, const std::vector<Items>& body, std::int64_t grid,
                      int depth);
  std::uint64_t period_of(const std::vector<State>& seen, std::int64_t grid, std::uint64_t left);
  std::uint64_t induct(const State& forms, const std::vector<Items>& body, std::uint64_t from,
                       std::uint64_t laps);
  std::uint64_t laps_in_range(const std::vector<Items>& body, std::uint64_t laps) const;

  std::optional<LoopItems> items_;
  std::optional<Runs> runs_;
  CostCounter cost_;
  Count performed_ = 0;  // the step that is performed; `step_` is the first of its entry
};

void LoopProof::begin(const ScheduleHeader& header) {
  header_ = header;
  cost_.begin(header);
  attempt([&] {
    if (header.slots > slots_max)
      throw NoClaim{
          fmt::format("{} slots of a processor; at most 2^48 are followed", header.slots)};
    items_.emplace(header);
    runs_.emplace(items_->contents(), header.slots, items_->least(), items_->names());
    runs_->set(items_->beginning());
    runs_->tidy();
  });
}

// What stops the proof becomes the verdict.
template <class Work>
void LoopProof::attempt(Work&& work) {
  if (!tracking()) return;
  try {
    work();
  } catch (const Breach& wrong) {
    verdict_.add({performed_, wrong.rule, wrong.message, wrong.at});
  } catch (const NoClaim& none) {
    give_up("{}", none.why);
  }
}

// Cost is counted of steps that the machine could perform.
template <class Step>
bool LoopProof::count(const Step& step) {
  return items_ && items_->fits(step);
}

template <class Step>
void LoopProof::take(const Step& step) {
  if (count(step)) cost_.step(step);
  performed_ = step_;
  attempt([&] {
    const Items items = items_->of(step, std::vector<Advance>(items_of(step)));
    runs_->perform(items, 0);
    runs_->tidy();
  });
  ++step_;
}

template <class Step>
void LoopProof::take(const Loop<Step>& loop) {
  const bool counted = std::all_of(loop.body.begin(), loop.body.end(),
                                   [&](const auto& entry) { return count(entry.first); });
  if (counted) cost_.loop(loop);
  performed_ = step_;
  attempt([&] {
    std::vector<Items> body;
    std::optional<Breach> wrong;
    for (const auto& entry : loop.body) {
      if (entry.advances.size() != items_of(entry.first))
        throw Breach{
            "shape", "a step of a loop whose advances are not one for each rule and move", {}};
      try {
        body.push_back(items_->of(entry.first, entry.advances));
      } catch (const Breach& here) {
        wrong = here;
        break;
      }
    }
    if (wrong) {
      // What comes before it in the first lap may be wrong first.
      perform(body, 0);
      throw *wrong;
    }
    const std::uint64_t good = laps_in_range(body, loop.laps);
    repeat(good, body, 0);
    performed_ = step_ + Count{good} * body.size();
    if (good < loop.laps) perform(body, good);
  });
  step_ += Count{loop.body.size()} * loop.laps;
}

// The first laps in which all slots are there.
std::uint64_t LoopProof::laps_in_range(const std::vector<Items>& body, std::uint64_t laps) const {
  const auto in_range = [&](std::int64_t slot, std::int64_t by) {
    if (std::cmp_greater_equal(slot, header_.slots)) {
      laps = 0;
    } else if (by != 0) {
      const std::uint64_t pace =
          by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
      const std::uint64_t room = by < 0 ? static_cast<std::uint64_t>(slot)
                                        : header_.slots - 1 - static_cast<std::uint64_t>(slot);
      laps = std::min(laps, room / pace + 1);
    }
  };
  for (const Items& items : body)
    for (const Item& item : items) {
      in_range(item.from, item.from_by);
      in_range(item.to, item.to_by);
    }
  return laps;
}

// One lap; `performed_` is its first step and afterwards that of the next.
void LoopProof::perform(const std::vector<Items>& body, std::uint64_t lap) {
  for (const Items& items : body) {
    runs_->perform(items, lap);
    performed_ += 1;
  }
  runs_->tidy();
}

// The body `times` over as one body, as of lap `from`.
std::vector<Items> several(const std::vector<Items>& body, std::uint64_t from,
                           std::uint64_t times) {
  std::vector<Items> all;
  for (std::uint64_t u = from; u < from + times; ++u)
    for (const Items& items : body) {
      all.push_back(items);
      for (Item& item : all.back()) {
        item.from += item.from_by * static_cast<std::int64_t>(u);
        item.to += item.to_by * static_cast<std::int64_t>(u);
        item.from_by *= static_cast<std::int64_t>(times);
        item.to_by *= static_cast<std::int64_t>(times);
      }
    }
  return all;
}

// The first lap, of those from `from` on, before which the forms are not proved, given that they
// hold at `from`; it is the state.
std::uint64_t LoopProof::induct(const State& forms, const std::vector<Items>& body,
                                std::uint64_t from, std::uint64_t laps) {
  std::uint64_t last = laps - 1;
  const Count first_step = performed_;
  while (last > from) {
    runs_->over(last - from);
    runs_->set(forms);
    performed_ = first_step;
    try {
      for (const Run& form : forms)
        if (runs_->sign(form.count) <= 0) throw Split{0};
      perform(body, from);
      if (runs_->sorted() != later(forms)) break;
      runs_->over(0);
      runs_->set(at(forms, last + 1 - from));
      runs_->tidy();
      performed_ = first_step + Count{last + 1 - from} * body.size();
      return last + 1;
    } catch (const Split& split) {
      if (split.lap == 0) break;
      last = from + split.lap - 1;
    }
  }
  runs_->over(0);
  runs_->set(at(forms, 0));
  performed_ = first_step;
  return from;
}

// Residues that a body's slots are taken apart into, and how many laps make a multiple of them.
// Nothing where strides do not fit one another and the runs there are.
std::optional<LoopProof::Pace> LoopProof::pace_of(const std::vector<Items>& body,
                                                  std::uint64_t laps) const {
  std::set<std::int64_t> strides;
  for (const Items& step : body)
    for (const Item& item : step)
      for (const std::int64_t by : {item.from_by, item.to_by})
        if (by != 0 && laps > 1) strides.insert(by < 0 ? -by : by);
  std::int64_t grid = items_->least();
  for (const std::int64_t stride : strides) {
    const std::int64_t more = stride / std::gcd(grid, stride);
    if (more > grid_max / grid) return {};
    grid *= more;
  }
  const std::int64_t common = runs_->common_grid(grid, grid_max).value_or(0);
  if (common == 0) return {};
  std::int64_t unroll = 1;
  for (const std::int64_t stride : strides) {
    unroll = std::lcm(unroll, common / stride);
    if (unroll > unroll_max) return {};
  }
  return Pace{common, static_cast<std::uint64_t>(unroll)};
}

// Performs the laps of a loop. `performed_` is their first step.
void LoopProof::repeat(std::uint64_t laps, const std::vector<Items>& body, int depth) {
  if (laps == 0) return;
  const auto pace = pace_of(body, laps);
  if (!pace || (pace->unroll > 1 && laps < 4 * pace->unroll)) {
    Count items = body.size();
    for (const Items& step : body) items += step.size();
    if (!pace && items * laps > by_hand_max)
      throw NoClaim{"the strides of a loop do not fit one another"};
    for (std::uint64_t lap = 0; lap < laps; ++lap) perform(body, lap);
    return;
  }
  runs_->regrid(pace->grid);
  const std::uint64_t wide_laps = laps / pace->unroll;
  repeat_on_grid(wide_laps, pace->unroll == 1 ? body : several(body, 0, pace->unroll), pace->grid,
                 depth);
  for (std::uint64_t lap = wide_laps * pace->unroll; lap < laps; ++lap) perform(body, lap);
  runs_->coalesce();
}

// After how many laps the state is the same again, gone on; 0 if no number is known.
std::uint64_t LoopProof::period_of(const std::vector<State>& seen, std::int64_t grid,
                                   std::uint64_t left) {
  runs_->spend(1 + fillings_of(seen.back()) / 8);
  for (std::size_t q = 2; q <= period_max && 2 * q < seen.size() && left >= 3 * q; ++q) {
    const auto last = static_cast<std::ptrdiff_t>(seen.size()) - 1;
    const auto ago = [&](std::size_t laps) -> const State& {
      return seen[static_cast<std::size_t>(last) - laps];
    };
    if (through(ago(2 * q), ago(q), ago(0), grid)) return q;
  }
  return 0;
}

// The same where all strides are multiples of the grid.
void LoopProof::repeat_on_grid(std::uint64_t laps, const std::vector<Items>& body,
                               std::int64_t grid, int depth) {
  std::vector<State> seen;
  std::size_t remembered = 0;
  for (std::uint64_t t = 0; t < laps;) {
    if (seen.size() >= 3 && laps - t >= 2) {
      const auto end = seen.end();
      if (const auto forms = through(end[-3], end[-2], end[-1], grid)) {
        const std::uint64_t proved = induct(*forms, body, t, laps);
        if (proved > t) {
          t = proved;
          seen.clear();
          remembered = 0;
          continue;
        }
      } else if (const std::uint64_t period =
                     depth < depth_max ? period_of(seen, grid, laps - t) : 0;
                 period != 0) {
        const std::uint64_t times = (laps - t) / period;
        repeat(times, several(body, t, period), depth + 1);
        for (t += times * period; t < laps; ++t) perform(body, t);
        return;
      }
    }
    if (seen.empty()) seen.push_back(runs_->sorted());
    perform(body, t++);
    seen.push_back(runs_->sorted());
    const std::size_t fillings = fillings_of(seen.back());
    runs_->spend(1 + fillings / 4);
    remembered += fillings;
    while (seen.size() > 2 * period_max + 1 || (seen.size() > 3 && remembered > remembered_max)) {
      remembered -= std::min(remembered, fillings_of(seen.front()));
      seen.erase(seen.begin());
    }
  }
}

void LoopProof::finish() {
  verdict_.cost = cost_.cost();
  performed_ = step_;
  if (items_) verdict_.expected = items_->expected();
  attempt([&] {
    Breach wrong;
    verdict_.delivered = items_->delivered(*runs_, wrong);
    if (verdict_.delivered != verdict_.expected) throw wrong;
  });
  if (verdict_.answer != Verdict::Answer::unprovable) judge_claims();
}

}  // namespace
}  // namespace loop_proofs

std::unique_ptr<Verifier> loop_proof() {
  return loop_proofs::follow_first(std::make_unique<loop_proofs::LoopProof>());
}

}  // namespace faro::inline v1
