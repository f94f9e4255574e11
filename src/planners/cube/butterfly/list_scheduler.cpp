// List scheduling of gated chains.   [the plans: Johnsson, Ho 1990; the scheduler: faro]
//
// For what the closed forms do not reach, on small machines: outputs in another code least
// significant bit first, dimensions restored in fewer steps than replication takes, and small K
// where every control bit counts.
//
//   applies:  n >= 1, 2 <= K, at most 2^11 elements, a plan with some number of control bits
//   cost:     what the search finds, never below max(n, K/2) or max(n, K)
//
// Every step, at every processor, the elements that may cross are sorted by urgency and matched
// with the links; partners that meet compute at once. The search tries control bits, priority rules
// and a barrier between passes, then raises the weight of the elements that came last, a fixed
// number of times, and keeps the first shortest plan.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/check.hpp"
#include "base/random.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/gated_chains.hpp"
#include "planners/cube/butterfly/paper_count.hpp"
#include "planners/cube/butterfly/planners.hpp"
#include "planners/cube/butterfly/trajectories.hpp"
#include "search/matching.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

struct Priorities {
  int rule = 0;
  bool barrier = false;  // no second change of a row before all first ones are done
  std::uint64_t seed = 0;
};

// Elements of one class cross the same dimensions for the same changes, and a processor holds one
// of each class at most: what is decided for a class is decided alike at every processor, so that
// arrivals fit.
std::vector<Word> classes_of(const ButterflyNetwork& request, const GatedChains& chains) {
  std::vector<Word> crossings;
  std::vector<Word> masks;
  for (std::size_t d = 0; d < chains.start.size(); ++d) {
    Word row = chains.start[d].mask;
    masks.push_back(row);
    for (const GatedRow& change : chains.changes[d]) {
      crossings.push_back(row ^ change.row.mask);
      row = change.row.mask;
    }
  }
  std::vector<Word> label = reduced_basis(crossings);
  masks.insert(masks.end(), label.begin(), label.end());
  for (int b = request.index_bits - 1; b >= 0; --b) {
    if (reduce(bit(b), reduced_basis(masks)) == 0) continue;
    masks.push_back(bit(b));
    label.push_back(bit(b));
  }
  std::vector<Word> classes(bit(request.index_bits));
  for (Word v = 0; v < classes.size(); ++v) {
    for (const Word mask : label) classes[v] = 2 * classes[v] + parity(mask & v);
  }
  return classes;
}

// The elements crossing step by step, by one rule of priorities.
class ListRun {
 public:
  // `classes` of the elements, and a weight for each class.
  ListRun(const ButterflyNetwork& request, const GatedChains& chains,
          const std::vector<Word>& classes, Priorities priorities,
          const std::vector<std::int64_t>& weights);
  // Where the elements are after each step; nothing if they do not arrive.
  std::optional<std::vector<std::vector<Word>>> run();
  // After a run: when each class made its last crossing.
  const std::vector<std::size_t>& last() const { return last_; }

 private:
  struct Candidate {
    std::int64_t key;
    Word label;  // its class
    Word element;
    Word dimensions;  // that it may cross now
  };
  std::size_t& next(Word v, int d) { return next_[(v * n_) + static_cast<std::size_t>(d)]; }
  Word crossing_dimensions(Word v);
  int deadline(Word v, int d);
  int remaining(Word v);
  std::int64_t key_of(Word v, Word dimensions);
  bool crosses(Word v, int d, std::size_t change) const;
  void step();
  void match(std::vector<Candidate>& here);

  const ButterflyNetwork& request_;
  const GatedChains& chains_;
  const std::vector<Word>& classes_;
  Priorities priorities_;
  const std::vector<std::int64_t>& weights_;
  std::size_t n_;
  std::vector<Word> place_;
  std::vector<std::size_t> next_;  // change of each dimension that each element has before it
  std::vector<std::int64_t> noise_;
  search::Matching matched_;  // dimensions, to candidates
  std::vector<std::size_t> last_;
  std::size_t time_ = 0;
  Word pending_ = 0;  // crossings of first changes still to come, for the barrier
  bool moved_ = false;
  Stages stages_;
};

