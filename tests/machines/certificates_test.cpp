// Certificates of bounds: those that the library makes are accepted, those that say more are not,
// and no bound is above what a search of everything finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "faro/base/error.hpp"
#include "faro/planners/planner.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "machines/certificates/check.hpp"
#include "maps.hpp"
#include "schedules/machine_kind.hpp"

namespace faro {
namespace {

using certificates::BoundCheck;
using certificates::check_bound;
using BoundAnswer = Verdict::BoundAnswer;

Bound bound_of(const Request& request) {
  if (request.is_map()) return lower_bound(request.machine(), request.map(), request.elements());
  return lower_bound(request.machine(), request.destinations(), request.elements());
}

ScheduleHeader header_of_bound(const Request& request) {
  ScheduleHeader header;
  header.machine = request.machine();
  header.elements = request.elements();
  header.slots = request.elements();
  if (request.is_map()) {
    header.goal = request.map();
  } else {
    MovesGoal goal;
    const auto& to = request.destinations();
    for (Word p = 0; p < to.size(); ++p)
      for (std::uint64_t s = 0; s < request.elements(); ++s)
        goal.moves.push_back({p, static_cast<Slot>(s), to[p], static_cast<Slot>(s)});
    header.goal = std::move(goal);
  }
  header.bound = bound_of(request);
  return header;
}

std::string kind_of_certificate(const Bound& bound) {
  static const char* const names[] = {"none",    "distance", "cut",     "slab",          "port",
                                      "weights", "dual",     "traffic", "displacements", "pair",
                                      "group",   "hops",     "rank",    "arrivals"};
  return names[bound.certificate.index()];
}

// What was judged, by kind.
struct Census {
  std::map<std::string, int> checked;
  int claimed = 0;

