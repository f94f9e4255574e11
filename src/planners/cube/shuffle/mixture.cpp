// A simulation, step by step, once for each variant of the rule.
#include "planners/cube/shuffle/mixture.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"
#include "search/matching.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Inner steps of the search over all variants: about a second.
constexpr std::uint64_t search_work_max = std::uint64_t{200} << 20U;

// From here on the lanes of an even cycle of four are faster than pairs of elements.
constexpr std::uint64_t four_lanes_elements_min = 128;

// The rules of thumb that are tried.
enum class First { critical, exchanges, lanes };

struct Variant {
  bool contiguous = false;  // a job inside A1 does nothing else
  bool singles = false;     // A2 instead of A1
  bool ahead = false;       // of A2, one step ahead where it fits
  First first = First::critical;
  std::uint64_t seed = 0;  // of the order among equals and of lanes that become pairs; 0: neither
};

enum class Walking : std::uint8_t { lanes, pairs, singles };

// The rule, one variant of it, simulated until everything has arrived.
class Simulation {
 public:
  Simulation(const Structure& s, const Variant& variant, Count bound)
      : s_(s), variant_(variant), random_(variant.seed), bound_(static_cast<Time>(bound)) {
    choose_walks();
    phase_ = make_phase(s, {.a1_control = control_, .a1_cycles = owned_});
    jobs_ = phase_.jobs(s);
    mask_ = phase_.control_mask();
    const std::size_t tasks = s.chains.size() + s.cycles.size();
    state_.assign(jobs_.size(), std::vector<Progress>(tasks));
    busy_.assign(jobs_.size() * 2, 0);
    for (std::size_t c = 0; c < s.cycles.size(); ++c) {
      left_.push_back(walk_[c] == Walking::pairs ? 0 : jobs_.size() * 2);
      pending_.emplace_back(left_.back(), true);
    }
    last_entry_.assign(s.cycles.size(), std::vector<std::int64_t>(12, -100));
    tracks_.resize(s.cycles.size());
    remaining_.assign(jobs_.size(), static_cast<std::size_t>(s.real_order()) + owned_.size());
    build_machines();
  }

  // Nothing if it is not done after `limit` steps.
  std::optional<Mixture> run(Time limit) {
    for (now_ = 0; !done(); ++now_) {
      if (now_ >= limit) return std::nullopt;
      step();
    }
    const Time end = finish_of(s_, phase_);
    return Mixture{std::move(phase_), end};
  }

 private:
  struct Progress {
    bool started = false;
    bool ended = false;
    int first = 0;  // A1: where it began
    int done = 0;   // operations
  };
  struct Machine {
    std::size_t task = 0;  // chain, or chains + cycle
    int position = 0;
    std::size_t load = 0;  // operations left, twice
  };
  struct Track {
    int position = 0;  // where it is now
    int steps = 0;     // left, with this one
    int width = 1;
  };

  void choose_walks() {
    for (std::size_t c = 0; c < s_.cycles.size(); ++c) {
      const Cycle& cycle = s_.cycles[c];
      const bool lanes = !lanes_of(cycle).empty() &&
                         (cycle.length() < 4 || s_.elements() >= four_lanes_elements_min);
      Walking walk = lanes ? Walking::lanes : variant_.singles ? Walking::singles : Walking::pairs;
      const bool pairs = variant_.seed != 0 && random_.below(4) == 0;
      if (pairs && cycle.length() >= 2) walk = Walking::pairs;
      walk_.push_back(walk);
      if (walk == Walking::pairs) owned_.push_back(static_cast<std::uint16_t>(c));
    }
    if (owned_.empty()) return;
    if (const auto spare = s_.spare()) {
      control_ = *spare;
      return;
    }
    std::size_t shortest = 0;
    for (std::size_t c = 1; c < s_.chains.size(); ++c)
      if (s_.chains[c].length() < s_.chains[shortest].length()) shortest = c;
    control_ = s_.chains[shortest].control;
    shared_chain_ = static_cast<int>(shortest);
  }

  void build_machines() {
    for (std::size_t c = 0; c < s_.chains.size(); ++c)
      for (int i = 0; i < s_.chains[c].length(); ++i) machines_.push_back({c, i, 2 * jobs_.size()});
    for (std::size_t c = 0; c < s_.cycles.size(); ++c)
      if (walk_[c] == Walking::pairs)
        for (int i = 0; i < s_.cycles[c].length(); ++i)
          machines_.push_back(
              {s_.chains.size() + c, i,
               2 * jobs_.size() +
                   2 * jobs_.size() / static_cast<std::size_t>(s_.cycles[c].length())});
  }

