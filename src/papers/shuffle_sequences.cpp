// Section 4: three exchange sequences, of which the second on a real shuffle has no planner.
#include <fmt/format.h>

#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "papers/pages.hpp"
#include "papers/shuffle_rows.hpp"
#include "planners/cube/shuffle/cycles.hpp"

namespace faro::inline v1 {
namespace {

// The second sequence on one real shuffle without complements:
//
//   positions 3 2 1 0, contents d c b a, 0 fixed:
//   (0, 1) d c a b   (0, 2) d b a c   (0, 3) c b a d   that is every content one to the left
//
// Each exchange is a shuffle of two bits, performed as the best one is.
shuffle::Program fixed_program(const shuffle::Structure& s, Hypercube::Ports ports) {
  const std::vector<int>& dimensions = s.cycles.front().dimensions;  // the lowest first
  shuffle::Program program;
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    shuffle::Structure part = s;
    part.cycles = {{.dimensions = {dimensions[0], dimensions[i]}, .inverted = {0, 0}}};
    const shuffle::Program best = ports == Hypercube::Ports::one ? shuffle::one_port_program(part)
                                                                 : shuffle::sequence_program(part);
    program.insert(program.end(), best.begin(), best.end());
  }
  return program;
}

// Its counted steps, every element replayed, or the rule that is broken.
std::string by_fixed_dimension(const Request& request) {
  const shuffle::Structure s = shuffle::structure_of(request);
  const auto replay = make_replay();
  shuffle::emit(s, fixed_program(s, std::get<Hypercube>(request.machine()).ports), request, "",
                *replay);
  const Verdict verdict = replay->verdict();
  if (!verdict.ok()) return "refused: " + verdict.violations.front().rule;
  return to_string(verdict.cost.steps);
}

}  // namespace

// The exchange sequences that section 4 bases all algorithms on, performed one after another where
// only one dimension is used at a time, or as well as the links allow.
PaperTable exchange_sequences() {
  PlannedTable table(
      Workshop(), "Section 4: three exchange sequences, steps",
      {"shuffle", "K", "ports", planned("adjacent pairs", "shuffle-adjacent"), "a fixed dimension",
       "a dimension v beside it", ours(), bound()},
      {"Adjacent pairs: s exchanges of a mixed shuffle, s - 1 of a real one, but two "
       "processor bits that change places use two dimensions, so 'all dimensions "
       "twice'. Fixed: the storage bit of a mixed shuffle, s exchanges; of a real one its "
       "lowest processor bit with each higher one, s - 1 exchanges, listed here and "
       "replayed. v: a storage bit that is no part of a real shuffle, s + 1 "
       "exchanges."});
  const Workshop workshop;
  for (const bool mixed : {true, false})
    for (const int length : {3, 4})
      for (const auto ports : {Hypercube::Ports::one, Hypercube::Ports::all}) {
        const std::vector<int> lengths = {length};
        const Request request =
            mixed ? shuffle_of(4, lengths, {}, ports) : shuffle_of(4, {}, lengths, ports);
        const bool one = ports == Hypercube::Ports::one;
        table.row(request,
                  {fmt::format("{}, {} dimensions", mixed ? "mixed" : "real", length), 16,
                   one ? "one" : "all",
                   mixed ? workshop.ours(request, one ? "shuffle-one-port" : "shuffle-pipelined")
                         : by_fixed_dimension(request),
                   mixed ? "-" : workshop.ours(request, one ? "real-a1-one-port" : "real-a1")});
      }
  return table;
}

}  // namespace faro::inline v1