  // Accepts the bound as it is and nothing above it.
  void judge(ScheduleHeader header, const std::string& what) {
    const Bound& bound = *header.bound;
    const BoundCheck check = check_bound(header);
    EXPECT_FALSE(check.refuted) << what << ": " << to_string(bound.value) << ", " << bound.reason
                                << ": " << check.refuted.value_or("");
    if (bound.value == 0) return;
    if (check.answer != BoundAnswer::checked) {
      ++claimed;
      return;
    }
    ++checked[kind_of_certificate(bound)];
    ++header.bound->value;
    const BoundCheck more = check_bound(header);
    // A certificate may prove more than its bound claims, never without end.
    header.bound->value = Count{1} << 100;
    EXPECT_TRUE(check_bound(header).refuted) << what;
    EXPECT_TRUE(more.refuted || !tight(bound)) << what << ": " << bound.reason;
  }
  static bool tight(const Bound& bound) {
    return std::holds_alternative<certificate::Distance>(bound.certificate) ||
           std::holds_alternative<certificate::Dual>(bound.certificate);
  }
};

MapGoal random_goal(int processors, int memory, Random& random) {
  const int width = processors + memory;
  BitMap map;
  switch (random.below(4)) {
    case 0:
      map = testing::random_affine(width, random);
      break;
    case 1:
      map = BitMap::from_places(testing::random_places(width, random),
                                random.next() & low_mask(width));
      break;
    case 2:
      map = testing::rotation(width, 1 + static_cast<int>(random.below(3)));
      break;
    default: {
      std::vector<Word> columns;  // Gray code to binary on some of the top bits, or back
      const int low = static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
      for (int b = 0; b < width; ++b) columns.push_back(b < low ? bit(b) : bit_range(low, b));
      map = BitMap::from_columns(columns);
      if (random.below(2) == 0) map = map.inverse();
    }
  }
  return {.map = map, .cut = memory > 0, .memory_bits = memory};
}

Machine random_machine(int bits, Random& random) {
  const int low =
      bits == 0 ? 0 : static_cast<int>(random.below(static_cast<std::uint64_t>(bits) + 1));
  switch (random.below(9)) {
    case 0:
    case 1:
      return Hypercube{.dimensions = bits};
    case 2:
      return Hypercube{.dimensions = bits, .ports = Hypercube::Ports::one};
    case 3:
      return Mesh{.sides_log2 = {bits - low, low}};
    case 4:
      return Mesh{.sides_log2 = {bits - low, low},
                  .wrap = random.below(2) == 0 ? Mesh::Wrap::orthogonal : Mesh::Wrap::propagating};
    case 5:
      return Mesh{.sides_log2 = {bits - low, low},
                  .wrap = random.below(2) == 0 ? Mesh::Wrap::orthogonal : Mesh::Wrap::none,
                  .links = Mesh::Links::all};
    case 6:
      return Crossbar{.bits = bits};
    case 7:
      if (low == 0 || low == bits) return Crossbar{.bits = bits};
      return Crossbar{.bits = bits, .tiers = {{.processors_log2 = low, .up_log2 = low / 2}}};
    default:
      return Pops{.group_size = bit(low), .groups = bit(bits - low)};
  }
}

TEST(Certificates, those_of_random_maps_are_accepted_on_every_machine) {
  Random random(31);
  Census census;
  const int trials = testing::full_run() ? 20000 : testing::sanitized() ? 800 : 1500;
  for (int trial = 0; trial < trials; ++trial) {
    const int bits = 1 + static_cast<int>(random.below(5));
    const Machine machine = random_machine(bits, random);
    const bool takes_memory = std::holds_alternative<Hypercube>(machine) ||
                              std::holds_alternative<Crossbar>(machine) ||
                              kind_of(machine).value(Cost{.steps = 1}) == 1;
    const int memory = takes_memory ? static_cast<int>(random.below(3)) : 0;
    const MapGoal goal = random_goal(bits, memory, random);
    const std::uint64_t elements = memory > 0 ? bit(memory) : 1 + random.below(9);
    const Request request = Request::of(machine, goal, elements);
    ScheduleHeader header = header_of_bound(request);
    if (const auto* mesh = std::get_if<Mesh>(&machine);
        mesh != nullptr && mesh->links == Mesh::Links::one_route)
      header.bound = bound_of(request.with_elements(1));
    census.judge(header, request.text());
  }
  EXPECT_EQ(census.claimed, 0);
  for (const char* kind :
       {"distance", "cut", "slab", "port", "weights", "dual", "traffic", "displacements", "pair"})
    EXPECT_GT(census.checked[kind], 0) << kind;
}

TEST(Certificates, those_of_random_lists_are_accepted) {
  Random random(32);
  Census census;
  for (int trial = 0; trial < 600; ++trial) {
    const int bits = 1 + static_cast<int>(random.below(4));
    const bool odd = random.below(3) == 0;
    const Machine machine =
        odd ? Machine(Pops{.group_size = 1 + random.below(9), .groups = 1 + random.below(5)})
            : random_machine(bits, random);
    const auto n = static_cast<std::uint64_t>(processors(machine));
    const bool many = std::holds_alternative<Hypercube>(machine);
    const Request request =
        Request::of(machine, Destinations{testing::random_permutation(n, random)},
                    many ? 1 + random.below(5) : 1);
    census.judge(header_of_bound(request), "a list");
  }
  EXPECT_EQ(census.claimed, 0);
  for (const char* kind : {"distance", "cut", "displacements", "pair", "weights"})
    EXPECT_GT(census.checked[kind], 0) << kind;
}

// Groups 0 and 1 exchange all with 2 and 3, evenly: 32 data over four couplers take eight slots,
// where two of the four groups, or the hops of any pair, leave room for less.
TEST(Certificates, a_cut_between_sets_of_groups) {
  constexpr Word d = 16;
  std::vector<Word> to(4 * d);
  for (Word p = 0; p < to.size(); ++p)
    to[p] = (p / (2 * d) == 0 ? 2 * d : 0) + p % 2 * d + p % (2 * d) / 2;
  const Request request = Request::of(Pops{d, 4, false}, Destinations{to});
  const ScheduleHeader header = header_of_bound(request);
  EXPECT_EQ(to_string(header.bound->value), "8");
  EXPECT_EQ(header.bound->reason, "what leaves a set of groups");
  Census census;
  census.judge(header, "halves");
  EXPECT_EQ(census.checked["weights"], 1);
}

TEST(Certificates, the_rates_of_codes_and_cycles_are_checked_on_large_cubes) {
  Census census;
  for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one})
    for (int length = 2; length <= 9; ++length)
      for (const std::uint64_t elements : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 31U, 100U, 1000000U})
        for (const bool back : {false, true}) {
          constexpr int n = 60;
          std::vector<Word> columns;
          std::vector<int> places(n);
          for (int b = 0; b < n; ++b) {
            columns.push_back(b < n - length ? bit(b) : bit_range(n - length, b));
            places[static_cast<std::size_t>(b)] = b < n - length ? b
                                                  : b + 1 < n    ? b + 1
                                                                 : n - length;
          }
          const BitMap code = BitMap::from_columns(columns);
          const Word flips = (elements % 4) << 57U;
          for (const BitMap& map :
               {back ? code.inverse() : code, BitMap::from_places(places, flips)}) {
            const Request request = Request::of(Hypercube{.dimensions = n, .ports = ports},
                                                MapGoal{.map = map}, elements);
            census.judge(header_of_bound(request), request.text());
          }
        }
  EXPECT_EQ(census.claimed, 0);
  EXPECT_GT(census.checked["dual"], 200);
  EXPECT_GT(census.checked["port"], 50);
}

