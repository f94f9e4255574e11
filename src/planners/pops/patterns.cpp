// Rearrangements inside groups, large ones too.   [Sahni 2000, section 3.2, corrected]
//   cost:   2 floor(m/(g+1)) + min(2, m mod (g+1)), m the most that move in a group
//                                                                         (tested d <= 30, g <= 9)
// At most a slot above what pops-fewest-slots finds, which takes smaller machines. What else the
// paper does stands in papers/printed/pops.cpp.
#include "planners/pops/patterns.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1::pops {

std::vector<Word> moved_in_group(const Pops& machine, const std::vector<Word>& to,
                                 std::uint64_t group) {
  std::vector<Word> moved;
  const Word first = group * machine.group_size;
  for (Word p = first; p < first + machine.group_size; ++p)
    if (to[p] != p) moved.push_back(p);
  return moved;
}

std::uint64_t most_moved(const Pops& machine, const std::vector<Word>& to) {
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < machine.groups; ++i)
    most = std::max<std::uint64_t>(most, moved_in_group(machine, to, i).size());
  return most;
}

namespace {

bool inside_groups(const Pops& machine, const std::vector<Word>& to) {
  for (Word p = 0; p < to.size(); ++p)
    if (group_of(machine, p) != group_of(machine, to[p])) return false;
  return true;
}

}  // namespace

std::vector<Packet> figure5_hops(const Pops& machine, const std::vector<Word>& to) {
  const std::uint64_t g = machine.groups;
  const std::uint64_t d = machine.group_size;
  FARO_CHECK(d >= g);
  std::vector<std::vector<Word>> moved;
  for (std::uint64_t i = 0; i < g; ++i) moved.push_back(moved_in_group(machine, to, i));
  std::vector<Packet> packets;
  for (std::uint64_t i = 0; i < g; ++i)
    for (std::uint64_t a = 0; a < moved[i].size(); ++a) {
      const auto slot = static_cast<std::uint32_t>(2 * (a / (g + 1)));
      const std::uint64_t s = a % (g + 1);
      const Word from = moved[i][a];
      if (s == 0 || s == g) {
        packets.push_back(hop(from, to[from], slot + (s == g ? 1 : 0)));
        continue;
      }
      // Relay p(t, i), but p(t, t) if p(t, i) receives its own datum in the first slot.
      const std::uint64_t t = (i + s) % g;
      const std::uint64_t direct = a - s;
      const bool receives =
          direct < moved[t].size() && local_of(machine, to[moved[t][direct]]) == i;
      packets.push_back(hop_over(from, t * d + (receives ? t : i), to[from], slot));
    }
  return packets;
}

std::optional<std::string> inside_refusal(const Request& request) {
  if (auto why = no_permutation(request)) return why;
  if (!inside_groups(machine_of(request), destinations(request)))
    return "some data leave their group";
  return std::nullopt;
}

namespace {

Count rounds_of_two(Count data, Count per_round) {
  return 2 * (data / per_round) + std::min<Count>(2, data % per_round);
}

std::optional<std::string> figure5_refusal(const Request& request) {
  if (auto why = inside_refusal(request)) return why;
  if (machine_of(request).group_size < machine_of(request).groups)
    return "d < g: its relays do not exist";
  return std::nullopt;
}

Estimate figure5_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count m = most_moved(machine, destinations(request));
  return {{rounds_of_two(m, Count{machine.groups} + 1), "2 floor(m/(g+1)) + min(2, m mod (g+1))"}};
}

void figure5_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-figure-5",
                   figure5_hops(machine_of(request), destinations(request)), sink);
}

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_figure5({
    "pops-figure-5",
    "pops",
    "data of all groups change places inside them, g+1 at a time",
    "a permutation that moves data inside groups only; d >= g",
    "2 floor(m/(g+1)) + min(2, m mod (g+1)) slots",
    "Sahni 2000, Figure 5 and Theorem 2",
    pops::figure5_refusal,
    pops::figure5_estimate,
    pops::figure5_build,
});

}  // namespace faro::inline v1
