// Broadcasts on a cube.   [Johnsson, Ho 1989; balanced by matching: faro]
//   applies:  one to all any cube; the others up to 10 dimensions
//   cost:     ceil(K/n) + n - 1, K + n - 1 with one port; ceil((N-1)/n), N-1 with one port
//   bound:    the same, links or ports of the root, or of everybody
#include "planners/cube/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "machines/cube/ports.hpp"
#include "planners/cube/collectives/trees.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {
namespace {

using collectives::BalancedTree;
using collectives::Learnt;

enum class Kind { one_to_all, all_to_all, scatter, gather };

struct Asked {
  Hypercube cube;
  Kind kind = Kind::one_to_all;
  Word root = 0;
  std::uint64_t elements = 1;

  int n() const { return cube.dimensions; }
  Word nodes() const { return bit(n()); }
  bool one_port() const { return cube.ports == Hypercube::Ports::one; }
};

// A relation in which one processor sends a datum to each other one, or each other one to it.
std::optional<Asked> scattered(const Hypercube& cube, const Relation& relation,
                               std::uint64_t elements) {
  const auto goes = [](Word to) { return to != Relation::nowhere; };
  const auto first = std::find_if(relation.to.begin(), relation.to.end(), goes);
  if (first == relation.to.end()) return {};
  Asked a{.cube = cube, .kind = Kind::gather, .root = *first, .elements = elements};
  if (elements > 1) {
    a.kind = Kind::scatter;
    a.root = static_cast<Word>(first - relation.to.begin()) / elements;
    if (elements != a.nodes()) return {};
  }
  std::vector<Word> wanted(relation.to.size(), Relation::nowhere);
  for (Word q = 0; q < a.nodes(); ++q) {
    if (q == a.root) continue;
    if (a.kind == Kind::scatter)
      wanted[a.root * elements + q] = q;
    else
      wanted[q] = a.root;
  }
  if (wanted != relation.to) return {};
  return a;
}

std::optional<Asked> asked(const Request& request) {
  const auto* cube = std::get_if<Hypercube>(&request.machine());
  if (cube == nullptr) return {};
  if (const auto* broadcast = request.get_if<Broadcast>())
    return Asked{.cube = *cube,
                 .kind = broadcast->kind == Broadcast::Kind::one_to_all ? Kind::one_to_all
                                                                        : Kind::all_to_all,
                 .root = broadcast->root,
                 .elements = request.elements()};
  if (const auto* relation = request.get_if<Relation>())
    return scattered(*cube, *relation, request.elements());
  return {};
}

Formula cost_of(const Asked& a) {
  if (a.n() == 0) return {0, "0: one processor"};
  const Count n = static_cast<Count>(a.n());
  if (a.kind == Kind::one_to_all) {
    if (a.one_port()) return {a.elements + n - 1, "K + n - 1"};
    return {ceil_div(Count{a.elements}, n) + n - 1, "ceil(K/n) + n - 1"};
  }
  const Count others = (Count{1} << a.n()) - 1;
  if (a.one_port()) return {others, "N - 1"};
  return {ceil_div(others, n), "ceil((N - 1)/n)"};
}

// --- One to all --------------------------------------------------------------------------------

// Nodes whose bits `clear`, seen from the root, are 0 and whose bit `set`, if any, is 1.
std::vector<Parity> nodes_where(Word root, Word clear, int set) {
  std::vector<Parity> where;
  for (Word rest = clear; rest != 0; rest &= rest - 1) {
    const int d = lowest_bit(rest);
    where.push_back({bit(d), unsigned{has_bit(root, d)}});
  }
  if (set >= 0) where.push_back({bit(set), unsigned{!has_bit(root, set)}});
  return where;
}

// The i-th step of tree j, over the dimensions j, j+1, .., j+n-1: 0 from the root across j, then
// the binomial tree of its neighbour there, and j again at last for those on the root's side.
Rule disjoint(const Asked& a, Slot slot, int j, int i) {
  const int n = a.n();
  const auto dimension = [&](int k) { return (j + k) % n; };
  if (i == 0) return {nodes_where(a.root, a.nodes() - 1, -1), slot, j, slot};
  Word clear = 0;
  for (int k = i; k < n; ++k) clear |= bit(dimension(k));
  return {nodes_where(a.root, clear, j), slot, dimension(i), slot};
}

// The same step of the binomial tree of the root itself, everybody who has the datum sending.
Rule binomial(const Asked& a, Slot slot, int j, int i) {
  Word clear = a.nodes() - 1;
  for (int k = 0; k < i; ++k) clear &= ~bit((j + k) % a.n());
  return {nodes_where(a.root, clear, -1), slot, (j + i) % a.n(), slot};
}

// Batch b of data, n of them or with one port one, leaves the root in step b. What crosses
// dimension e upward from v, seen from the root, belongs to the tree of the first dimension of e-n,
// .., e-1 that is set in v, so trees of all batches share no link. After the last batch the links
// from the root's own side are idle: its data take them, and end a step earlier.
void push_one_to_all(const Asked& a, ScheduleSink& sink) {
  const auto n = static_cast<std::uint64_t>(a.n());
  const std::uint64_t batch = a.one_port() ? 1 : n;
  const std::uint64_t last = (a.elements - 1) / std::max<std::uint64_t>(batch, 1);
  CubeStep step;
  const auto steps = static_cast<std::uint64_t>(cost_of(a).value);
  for (std::uint64_t t = 0; t < steps; ++t) {
    step.clear();
    for (std::uint64_t k = 0; k < a.elements; ++k) {
      const std::uint64_t start = k / batch;
      if (t < start || t - start > (n == 1 ? 0 : n)) continue;
      const auto i = static_cast<int>(t - start);
      const auto slot = static_cast<Slot>(k);
      const auto j = static_cast<int>(k % n);
      step.rules.push_back(start == last ? binomial(a, slot, j, i) : disjoint(a, slot, j, i));
    }
    sink.step(step);
  }
}

// --- All to all --------------------------------------------------------------------------------

// Slot v holds what began at p ^ v.
void push_all_to_all(const Asked& a, ScheduleSink& sink) {
  CubeStep step;
  const auto learn = [&step](Word v, int d) {
    step.rules.push_back({{}, static_cast<Slot>(v ^ bit(d)), d, static_cast<Slot>(v)});
  };
  if (!a.one_port()) {
    for (const auto& learnt : collectives::learning_order(a.n())) {
      step.clear();
      for (const Learnt& l : learnt) learn(l.node, l.across);
      sink.step(step);
    }
    return;
  }
  for (Word v = 1; v < a.nodes(); ++v) {
    step.clear();
    learn(v, highest_bit(v));
    sink.step(step);
  }
}

// --- Scatter and gather ------------------------------------------------------------------------

// By node, seen from the root: the path of its datum, and the step in which it leaves the root.
struct Route {
  std::vector<int> path;
  std::uint64_t start = 0;
};

// Across the highest dimension first: whoever holds a part of the data gives away its upper half.
std::vector<std::vector<Move>> halved(const Asked& a) {
  std::vector<std::vector<Move>> steps;
  const Word root = a.root;
  for (int d = a.n() - 1; d >= 0; --d)
    for (Word low = 0; low < bit(d); ++low) {
      steps.emplace_back();
      for (Word high = 0; high < a.nodes(); high += bit(d + 1)) {
        const Word to = root ^ high ^ bit(d);
        const auto slot = static_cast<Slot>(root ^ (high | bit(d) | low));
        steps.back().push_back({to ^ bit(d), slot, to, slot});
      }
    }
  return steps;
}

std::vector<Route> balanced_routes(int n) {
  const BalancedTree tree = collectives::balanced_tree(n);
  std::vector<Route> routes(bit(n));
  std::vector<std::vector<Word>> behind(static_cast<std::size_t>(n));
  for (Word v = 1; v < bit(n); ++v) {
    behind[static_cast<std::size_t>(tree.subtree[v])].push_back(v);
    for (Word at = v; at != 0; at ^= bit(tree.parent[at]))
      routes[v].path.push_back(tree.parent[at]);
    std::reverse(routes[v].path.begin(), routes[v].path.end());
  }
  for (std::vector<Word>& nodes : behind) {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](Word x, Word y) { return routes[x].path.size() > routes[y].path.size(); });
    for (std::size_t i = 0; i < nodes.size(); ++i) routes[nodes[i]].start = i;
  }
  return routes;
}