// --- What must be refused ----------------------------------------------------------------------

ScheduleHeader header_of_words(const char* map, const char* machine, std::uint64_t elements) {
  return header_of_bound(Request::of(map, machine, elements));
}

bool refused(const ScheduleHeader& header) {
  return check_bound(header).refuted.has_value();
}

// None of these proves what the header claims.
void expect_refused(ScheduleHeader header, const std::vector<Certificate>& others) {
  for (std::size_t i = 0; i < others.size(); ++i) {
    header.bound->certificate = others[i];
    EXPECT_TRUE(refused(header)) << "certificate " << i;
  }
}

TEST(Certificates, a_bound_where_nothing_moves_is_false_whatever_proves_it) {
  for (const char* machine : {"cube:3", "mesh:2x4", "mesh:2x4,all-links", "pops:4,2", "ranks:8"}) {
    ScheduleHeader header = header_of_words("i:3 -> i", machine, 1);
    EXPECT_FALSE(refused(header));
    header.bound = Bound{2, "Theorem: ...", {}};
    EXPECT_TRUE(refused(header)) << machine;
  }
}

TEST(Certificates, words_alone_are_claimed) {
  ScheduleHeader header = header_of_words("a:3 -> ungray(a)", "cube:3", 10);
  header.bound->certificate = {};
  const BoundCheck check = check_bound(header);
  EXPECT_EQ(check.answer, BoundAnswer::claimed);
  EXPECT_EQ(check.why, "it has no certificate");
  EXPECT_FALSE(check.refuted);
}

TEST(Certificates, of_cubes_have_mutants_that_are_refused) {
  using namespace certificate;
  // Elements that are nearer, have no goal, or cuts where less leaves.
  const ScheduleHeader code = header_of_words("a:3 -> ungray(a)", "cube:3", 10);
  ASSERT_EQ(code.bound->value, 7);
  expect_refused(code, {Distance{4, 0}, Distance{8, 0}, Distance{4, 10}, Cut{{{1, 0}}},
                        Cut{{{8, 0}}}, Port{4, Way::out}, Traffic{}, Weights{{{0, 1, 1}}}, Hops{},
                        Displacements{{std::nullopt}}});
}

// Any weight changed by enough, a step more or fewer, other dimensions.
TEST(Certificates, weights_that_are_no_dual_solution_are_refused) {
  using certificate::Dual;
  const ScheduleHeader code = header_of_words("a:3 -> ungray(a)", "cube:3", 10);
  testing::Judged judged(20);
  const auto& dual = std::get<Dual>(code.bound->certificate);
  for (std::size_t phase = 0; phase < dual.phases.size(); ++phase)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t node = 0; node < 8; ++node) {
        Dual heavier = dual;
        heavier.phases[phase].links[i][node] += 1000;
        expect_refused(code, {heavier});
        ++judged;
      }
  std::vector<Certificate> others;
  for (const int more : {1, -1}) {
    Dual other = dual;
    other.phases.front().steps += static_cast<std::uint64_t>(more);
    others.emplace_back(other);
  }
  for (const std::vector<int>& onto : {std::vector{1, 0, 2}, {0, 0, 2}, {0, 1, 3}, {0, 1}}) {
    others.emplace_back(dual);
    std::get<Dual>(others.back()).onto = onto;
  }
  expect_refused(code, others);
  // Ports that weigh less than the links at them.
  ScheduleHeader one_port = header_of_words("a:3 -> ungray(a)", "cube:3,one-port", 10);
  ASSERT_TRUE(std::holds_alternative<Dual>(one_port.bound->certificate));
  for (auto& port : std::get<Dual>(one_port.bound->certificate).phases[0].ports) port /= 2;
  EXPECT_TRUE(refused(one_port));
}