ListRun::ListRun(const ButterflyNetwork& request, const GatedChains& chains,
                 const std::vector<Word>& classes, Priorities priorities,
                 const std::vector<std::int64_t>& weights)
    : request_(request),
      chains_(chains),
      classes_(classes),
      priorities_(priorities),
      weights_(weights),
      n_(static_cast<std::size_t>(request.processor_bits)),
      place_(bit(request.index_bits)),
      next_(bit(request.index_bits) * n_, 0),
      noise_(bit(request.index_bits)),
      matched_(n_),
      last_(bit(request.index_bits), 0),
      stages_(request) {
  Random random(priorities.seed);
  for (Word v = 0; v < place_.size(); ++v) {
    for (std::size_t d = 0; d < n_; ++d) {
      if (parity(chains.start[d].mask & v) != 0) place_[v] |= Word{1} << d;
      if (crosses(v, static_cast<int>(d), 0)) ++pending_;
    }
  }
  for (auto& noise : noise_) noise = static_cast<std::int64_t>(random.below(16));
}

bool ListRun::crosses(Word v, int d, std::size_t change) const {
  const auto at = static_cast<std::size_t>(d);
  const Word before =
      change == 0 ? chains_.start[at].mask : chains_.changes[at][change - 1].row.mask;
  return parity((before ^ chains_.changes[at][change].row.mask) & v) != 0;
}

// Follows changes that leave v where it is; returns the dimensions that it may cross.
Word ListRun::crossing_dimensions(Word v) {
  Word dimensions = 0;
  for (int d = 0; d < static_cast<int>(n_); ++d) {
    const auto& changes = chains_.changes[static_cast<std::size_t>(d)];
    for (;;) {
      const std::size_t change = next(v, d);
      if (change == changes.size() || changes[change].gate > stages_.done(v)) break;
      if (priorities_.barrier && change > 0 && pending_ > 0) break;
      if (crosses(v, d, change)) {
        dimensions |= bit(d);
        break;
      }
      ++next(v, d);
    }
  }
  return dimensions;
}

// The next stage that waits for v to cross d; the number of stages if none does.
int ListRun::deadline(Word v, int d) {
  const auto at = static_cast<std::size_t>(d);
  const std::size_t change = next(v, d);
  const Word row = change == 0 ? chains_.start[at].mask : chains_.changes[at][change - 1].row.mask;
  const int p = request_.index_bits;
  for (int k = stages_.done(v); k < p; ++k) {
    if (has_bit(row, stage_of(request_, k))) return k;
  }
  return p;
}

int ListRun::remaining(Word v) {
  int count = 0;
  for (int d = 0; d < static_cast<int>(n_); ++d) {
    const auto& changes = chains_.changes[static_cast<std::size_t>(d)];
    for (std::size_t change = next(v, d); change < changes.size(); ++change) {
      if (crosses(v, d, change)) ++count;
    }
  }
  return count;
}

// The least key goes first.
std::int64_t ListRun::key_of(Word v, Word dimensions) {
  int first = request_.index_bits;
  for (Word rest = dimensions; rest != 0; rest &= rest - 1) {
    first = std::min(first, deadline(v, lowest_bit(rest)));
  }
  const std::int64_t due = first;
  const std::int64_t left = remaining(v);
  const std::int64_t done = stages_.done(v);
  const int choices = std::popcount(dimensions);
  std::int64_t key = 0;
  switch (priorities_.rule) {
    case 0:
      key = (due * 64) - (left * 8);
      break;
    case 1:
      key = (due * 16) - (left * 16);
      break;
    case 2:
      key = -(left * 32) + due;
      break;
    case 3:
      key = (due * 64) + (choices * 8) - left;
      break;
    case 4:
      key = (done * 64) - (left * 8);
      break;
    case 5:
      key = (due * 64) + (done * 8) - (left * 4);
      break;
    case 6:
      key = (due * 8) - (left * 32) + (choices * 4);
      break;
    default:
      key = (due * 64) + left;
      break;
  }
  return ((key - weights_[classes_[v]]) * 16) + noise_[classes_[v]];
}