std::vector<std::vector<Move>> over_trees(const Asked& a) {
  const std::vector<Route> routes = balanced_routes(a.n());
  std::vector<std::vector<Move>> steps(static_cast<std::size_t>(cost_of(a).value));
  for (Word v = 1; v < a.nodes(); ++v) {
    Word at = a.root;
    const auto slot = static_cast<Slot>(at ^ v);
    std::uint64_t t = routes[v].start;
    for (const int d : routes[v].path) {
      steps[t++].push_back({at, slot, at ^ bit(d), slot});
      at ^= bit(d);
    }
  }
  return steps;
}

// Datum q of the root to processor q, always in slot q; backwards from there.
void push_scattered(const Asked& a, ScheduleSink& sink) {
  std::vector<std::vector<Move>> steps = a.one_port() ? halved(a) : over_trees(a);
  CubeStep step;
  if (a.kind == Kind::gather) {
    std::reverse(steps.begin(), steps.end());
    // A datum is in the slot of its processor from the start: a free step.
    for (Word q = 1; q < a.nodes(); ++q) step.moves.push_back({q, 0, q, static_cast<Slot>(q)});
    if (!steps.empty()) sink.step(step);
  }
  for (std::vector<Move>& moves : steps) {
    step.clear();
    step.moves = std::move(moves);
    if (a.kind == Kind::gather) invert(step);
    sink.step(step);
  }
}

// --- Entries -----------------------------------------------------------------------------------