// A slab and weights where less must leave; a coupler that is none.
TEST(Certificates, of_meshes_stars_and_switches_have_mutants_that_are_refused) {
  using namespace certificate;
  const ScheduleHeader links = header_of_words("i:4 -> rev(i)", "mesh:4x4,all-links", 9);
  expect_refused(links, {Slab{0, 0, 0}, Slab{0, 0, 3}, Slab{2, 0, 1}, Weights{{{0, 1, 1}}},
                         Weights{{{0, 5, 1}}}, Weights{}});
  const ScheduleHeader routes = header_of_words("i:4 -> rev(i)", "mesh:4x4", 1);
  expect_refused(routes, {Displacements{{std::nullopt}},
                          Displacements{{std::vector<Word>{0}, std::vector<Word>{0}}},
                          Displacements{{std::vector<Word>{16}, std::nullopt}}});
  const ScheduleHeader pops = header_of_words("i:4 -> rev(i)", "pops:8,2", 1);
  expect_refused(pops, {Distance{1, 0}, Pair{1, 2}, Port{1, Way::in}, Group{2, Way::out},
                        Weights{{{0, 2, 1}}}});
  const ScheduleHeader ranks = header_of_words("a:2 | m:2 -> m | a", "ranks:4", 4);
  expect_refused(ranks, {Distance{1, 0}, Port{7, Way::out}});
  const ScheduleHeader tree = header_of_words("i:4 -> rev(i)", "fat-tree:4x4,up=1", 1);
  ASSERT_TRUE(std::holds_alternative<Cut>(tree.bound->certificate));
  expect_refused(tree, {Cut{{{4, 0}}}, Cut{{{4, 0}, {8, 0}, {1, 0}}}, Cut{{{16, 1}}}, Cut{}});
}

// A certificate of one goal is none of another.
TEST(Certificates, for_another_goal_are_refused) {
  const ScheduleHeader code = header_of_words("a:3 -> ungray(a)", "cube:3", 10);
  ScheduleHeader other = header_of_words("a:3 -> a[2:1] ~a[0]", "cube:3", 10);
  ASSERT_EQ(other.bound->value, 10);
  other.bound = code.bound;
  EXPECT_TRUE(refused(other));
}

// --- The true optimum --------------------------------------------------------------------------

using Positions = std::vector<int>;

// Where elements may be a step later; each is in one processor at a time, which loses nothing where
// nothing is computed.
void each_step(const std::vector<std::vector<int>>& neighbours, bool one_port, const Positions& at,
               const std::function<void(const Positions&)>& visit) {
  Positions moved = at;
  std::set<std::pair<int, int>> used;
  const auto port_free = [&](int p, int q) {
    for (const auto& [a, b] : used)
      if ((a == p || b == p || a == q || b == q) && !((a == p && b == q) || (a == q && b == p)))
        return false;
    return true;
  };
  const std::function<void(std::size_t)> choose = [&](std::size_t e) {
    if (e == at.size()) {
      visit(moved);
      return;
    }
    choose(e + 1);
    for (const int q : neighbours[static_cast<std::size_t>(at[e])]) {
      if (used.contains({at[e], q}) || (one_port && !port_free(at[e], q))) continue;
      used.insert({at[e], q});
      moved[e] = q;
      choose(e + 1);
      moved[e] = at[e];
      used.erase({at[e], q});
    }
  };
  choose(0);
}

// The fewest steps by breadth-first search over all positions of at most four elements.
int fewest_steps(const std::vector<std::vector<int>>& neighbours, bool one_port,
                 const Positions& from, const Positions& to) {
  std::set<Positions> seen = {from};
  std::vector<Positions> front = {from};
  for (int steps = 0;; ++steps) {
    std::vector<Positions> next;
    for (const Positions& at : front) {
      if (at == to) return steps;
      each_step(neighbours, one_port, at, [&](const Positions& moved) {
        if (seen.insert(moved).second) next.push_back(moved);
      });
    }
    front = std::move(next);
  }
}