  bool is_chain(std::size_t task) const { return task < s_.chains.size(); }
  const Cycle& cycle_of(std::size_t task) const { return s_.cycles[task - s_.chains.size()]; }
  int operations(std::size_t task) const {
    return is_chain(task) ? s_.chains[task].length() : cycle_of(task).length() + 1;
  }

  bool done() const {
    if (std::any_of(left_.begin(), left_.end(), [](std::size_t left) { return left != 0; }))
      return false;
    for (const auto& job : state_)
      for (std::size_t t = 0; t < job.size(); ++t)
        if (exchanged(t) && !job[t].ended) return false;
    return true;
  }
  bool exchanged(std::size_t task) const {
    return is_chain(task) || walk_[task - s_.chains.size()] == Walking::pairs;
  }

  // Sequences that share the control v must not interleave in a job.
  bool shares_control(std::size_t task) const {
    return !is_chain(task) || static_cast<int>(task) == shared_chain_;
  }
  bool locked(std::size_t job, std::size_t task) const {
    if (!shares_control(task)) return false;
    for (std::size_t t = 0; t < state_[job].size(); ++t)
      if (t != task && exchanged(t) && shares_control(t) && state_[job][t].started &&
          !state_[job][t].ended)
        return true;
    return false;
  }

  bool inside_forced(std::size_t job) const {
    if (!variant_.contiguous) return false;
    for (std::size_t t = s_.chains.size(); t < state_[job].size(); ++t)
      if (exchanged(t) && state_[job][t].started && !state_[job][t].ended) return true;
    return false;
  }

  bool free_now(std::size_t element) const { return busy_[element] <= now_; }
  bool job_free(std::size_t job) const { return free_now(2 * job) && free_now(2 * job + 1); }

  bool may_take(const Machine& m, std::size_t job) const {
    const Progress& p = state_[job][m.task];
    if (p.ended || !job_free(job)) return false;
    if (is_chain(m.task)) {
      if (p.done != m.position || inside_forced(job)) return false;
      return p.started || !locked(job, m.task);
    }
    const int length = cycle_of(m.task).length();
    if (p.started) return (p.first + p.done) % length == m.position;
    return !locked(job, m.task) && !inside_forced(job);
  }

  void operate(const Machine& m, std::size_t job) {
    Progress& p = state_[job][m.task];
    if (!p.started) {
      p.started = true;
      p.first = m.position;
    }
    const auto at = static_cast<std::size_t>(m.position);
    Exchange& e = phase_.exchanges.emplace_back(
        is_chain(m.task) ? exchange_of(s_.chains[m.task], at, s_.chains[m.task].control)
                         : exchange_of(cycle_of(m.task), at, control_));
    e.step = now_;
    e.job = jobs_[job];
    if (!is_chain(m.task) && p.done == 0) e.inverted = 0;
    ++p.done;
    p.ended = p.done == operations(m.task);
    --remaining_[job];
    busy_[2 * job] = busy_[2 * job + 1] = now_ + 1;
  }

  void step() {
    order_jobs();
    advance_tracks();
    std::vector<std::pair<std::size_t, int>> families;  // criticality, cycle or -1: exchanges
    families.emplace_back(exchange_load(), -1);
    for (std::size_t c = 0; c < s_.cycles.size(); ++c)
      if (left_[c] != 0) families.emplace_back(cycle_load(c), static_cast<int>(c));
    std::stable_sort(families.begin(), families.end(), [&](const auto& a, const auto& b) {
      if ((a.second < 0) != (b.second < 0)) {
        if (variant_.first == First::exchanges) return a.second < 0;
        if (variant_.first == First::lanes) return b.second < 0;
      }
      return a.first > b.first;
    });
    forced_exchanges();
    for (const auto& [load, cycle] : families) {
      if (cycle < 0)
        match_exchanges();
      else if (walk_[static_cast<std::size_t>(cycle)] == Walking::lanes)
        enter_lanes(static_cast<std::size_t>(cycle));
      else
        enter_tracks(static_cast<std::size_t>(cycle));
    }
  }

