// Jobs for one port on a cube of several.   [faro]
//   applies:  maps of processor bits, K <= 2^12
//   cost:     counted; about the plan's for one port, divided by the ports
//   bound:    machines/bounds
//
//   cube:5,2-ports, K = 4, one pair of elements after another where there is one port
//       elements 0 1    0 1 2 3 4 0
//       elements 2 3    . 0 1 2 3 4 0        dimensions; a step has two at most
//
// A plan for one port that uses one dimension in a step is a job: its dimensions in their order. In
// a step as many jobs go on as there are ports, on different dimensions, those with most left
// first. Mirrors of the plan have other orders; jobs take turns with them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "machines/cube/ports.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/ports/planners.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::uint64_t together_max = 4;   // elements of a job
constexpr int mirrors_tried = 12;           // of a job's plan
constexpr int renamed_dimensions_max = 16;  // more are not renamed: dimensions do not run short
constexpr int shops_tried = 8;              // ways of giving mirrors to jobs
constexpr std::size_t shop_window = 16;     // jobs looked at for a step, and twice the ports

// A plan for one port.
struct Job {
  std::vector<CubeStep> steps;
  std::vector<Word> dimensions;  // of each step, as bits; none: inside processors
  std::uint64_t elements = 0;
  std::uint64_t spare = 0;  // slots beyond its elements'
};

Word dimensions_of(const CubeStep& step) {
  Word dimensions = 0;
  for (const Rule& rule : step.rules)
    if (rule.across != inside) dimensions |= bit(rule.across);
  for (const Move& move : step.moves) dimensions |= move.from_processor ^ move.to_processor;
  return dimensions;
}

std::uint64_t crossings(const Job& job) {
  return static_cast<std::uint64_t>(
      std::count_if(job.dimensions.begin(), job.dimensions.end(), [](Word d) { return d != 0; }));
}

// The plan of a mirror; nothing where a step uses several dimensions.
std::optional<Job> job_for(const mirrors::Mirror& mirror) {
  const std::optional<Offer> plan = cheapest_if_any(mirror.question(), Searching::few);
  if (!plan) return {};
  RecordingSink kept;
  mirror.push(*plan, {}, kept);
  const std::uint64_t elements = mirror.question().elements();
  Job job{.steps = std::move(kept.cube_steps),
          .dimensions = {},
          .elements = elements,
          .spare = kept.header.slots - elements};
  for (const CubeStep& step : job.steps) job.dimensions.push_back(dimensions_of(step));
  if (std::any_of(job.dimensions.begin(), job.dimensions.end(),
                  [](Word d) { return std::popcount(d) > 1; }))
    return {};
  return job;
}

// The shortest plans for so many elements with one port, by the map and its mirrors, of different
// orders.
std::vector<Job> jobs_for(const Request& request, std::uint64_t elements) {
  const int n = processor_bits(request);
  const Request question =
      Request::of(Hypercube{n, Hypercube::Ports::one}, MapGoal{.map = request.map().map}, elements);
  mirrors::Numbered numbered(mirrors::Mirror(question), 1992,
                             mirrors::Numbered::Names::mixed_for_two);
  std::vector<Job> jobs;
  const int tried = n <= renamed_dimensions_max ? mirrors_tried : 2;
  for (int i = 0; i < tried; ++i) {
    std::optional<Job> job = job_for(numbered.next());
    if (!job) continue;
    if (!jobs.empty() && crossings(*job) < crossings(jobs.front())) jobs.clear();
    if (jobs.empty() || (crossings(*job) == crossings(jobs.front()) &&
                         std::none_of(jobs.begin(), jobs.end(), [&job](const Job& other) {
                           return other.dimensions == job->dimensions;
                         })))
      jobs.push_back(std::move(*job));
  }
  return jobs;
}

// A job's next step is done in step `at` of the whole.
struct Turn {
  std::size_t at;
  std::size_t job;
};

struct Shop {
  std::vector<const Job*> jobs;  // of all elements, in the order of their slots
  std::vector<Turn> turns;
  std::size_t steps = 0;
  std::size_t crossing = 0;  // those that use a link
};

// Step after step, those with most left first, until nothing is left.
void run(Shop& shop, int ports) {
  shop.turns.clear();
  shop.steps = shop.crossing = 0;
  std::vector<std::size_t> done(shop.jobs.size());  // steps of each
  std::vector<std::size_t> window;
  std::size_t next = 0;
  const std::size_t most = shop_window + 2 * static_cast<std::size_t>(ports);
  const auto left = [&](std::size_t j) { return shop.jobs[j]->steps.size() - done[j]; };
  while (true) {
    for (; next < shop.jobs.size() && window.size() < most; ++next)
      if (left(next) != 0) window.push_back(next);
    if (window.empty()) return;
    still_working();
    std::stable_sort(window.begin(), window.end(),
                     [&left](std::size_t a, std::size_t b) { return left(a) > left(b); });
    Word used = 0;
    for (const std::size_t j : window) {
      const Word dimension = shop.jobs[j]->dimensions[done[j]];
      if ((used & dimension) != 0) continue;
      if (dimension != 0 && std::popcount(used) == ports) continue;
      used |= dimension;
      shop.turns.push_back({shop.steps, j});
      ++done[j];
    }
    ++shop.steps;
    shop.crossing += used != 0 ? 1 : 0;
    std::erase_if(window, [&left](std::size_t j) { return left(j) == 0; });
  }
}