Goal goal_of(const Asked& a) {
  if (a.kind == Kind::one_to_all) return BroadcastGoal{a.root};
  if (a.kind == Kind::all_to_all) return BroadcastGoal{};
  MovesGoal goal;
  const Word root = a.root;
  for (Word q = 0; q < a.nodes(); ++q) {
    if (q == root) continue;
    const auto slot = static_cast<Slot>(q);
    goal.moves.push_back(a.kind == Kind::scatter ? Move{root, slot, q, slot}
                                                 : Move{q, 0, root, slot});
  }
  return goal;
}

template <Kind kind>
std::optional<std::string> refusal(const Request& request) {
  const std::optional<Asked> a = asked(request);
  if (!a || a->kind != kind) return "it is another kind of broadcast";
  if (several_ports(a->cube)) return "broadcasts are planned for cubes with all ports or one";
  if (kind != Kind::one_to_all && a->n() > limits::collectives_dimensions_max)
    return fmt::format("a cube of {} dimensions; it lists the processors of {} at most", a->n(),
                       limits::collectives_dimensions_max);
  return {};
}

void push(const Asked& a, std::string_view planner, ScheduleSink& sink) {
  ScheduleHeader header;
  header.machine = a.cube;
  header.elements = a.elements;
  header.slots = a.kind == Kind::one_to_all ? a.elements : a.nodes();
  header.planner = planner;
  header.goal = goal_of(a);
  sink.begin(header);
  if (a.kind == Kind::one_to_all)
    push_one_to_all(a, sink);
  else if (a.kind == Kind::all_to_all)
    push_all_to_all(a, sink);
  else
    push_scattered(a, sink);
  sink.finish();
}

template <const PlannerEntry& planner>
Offer offer(const Request& request) {
  const Asked a = *asked(request);
  const auto into = [a](ScheduleSink& sink) { push(a, planner.name(), sink); };
  return {.estimate = {.cost = cost_of(a), .paper = {}}, .push = into};
}

constexpr std::string_view one_each = "ceil((N - 1)/n), with one port N - 1";

template <Kind kind, const PlannerEntry& planner>
constexpr PlannerEntry::Parts entry(std::string_view name, std::string_view title,
                                    std::string_view needs, std::string_view cost) {
  return {.name = name,
          .machine = "cube, broadcasts (faro broadcast)",
          .title = title,
          .needs = needs,
          .cost = cost,
          .citation = "faro, after Johnsson, Ho 1989",
          .refusal = refusal<kind>,
          .offer = offer<planner>,
          .computes = true};
}

}  // namespace

Bound broadcast_bound(const Hypercube& cube, const Broadcast& broadcast, std::uint64_t elements) {
  if (cube.dimensions == 0) return {0, "nothing moves", {}};
  const Count n = static_cast<Count>(cube.dimensions);
  const auto links = static_cast<Count>(ports_of(cube));
  if (broadcast.kind == Broadcast::Kind::one_to_all)
    return {ceil_div(Count{elements}, links) + n - 1,
            "the last datum to leave the root goes as far as the others",
            certificate::Port{broadcast.root, certificate::Way::out}};
  return {ceil_div((Count{1} << cube.dimensions) - 1, links), "N - 1 data come to every processor",
          certificate::Port{0, certificate::Way::in}};
}

Bound relation_bound(const Hypercube& cube, const Relation& relation, std::uint64_t elements) {
  std::vector<std::uint64_t> out(bit(cube.dimensions), 0);
  std::vector<std::uint64_t> in = out;
  for (std::size_t i = 0; i < relation.to.size(); ++i) {
    const Word p = i / elements;
    if (relation.to[i] == p || relation.to[i] == Relation::nowhere) continue;
    ++out[p];
    ++in[relation.to[i]];
  }
  const auto sender = std::max_element(out.begin(), out.end());
  const auto receiver = std::max_element(in.begin(), in.end());
  const std::uint64_t most = std::max(*sender, *receiver);
  if (most == 0) return {0, "nothing moves", {}};
  const auto links = static_cast<Count>(ports_of(cube));
  const bool leave = *sender >= *receiver;
  return {ceil_div(Count{most}, links),
          leave ? fmt::format("{} data leave one processor", most)
                : fmt::format("{} data come to one processor", most),
          leave
              ? certificate::Port{static_cast<Word>(sender - out.begin()), certificate::Way::out}
              : certificate::Port{static_cast<Word>(receiver - in.begin()), certificate::Way::in}};
}

const PlannerEntry cube_one_to_all(entry<Kind::one_to_all, cube_one_to_all>(
    "cube-one-to-all", "K data over n trees that share no link, the last over binomial trees",
    "any cube", "ceil(K/n) + n - 1, with one port K + n - 1; optimal"));
const PlannerEntry cube_all_to_all(entry<Kind::all_to_all, cube_all_to_all>(
    "cube-all-to-all", "trees of all processors at once, every link in every step",
    "at most 10 dimensions", one_each));
const PlannerEntry cube_scatter(entry<Kind::scatter, cube_scatter>(
    "cube-scatter", "a tree of equal subtrees; halves of halves with one port",
    "at most 10 dimensions", one_each));
const PlannerEntry cube_gather(entry<Kind::gather, cube_gather>("cube-gather", "scatter backwards",
                                                                "at most 10 dimensions", one_each));

}  // namespace faro::inline v1