// Whether so many steps do, two at most: one from the start meets one back from the end.
bool reached_in(int steps, const std::vector<std::vector<int>>& neighbours, bool one_port,
                const Positions& from, const Positions& to) {
  std::set<Positions> reached = {from};
  if (steps > 0)
    each_step(neighbours, one_port, from, [&](const Positions& p) { reached.insert(p); });
  if (steps < 2) return reached.contains(to);
  bool met = false;
  each_step(neighbours, one_port, to, [&](const Positions& p) { met |= reached.contains(p); });
  return met;
}

TEST(Certificates, no_bound_is_above_the_true_optimum_of_tiny_machines) {
  testing::Judged judged(100);
  for (const char* words : {"cube:1", "cube:2", "cube:2,one-port", "mesh:2x2,all-links",
                            "mesh:1x4,all-links", "torus:1x4,all-links"}) {
    const Machine machine = Request::of("i -> i", words).machine();
    const auto n = static_cast<int>(static_cast<std::uint64_t>(processors(machine)));
    std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(n));
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) {
        const auto* mesh = std::get_if<Mesh>(&machine);
        const bool line =
            mesh != nullptr && mesh->sides_log2.size() == 2 && mesh->sides_log2[0] == 0;
        const bool joined =
            line ? p - q == 1 || q - p == 1 ||
                       (mesh->wrap == Mesh::Wrap::orthogonal && (p - q == 3 || q - p == 3))
                 : std::popcount(static_cast<unsigned>(p ^ q)) == 1;
        if (joined) neighbours[static_cast<std::size_t>(p)].push_back(q);
      }
    std::vector<std::uint64_t> to;
    for (int p = 0; p < n; ++p) to.push_back(static_cast<std::uint64_t>(p));
    do {
      for (std::uint64_t k = 1; k <= (n == 2 ? 4U : 1U); ++k) {
        const Request request = Request::of(machine, Destinations{to}, k);
        std::vector<int> start, end;
        for (int p = 0; p < n; ++p)
          for (std::uint64_t s = 0; s < k; ++s) {
            start.push_back(p);
            end.push_back(static_cast<int>(to[static_cast<std::size_t>(p)]));
          }
        const int best =
            fewest_steps(neighbours, std::string(words).ends_with("one-port"), start, end);
        EXPECT_LE(bound_of(request).value, Count{best})
            << words << " " << k << " " << request.text();
        EXPECT_FALSE(refused(header_of_bound(request)));
        ++judged;
      }
    } while (std::next_permutation(to.begin(), to.end()));
  }
}

// The first step and the last, where not all links are of use, count for most with few elements.
TEST(Certificates, no_bound_of_a_map_is_above_the_true_optimum_of_two_dimensions) {
  testing::Judged judged(40);
  testing::Judged above_distance(10);
  const std::vector<std::vector<int>> neighbours{{1, 2}, {0, 3}, {0, 3}, {1, 2}};
  Random random(17);
  for (int round = 0; round < 80; ++round) {
    const bool one_port = round % 2 == 1;
    const bool memory = round % 3 == 0;
    const Hypercube cube{.dimensions = 2,
                         .ports = one_port ? Hypercube::Ports::one : Hypercube::Ports::all};
    MapGoal goal{.map = testing::random_affine(memory ? 3 : 2, random)};
    goal.cut = memory;
    goal.memory_bits = memory ? 1 : 0;
    const Request request = Request::of(cube, goal, 2);
    const Bound bound = bound_of(request);
    EXPECT_FALSE(refused(header_of_bound(request))) << request.text();
    std::vector<int> start, end;
    for (Word address = 0; address < 8; ++address) {
      start.push_back(static_cast<int>(address >> 1U));
      end.push_back(static_cast<int>(memory ? goal.map(address) >> 1U : goal.map(address >> 1U)));
    }
    if (bound.value < 1 || bound.value > 3) continue;
    const int fewer = static_cast<int>(static_cast<std::uint64_t>(bound.value)) - 1;
    EXPECT_FALSE(reached_in(fewer, neighbours, one_port, start, end)) << request.text();
    ++judged;
    if (!std::holds_alternative<certificate::Distance>(bound.certificate)) ++above_distance;
  }
}

}  // namespace
}  // namespace faro