  void order_jobs() {
    order_.resize(jobs_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const std::size_t count = jobs_.size();
    if (variant_.seed != 0) {
      ties_.resize(count);
      for (std::uint64_t& t : ties_) t = random_.next();
    }
    const auto tie = [&](std::size_t j) -> std::uint64_t {
      return variant_.seed != 0 ? ties_[j] : 5 * j % count;
    };
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      if (remaining_[a] != remaining_[b]) return remaining_[a] > remaining_[b];
      if (tie(a) != tie(b)) return tie(a) < tie(b);
      return a < b;
    });
  }

  // Operations left on the busiest machine, times two.
  std::size_t exchange_load() {
    std::size_t most = 0;
    for (const Machine& m : machines_) most = std::max(most, m.load);
    return most;
  }

  std::size_t cycle_load(std::size_t c) const {
    const Cycle& cycle = s_.cycles[c];
    const std::size_t left = 2 * left_[c];
    if (walk_[c] == Walking::singles) return left;
    if (cycle.length() == 1) return left;
    if (cycle.even_pair()) return left / 2;
    if (cycle.length() == 4) return 7 * left / 12;
    return cycle.length() == 2 ? 3 * left / 4 : 4 * left / 7;
  }

  void forced_exchanges() {
    taken_.assign(machines_.size(), false);
    if (!variant_.contiguous) return;
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      Machine& machine = machines_[m];
      if (is_chain(machine.task)) continue;
      const int length = cycle_of(machine.task).length();
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        const Progress& p = state_[j][machine.task];
        if (!p.started || p.ended || (p.first + p.done) % length != machine.position) continue;
        if (!job_free(j)) continue;
        operate(machine, j);
        machine.load -= std::min<std::size_t>(machine.load, 2);
        taken_[m] = true;
        break;
      }
    }
  }

  void match_exchanges() {
    std::vector<std::size_t> by_load;
    for (std::size_t m = 0; m < machines_.size(); ++m)
      if (!taken_[m]) by_load.push_back(m);
    std::stable_sort(by_load.begin(), by_load.end(), [&](std::size_t a, std::size_t b) {
      return machines_[a].load > machines_[b].load;
    });
    search::Matching taken(jobs_.size());  // jobs, by machines
    for (const std::size_t m : by_load) {
      taken.add(m, [&](std::size_t machine, auto&& ask) {
        for (const std::size_t j : order_)
          if (may_take(machines_[machine], j) && ask(j)) return;
      });
    }
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (taken.holder(j) == taken.nobody) continue;
      Machine& m = machines_[taken.holder(j)];
      operate(m, j);
      m.load -= std::min<std::size_t>(m.load, 2);
    }
  }

  // The element with most work left that may enter, of the cycle; nothing if there is none.
  std::optional<std::size_t> candidate(std::size_t cycle) const {
    for (const std::size_t j : order_) {
      if (inside_forced(j)) continue;
      for (std::size_t e = 2 * j; e < 2 * j + 2; ++e)
        if (pending_[cycle][e] && free_now(e)) return e;
    }
    return std::nullopt;
  }

  void take(std::size_t cycle, std::size_t element, Time steps) {
    pending_[cycle][element] = false;
    --left_[cycle];
    busy_[element] = now_ + steps;
    if (!pending_[cycle][element ^ 1U])
      remaining_[element / 2] -= static_cast<std::size_t>(s_.cycles[cycle].length());
  }

  Slot slot(std::size_t element) const {
    return static_cast<Slot>(jobs_[element / 2] ^ (element % 2 != 0 ? mask_ : 0));
  }

  // When the elements left could all have ended, if lanes were all that mattered.
  Time least_finish(std::size_t cycle) const {
    const std::vector<LaneForm> lanes = lanes_of(s_.cycles[cycle]);
    for (Time end = now_ + 1;; ++end) {
      std::size_t ended = 0;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const Time from = next_entry(cycle, i, lanes[i]);
        if (from + lanes[i].latency <= end)
          ended += 1 + (end - from - lanes[i].latency) / lanes[i].interval;
      }
      if (ended >= left_[cycle]) return end;
    }
  }
  Time next_entry(std::size_t cycle, std::size_t lane, const LaneForm& form) const {
    const std::int64_t next = last_entry_[cycle][lane] + static_cast<std::int64_t>(form.interval);
    const auto from = static_cast<Time>(std::max<std::int64_t>(next, now_));
    if (!form.phase) return from;
    return from + (*form.phase + form.interval - from % form.interval) % form.interval;
  }

  void enter_lanes(std::size_t cycle) {
    const std::vector<LaneForm> lanes = lanes_of(s_.cycles[cycle]);
    const Time end = std::max(least_finish(cycle), bound_);
    for (std::size_t i = 0; i < lanes.size() && left_[cycle] != 0; ++i) {
      if (next_entry(cycle, i, lanes[i]) != now_ || now_ + lanes[i].latency > end) continue;
      const auto element = candidate(cycle);
      if (!element) return;
      phase_.lanes.push_back(
          {now_, slot(*element), static_cast<std::uint16_t>(cycle), lanes[i].kind, lanes[i].turn});
      last_entry_[cycle][i] = now_;
      take(cycle, *element, lanes[i].latency);
    }
  }

  void advance_tracks() {
    for (std::size_t c = 0; c < tracks_.size(); ++c) {
      for (Track& t : tracks_[c]) {
        t.position = (t.position + 1) % s_.cycles[c].length();
        --t.steps;
      }
      std::erase_if(tracks_[c], [](const Track& t) { return t.steps == 0; });
    }
  }

  bool occupied(std::size_t cycle, int position) const {
    const int length = s_.cycles[cycle].length();
    for (const Track& t : tracks_[cycle])
      for (int i = 0; i < t.width; ++i)
        if ((t.position + i) % length == position % length) return true;
    return false;
  }

  void enter_tracks(std::size_t cycle) {
    const Cycle& c = s_.cycles[cycle];
    const int length = c.length();
    const bool may_ahead = variant_.ahead && length >= 4 && c.distance() < length;
    for (int a = 0; a < length && left_[cycle] != 0; ++a) {
      if (occupied(cycle, a)) continue;
      const auto element = candidate(cycle);
      if (!element) return;
      const bool ahead = may_ahead && !occupied(cycle, a + 1);
      const int steps = ahead ? length - 1 : length;
      if (ahead) {
        phase_.aheads.push_back({.step = now_,
                                 .slot = slot(*element),
                                 .cycle = static_cast<std::uint16_t>(cycle),
                                 .first = static_cast<std::uint8_t>(a)});
      } else {
        Run run{.slot = slot(*element),
                .cycle = static_cast<std::uint16_t>(cycle),
                .first = static_cast<std::uint8_t>(a),
                .steps = {}};
        for (int i = 0; i < length; ++i) run.steps.push_back(now_ + static_cast<Time>(i));
        phase_.runs.push_back(std::move(run));
      }
      tracks_[cycle].push_back({.position = a, .steps = steps, .width = ahead ? 2 : 1});
      take(cycle, *element, static_cast<Time>(steps));
    }
  }

  const Structure& s_;
  Variant variant_;
  Random random_;
  Time bound_;
  Time now_ = 0;
  Phase phase_;
  int control_ = -1;
  int shared_chain_ = -1;
  Word mask_ = 0;
  std::vector<Walking> walk_;
  std::vector<std::uint16_t> owned_;
  std::vector<Slot> jobs_;
  std::vector<Machine> machines_;
  std::vector<std::vector<Progress>> state_;  // [job][task]
  std::vector<std::vector<bool>> pending_;    // [cycle][element]
  std::vector<std::size_t> left_;             // elements of each cycle that walk alone
  std::vector<Time> busy_;                    // by element, 2 * job + label
  std::vector<std::size_t> remaining_;        // work of each job
  std::vector<std::vector<std::int64_t>> last_entry_;
  std::vector<std::vector<Track>> tracks_;
  std::vector<std::size_t> order_;
  std::vector<std::uint64_t> ties_;
  std::vector<bool> taken_;
};