// Where the slots of jobs lie among all: their elements' in turn, the spare ones from a pool.
class Places {
 public:
  explicit Places(const Shop& shop) : shop_(shop), spare_(shop.jobs.size()) {
    for (const Job* job : shop.jobs) {
      first_.push_back(slots_);
      slots_ += job->elements;
    }
  }
  void start(std::size_t job) {
    for (std::uint64_t i = 0; i < shop_.jobs[job]->spare; ++i) {
      if (free_.empty()) free_.push_back(slots_++);
      spare_[job].push_back(free_.back());
      free_.pop_back();
    }
  }
  void end(std::size_t job) { free_.insert(free_.end(), spare_[job].begin(), spare_[job].end()); }
  Slot at(std::size_t job, Slot slot) const {
    const std::uint64_t elements = shop_.jobs[job]->elements;
    return static_cast<Slot>(slot < elements ? first_[job] + slot : spare_[job][slot - elements]);
  }
  std::uint64_t slots() const { return slots_; }

 private:
  const Shop& shop_;
  std::vector<std::uint64_t> first_;
  std::vector<std::vector<std::uint64_t>> spare_;
  std::vector<std::uint64_t> free_;
  std::uint64_t slots_ = 0;
};

StepSource steps_of(const Shop& shop) {
  std::vector<CubeStep> whole(shop.steps);
  Places places(shop);
  std::vector<std::size_t> done(shop.jobs.size());
  std::vector<std::size_t> ended;  // in this step: their slots are free after it
  std::size_t now = 0;
  for (const Turn& turn : shop.turns) {
    if (turn.at != now) {
      for (const std::size_t job : ended) places.end(job);
      ended.clear();
      now = turn.at;
    }
    if (done[turn.job] == 0) places.start(turn.job);
    CubeStep step = shop.jobs[turn.job]->steps[done[turn.job]++];
    place_slots(step, [&](Slot slot) { return places.at(turn.job, slot); });
    CubeStep& all = whole[turn.at];
    std::move(step.rules.begin(), step.rules.end(), std::back_inserter(all.rules));
    all.moves.insert(all.moves.end(), step.moves.begin(), step.moves.end());
    if (done[turn.job] == shop.jobs[turn.job]->steps.size()) ended.push_back(turn.job);
  }
  return kept_steps(places.slots(), std::move(whole));
}

std::optional<std::string> refusal_beside(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  if (!several_ports(*cube_of(request))) return "it is for cubes of several ports, not all";
  if (request.map().cut && request.map().memory_bits != 0)
    return "elements of a processor have destinations of their own";
  if (request.elements() > limits::ports_beside_elements_max)
    return fmt::format("its steps for {} elements are kept in memory; it takes {}",
                       request.elements(), limits::ports_beside_elements_max);
  return {};
}

Offer offer_beside(const Request& request) {
  const Hypercube cube = *cube_of(request);
  const std::uint64_t elements = request.elements();
  const Count enough = lower_bound(cube, request.map(), elements).value;
  std::vector<std::vector<Job>> by_size(together_max + 1);  // jobs of 1..4 elements
  for (std::uint64_t size = 1; size <= std::min(together_max, elements); ++size)
    by_size[size] = jobs_for(request, size);
  std::optional<Shop> best;
  Random random(1993);
  for (std::uint64_t size = 1; size < by_size.size(); ++size) {
    const std::uint64_t rest = elements % size;
    if (by_size[size].empty() || (rest != 0 && by_size[rest].empty())) continue;
    for (int i = 0; i < shops_tried && !(best && Count{best->crossing} <= enough); ++i) {
      Shop shop;
      const auto add = [&](const std::vector<Job>& jobs) {
        const std::uint64_t which = i == 0   ? 0
                                    : i == 1 ? shop.jobs.size() % jobs.size()
                                             : random.below(jobs.size());
        shop.jobs.push_back(&jobs[which]);
      };
      for (std::uint64_t j = 0; j < elements / size; ++j) add(by_size[size]);
      if (rest != 0) add(by_size[rest]);
      run(shop, ports_of(cube));
      if (!best || shop.crossing < best->crossing) best = std::move(shop);
    }
  }
  if (!best) throw Error(ErrorCode::impossible, "no plan for one port goes dimension by dimension");
  const std::string_view name = ports_side_by_side.name();
  return offer_of(request, name, node_of(name, steps_of(*best), best->crossing), "counted");
}

}  // namespace

const PlannerEntry ports_side_by_side({
    .name = "ports-side-by-side",
    .machine = "cube",
    .title = "plans for one port, of a few elements each, side by side",
    .needs = "several ports, but not all; a map of processor bits, K <= 2^12",
    .cost = "counted; about that of one port, divided by the ports",
    .refusal = refusal_beside,
    .offer = offer_beside,
    .asks_often = true,
    .several_ports = true,
});

}  // namespace faro::inline v1