void ListRun::match(std::vector<Candidate>& here) {
  std::sort(here.begin(), here.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.key, a.label) < std::tie(b.key, b.label);
  });
  matched_.clear();
  for (std::size_t c = 0; c < here.size(); ++c)
    matched_.add(c, [&](std::size_t candidate, auto&& ask) {
      for (Word rest = here[candidate].dimensions; rest != 0; rest &= rest - 1)
        if (ask(static_cast<std::size_t>(lowest_bit(rest)))) return;
    });
}

void ListRun::step() {
  std::vector<std::vector<Candidate>> at(Word{1} << n_);
  for (Word v = 0; v < place_.size(); ++v) {
    const Word dimensions = crossing_dimensions(v);
    if (dimensions != 0)
      at[place_[v]].push_back({key_of(v, dimensions), classes_[v], v, dimensions});
  }
  moved_ = false;
  ++time_;
  for (auto& here : at) {
    if (here.empty()) continue;
    match(here);
    for (int d = 0; d < static_cast<int>(n_); ++d) {
      const std::size_t c = matched_.holder(static_cast<std::size_t>(d));
      if (c == search::Matching::nobody) continue;
      const Word v = here[c].element;
      if (next(v, d) == 0) --pending_;
      ++next(v, d);
      place_[v] ^= bit(d);
      last_[classes_[v]] = time_;
      moved_ = true;
    }
  }
}

std::optional<std::vector<std::vector<Word>>> ListRun::run() {
  // No plan worth having takes more steps.
  const std::size_t limit = std::size_t{64} << static_cast<unsigned>(request_.memory_bits());
  const auto ignore = [](Word, int) {};
  stages_.advance(place_, ignore);
  std::vector<std::vector<Word>> places{place_};
  for (;;) {
    step();
    if (!moved_) break;
    if (places.size() > limit) return std::nullopt;
    stages_.advance(place_, ignore);
    places.push_back(place_);
  }
  if (!stages_.complete()) return std::nullopt;
  for (Word v = 0; v < place_.size(); ++v) {
    for (int d = 0; d < static_cast<int>(n_); ++d) {
      if (next(v, d) != chains_.changes[static_cast<std::size_t>(d)].size()) return std::nullopt;
    }
  }
  return places;
}

Count bound_of(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count k = request.elements();
  return std::max(n, memory_first(request) ? ceil_div(k, 2) : k);
}

// Trials after the plain rules; a trial of 2^10 elements takes about a millisecond.
std::size_t trials(const ButterflyNetwork& request) {
  return std::size_t{1} << static_cast<unsigned>(std::clamp(16 - request.index_bits, 5, 9));
}

class Search {
 public:
  // Ends where a plan takes no more than `enough` steps.
  Search(const ButterflyNetwork& request, std::string_view planner, std::vector<GatedChains> all,
         Count enough)
      : request_(request), planner_(planner), all_(std::move(all)), enough_(enough) {}
  std::optional<Trajectories> run();

 private:
  // Keeps the places if they are a shorter plan than the best; true if the bound is met.
  bool keep(const GatedChains& chains, std::optional<std::vector<std::vector<Word>>> places);
  bool squeak(const GatedChains& chains, Priorities priorities);

  const ButterflyNetwork& request_;
  std::string_view planner_;
  std::vector<GatedChains> all_;
  Count enough_;
  std::optional<Trajectories> best_;
};

bool Search::keep(const GatedChains& chains, std::optional<std::vector<std::vector<Word>>> places) {
  if (!places || (best_ && places->size() >= best_->places.size())) return false;
  best_ = Trajectories{request_, planner_, chains.final_rows(), std::move(*places)};
  return best_->places.size() - 1 <= enough_;
}

