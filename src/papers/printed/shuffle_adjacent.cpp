// The first exchange sequence of section 4: neighbours of the shuffle change places, pair after
// pair to the right, from any pair on.   [Johnsson, Ho 1991 (shuffles)]
//
//   positions 3 2 1 0, contents d c b a, begun at (2, 1):
//   (2, 1) d b c a   (1, 0) d b a c   (0, 3) c b a d   that is every content one to the left
//
// Each exchange is a shuffle of two bits and performed as the best one is; position 0 of a chain is
// its storage bit.
#include "papers/printed/printed.hpp"
#include "papers/printed/shuffle.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/entries.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1 {
namespace shuffle {
namespace {

// The bits of a chain or a cycle in turn, the storage bit of a chain first.
class Positions {
 public:
  explicit Positions(const Structure& s) : s_(s), chain_(!s.chains.empty()) {}

  int count() const { return static_cast<int>(dimensions().size()) + (chain_ ? 1 : 0); }

  // Two neighbours change places; what comes to a processor bit is complemented where its place is
  // final and the shuffle says so.
  Structure exchanged(int x, bool x_final, int y, bool y_final) const {
    Structure part = s_;
    part.chains.clear();
    part.cycles.clear();
    const unsigned into_x = x_final ? inversion(x) : 0;
    const unsigned into_y = y_final ? inversion(y) : 0;
    if (stored(x) || stored(y)) {
      const int control = s_.chains[0].control;
      part.chains.push_back({.control = control,
                             .target = control,
                             .dimensions = {dimension(stored(x) ? y : x)},
                             .inverted = {stored(x) ? into_y : into_x}});
    } else {
      const bool sorted = dimension(x) < dimension(y);
      part.cycles.push_back({.dimensions = {dimension(sorted ? x : y), dimension(sorted ? y : x)},
                             .inverted = {sorted ? into_x : into_y, sorted ? into_y : into_x}});
    }
    return part;
  }

 private:
  const std::vector<int>& dimensions() const {
    return chain_ ? s_.chains[0].dimensions : s_.cycles[0].dimensions;
  }
  bool stored(int position) const { return chain_ && position == 0; }
  std::size_t at(int position) const {
    return static_cast<std::size_t>(position - (chain_ ? 1 : 0));
  }
  int dimension(int position) const { return dimensions()[at(position)]; }
  unsigned inversion(int position) const {
    if (stored(position)) return 0;  // the last local step complements storage bits
    return (chain_ ? s_.chains[0].inverted : s_.cycles[0].inverted)[at(position)];
  }

  const Structure& s_;
  bool chain_;
};

}  // namespace

Program adjacent_program(const Structure& s, Hypercube::Ports ports, int first) {
  const Positions positions(s);
  const int count = positions.count();
  Program program;
  for (int i = 0; i + 1 < count; ++i) {
    const int x = (first - i + count) % count;
    const int y = (x - 1 + count) % count;
    const Structure part = positions.exchanged(x, true, y, i + 2 == count);
    const Program best =
        ports == Hypercube::Ports::one ? one_port_program(part) : sequence_program(part);
    program.insert(program.end(), best.begin(), best.end());
  }
  return program;
}

}  // namespace shuffle

namespace {

using namespace shuffle;

constexpr Condition one_of_all{[](const Structure& s) {
                                 return s.chains.size() + s.cycles.size() == 1 &&
                                        (s.cycles.empty() || s.cycles[0].length() >= 2);
                               },
                               "it needs one chain, or one cycle of two or more processor bits"};

std::optional<std::string> refusal_of_adjacent(const Request& request) {
  const auto* cube = std::get_if<Hypercube>(&request.machine());
  const bool one = cube != nullptr && cube->ports == one_port;
  return first_refusal(request, one ? one_port : all_ports, {&one_of_all});
}

// From the pair above which a pair of processor bits is left out, if there is one.
Program program_of(const Request& request) {
  return adjacent_program(structure_of(request), std::get<Hypercube>(request.machine()).ports, 1);
}

Estimate of_adjacent(const Request& request) {
  return {.cost = {finish_of(program_of(request)), "the sum over s or s - 1 pairs"}};
}

void build_adjacent(const Request& request, ScheduleSink& sink) {
  emit(structure_of(request), program_of(request), request, shuffle_adjacent.name(), sink);
}

}  // namespace

const PlannerEntry shuffle_adjacent({
    .name = "shuffle-adjacent",
    .machine = "cube",
    .title = "neighbours of the shuffle change places, pair after pair",
    .needs = "one chain or one real cycle of two dimensions or more",
    .cost = "(s - 1)(K/2 + 1) for a cycle without complements, all ports; else counted",
    .citation = "Johnsson, Ho 1991 (shuffles), section 4, first sequence",
    .refusal = refusal_of_adjacent,
    .estimate = of_adjacent,
    .build = build_adjacent,
});

}  // namespace faro::inline v1
