// The simple algorithm of section 3.1, on all groups at once as section 3.2 has it.
//   cost:   2 ceil(m/g), m the most data that move in a group; a slot in which nothing is sent is
//           left out                                                        (tested d, g <= 12)
// The i-th datum of a batch in group h goes over processor i of group h + i: over a coupler of its
// own in both slots. The paper's relay is processor 0, of one group that moves alone.
#include "planners/pops/simple.hpp"

#include <algorithm>

#include "faro/machines/pops/model.hpp"
#include "planners/pops/fewest.hpp"

namespace faro::inline v1 {
namespace pops {

std::vector<Packet> simple_hops(const Pops& machine, const std::vector<Word>& to) {
  const std::uint64_t d = machine.group_size;
  const std::uint64_t g = machine.groups;
  const std::uint64_t batch = std::min(d, g);
  std::vector<Packet> packets;
  for (std::uint64_t h = 0; h < g; ++h) {
    std::uint64_t moved = 0;
    for (Word p = h * d; p < (h + 1) * d; ++p) {
      if (to[p] == p) continue;
      const std::uint64_t i = moved % batch;
      Packet packet;
      packet.from = p;
      packet.to = to[p];
      packet.first = static_cast<std::uint32_t>(2 * (moved / batch));
      const Word relay = (h + i) % g * d + i;
      // A relay that is an end of the way is none: straight, in the slot that this end has.
      if (relay == p) {
        ++packet.first;
      } else if (relay != to[p]) {
        packet.relay = relay;
        packet.second = packet.first + 1;
      }
      packets.push_back(packet);
      ++moved;
    }
  }
  return packets;
}

namespace {

std::optional<std::string> simple_refusal(const Request& request) {
  if (auto why = no_permutation(request)) return why;
  const auto& machine = std::get<Pops>(request.machine());
  const std::vector<Word> to = destinations(request);
  for (Word p = 0; p < to.size(); ++p)
    if (group_of(machine, p) != group_of(machine, to[p])) return "some data leave their group";
  return std::nullopt;
}

Estimate simple_estimate(const Request& request) {
  const auto& machine = std::get<Pops>(request.machine());
  return {{slots_of(simple_hops(machine, destinations(request))), "at most 2 ceil(m/g)"},
          PaperCount{"Sahni 2000, section 3.2",
                     {2 * ceil_div(machine.group_size, machine.groups), "2 ceil(d/g)"}}};
}

void simple_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, pops_simple.name(),
                   simple_hops(std::get<Pops>(request.machine()), destinations(request)), sink);
}

}  // namespace
}  // namespace pops

const PlannerEntry pops_simple({
    "pops-simple",
    "pops",
    "data change places inside groups, g of each at a time over two hops",
    "a permutation that moves data inside groups only",
    "at most 2 ceil(m/g) slots, m the most data that move in a group",
    "Sahni 2000, sections 3.1 and 3.2",
    pops::simple_refusal,
    pops::simple_estimate,
    pops::simple_build,
});

}  // namespace faro::inline v1