// Whoever came last goes earlier next time.
bool Search::squeak(const GatedChains& chains, Priorities priorities) {
  const std::vector<Word> classes = classes_of(request_, chains);
  std::vector<std::int64_t> weights(bit(request_.index_bits), 0);
  for (std::size_t trial = 0; trial < trials(request_); ++trial) {
    priorities.seed = trial + 1;
    ListRun tried(request_, chains, classes, priorities, weights);
    if (keep(chains, tried.run())) return true;
    const std::vector<std::size_t>& last = tried.last();
    const std::size_t end = *std::max_element(last.begin(), last.end());
    for (std::size_t v = 0; v < last.size(); ++v) {
      weights[v] = (weights[v] * 7) / 8;
      if (last[v] + 1 >= end) weights[v] += 6;
    }
  }
  return false;
}

std::optional<Trajectories> Search::run() {
  const std::vector<std::int64_t> none(bit(request_.index_bits), 0);
  struct Start {
    std::size_t steps;
    const GatedChains* chains;
    Priorities priorities;
  };
  std::vector<Start> starts;
  for (const GatedChains& chains : all_) {
    const std::vector<Word> classes = classes_of(request_, chains);
    for (const bool barrier : {false, true}) {
      for (int rule = 0; rule < 8; ++rule) {
        const Priorities priorities{rule, barrier, 0};
        auto places = ListRun(request_, chains, classes, priorities, none).run();
        if (!places) continue;
        starts.push_back({places->size(), &chains, priorities});
        if (keep(chains, std::move(places))) return best_;
      }
    }
  }
  // The most promising starts are worked on.
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.steps < b.steps; });
  if (starts.size() > 6) starts.resize(6);
  for (const Start& start : starts)
    if (squeak(*start.chains, start.priorities)) break;
  return best_;
}

// With any number of control bits, most first, and the codes that the output leaves a choice of.
std::vector<GatedChains> all_chains(const ButterflyNetwork& request) {
  std::vector<GatedChains> all;
  const int most = std::min(request.memory_bits(), request.processor_bits);
  for (int controls = most; controls >= 1; --controls)
    for (const Coding coding : {Coding::at_once, Coding::later}) {
      if (coding == Coding::later && request.output == Output::binary) continue;
      if (auto chains = gated_chains(request, controls, coding)) all.push_back(std::move(*chains));
    }
  return all;
}

std::optional<std::string> refusal_list_scheduler(const ButterflyNetwork& request) {
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (request.memory_bits() < 1) return "it needs two elements in a processor";
  if (request.index_bits > limits::butterfly_list_log2_max) {
    return fmt::format("it searches up to 2^{} elements", limits::butterfly_list_log2_max);
  }
  if (request.output == Output::gray_through) return "it ends in binary or Gray code of the field";
  for (int controls = 1; controls <= request.processor_bits; ++controls) {
    for (const Coding coding : {Coding::at_once, Coding::later}) {
      if (gated_chains(request, controls, coding)) return std::nullopt;
    }
  }
  return "no number of control bits makes every stage local";
}

Offer found_list_scheduler(const ButterflyNetwork& request) {
  return list_search(request, list_scheduler.name(), {all_chains(request), bound_of(request)},
                     paper_count(request));
}

}  // namespace

Offer butterfly::list_search(const ButterflyNetwork& request, std::string_view planner,
                             ListedChains chains, std::optional<PaperCount> paper) {
  auto plan = Search(request, planner, std::move(chains.all), chains.enough).run();
  if (!plan) throw Error(ErrorCode::impossible, "its search found no plan");
  const Formula steps{plan->places.size() - 1, "found by search"};
  return offer_of({.cost = steps, .paper = std::move(paper)},
                  [plan = std::make_shared<const Trajectories>(std::move(*plan))](
                      CompiledSink& sink) { emit(*plan, sink); });
}

const PlannerEntry list_scheduler({
    .name = "butterfly-list",
    .machine = networks,
    .title = "list scheduling of any plan, by a search of fixed length",
    .needs = "n >= 1, K >= 2, at most 2^11 elements",
    .cost = "what it finds, at least max(n, K/2) or max(n, K)",
    .citation = "faro, after Johnsson, Ho 1990",
    .refusal = refused<refusal_list_scheduler>,
    .offer = found<found_list_scheduler>,
    .searches = true,
    .computes = true,
});

}  // namespace faro::inline v1