// Variants with a seed, after the fixed ones.
constexpr std::uint64_t seeded_variants = 48;

// The fixed ones, then those with a seed.
std::vector<Variant> variants(std::uint64_t elements) {
  constexpr First all[] = {First::critical, First::exchanges, First::lanes};
  std::vector<Variant> list;
  for (const bool contiguous : {false, true})
    for (const First first : all) list.push_back({.contiguous = contiguous, .first = first});
  if (elements <= 16)
    for (const bool ahead : {false, true})
      for (const First first : all)
        list.push_back({.singles = true, .ahead = ahead, .first = first});
  for (std::uint64_t seed = 1; seed <= seeded_variants; ++seed) {
    Variant v;
    v.seed = seed;
    v.contiguous = seed % 2 == 0;
    v.singles = elements <= 16 && seed % 4 == 3;
    v.first = seed % 3 == 0 ? First::critical : seed % 3 == 1 ? First::exchanges : First::lanes;
    list.push_back(v);
  }
  return list;
}

// Dimensions that move.
std::uint64_t dimensions_of(const Structure& s) {
  return static_cast<std::uint64_t>(s.real_order());
}

// Of one variant: steps times what a step looks at.
std::uint64_t work_of(const Structure& s) {
  return (s.elements() + dimensions_of(s)) * (s.elements() / 2) * (dimensions_of(s) + 4);
}

}  // namespace

bool mixture_fits(const Structure& s) {
  return work_of(s) <= search_work_max;
}

Mixture mixture(const Structure& s, Count bound) {
  FARO_CHECK(s.elements() >= 2);
  std::optional<Mixture> best;
  std::uint64_t spent = 0;
  for (const Variant& variant : variants(s.elements())) {
    spent += work_of(s);
    if (spent > search_work_max) break;
    const Time limit = static_cast<Time>(8 * (s.elements() + dimensions_of(s)) + 16);
    auto made = Simulation(s, variant, bound).run(best ? static_cast<Time>(best->steps) : limit);
    if (made && (!best || made->steps < best->steps)) best = std::move(made);
    if (best && best->steps <= bound) break;
  }
  FARO_CHECK(best.has_value());
  return *std::move(best);
}

}  // namespace faro::inline v1::shuffle
