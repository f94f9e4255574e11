#include "papers/printed/extended_cube.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1::shuffle {
namespace {

// The goal is spelled out, element by element.
constexpr int elements_log2_max = 16;

struct Extension {
  Structure whole;        // n, k
  Structure part;         // n, k - e: the storage bits left, renumbered
  std::vector<int> bits;  // the e storage bits that become processor bits
  std::vector<int> left;  // the others
  Hypercube::Ports ports = Hypercube::Ports::all;
  int extra() const { return static_cast<int>(bits.size()); }
  int dimension(int i) const { return whole.processor_bits + i; }  // that bits[i] becomes
};

Extension extension_of(const Request& request, int extra) {
  Extension x{.whole = structure_of(request), .part = {}, .bits = {}, .left = {}};
  x.ports = std::get<Hypercube>(request.machine()).ports;
  Word controls = 0;
  for (const Chain& c : x.whole.chains) controls |= bit(c.control);
  std::vector<int> renumbered(static_cast<std::size_t>(x.whole.slot_bits), -1);
  for (int i = 0; i < x.whole.slot_bits; ++i) {
    if (!has_bit(controls, i) && x.extra() < extra) {
      x.bits.push_back(i);
    } else {
      renumbered[static_cast<std::size_t>(i)] = static_cast<int>(x.left.size());
      x.left.push_back(i);
    }
  }
  x.part = x.whole;
  x.part.slot_bits -= extra;
  for (Chain& c : x.part.chains)
    c.control = c.target = renumbered[static_cast<std::size_t>(c.control)];
  return x;
}

Word gather_bits(Word slot, const std::vector<int>& positions) {
  Word result = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (has_bit(slot, positions[i])) result |= bit(static_cast<int>(i));
  return result;
}

Word spread_bits(Word value, const std::vector<int>& positions) {
  Word result = 0;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (has_bit(value, static_cast<int>(i))) result |= bit(positions[i]);
  return result;
}

// The scatter of one group (2^e slots that agree in the bits left): in its phase p every holder
// sends, one by one, the elements whose bit order[p] is set. steps[t] are its rules at step t.
void add_group(const Extension& x, Word group, const std::vector<int>& order,
               std::span<CubeStep> steps) {
  const int e = x.extra();
  std::size_t now = 0;
  for (int p = 0; p < e; ++p) {
    const std::vector<int> before(order.begin(), order.begin() + p);
    const std::vector<int> after(order.begin() + p + 1, order.end());
    for (Word later = 0; later < bit(e - p - 1); ++later, ++now)
      for (Word earlier = 0; earlier < bit(p); ++earlier) {
        const Word to = spread_bits(earlier, before) | spread_bits(later, after) |
                        bit(order[static_cast<std::size_t>(p)]);
        const auto slot = static_cast<Slot>(spread_bits(group, x.left) | spread_bits(to, x.bits));
        Rule rule{.where = {},
                  .from = slot,
                  .across = x.dimension(order[static_cast<std::size_t>(p)]),
                  .to = slot};
        const Word at = spread_bits(earlier, before);
        for (int i = 0; i < e; ++i)
          rule.where.push_back({.mask = bit(x.dimension(i)), .value = has_bit(at, i) ? 1U : 0U});
        steps[now].rules.push_back(std::move(rule));
      }
  }
}

// What the scatter left in slot y of the copy with the bits of y goes to the slot of the part.
CubeStep pack(const Extension& x) {
  CubeStep step;
  for (Word y = 0; y < x.whole.elements(); ++y) {
    const Word copy = gather_bits(y, x.bits);
    Rule rule{.where = {},
              .from = static_cast<Slot>(y),
              .across = inside,
              .to = static_cast<Slot>(gather_bits(y, x.left))};
    for (int i = 0; i < x.extra(); ++i)
      rule.where.push_back({.mask = bit(x.dimension(i)), .value = has_bit(copy, i) ? 1U : 0U});
    step.rules.push_back(std::move(rule));
  }
  return step;
}

StepSource scatter_steps(const Extension& x) {
  const int e = x.extra();
  const std::size_t batch = x.ports == Hypercube::Ports::all ? static_cast<std::size_t>(e) : 1;
  const std::size_t groups = x.part.elements();
  const std::size_t length = bit(e) - 1;
  std::vector<CubeStep> steps((groups + batch - 1) / batch * length);
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<int> order;
    for (int i = 0; i < e; ++i)
      order.push_back(static_cast<int>((g % batch + static_cast<std::size_t>(i)) %
                                       static_cast<std::size_t>(e)));
    add_group(x, g, order, std::span(steps).subspan(g / batch * length, length));
  }
  steps.push_back(pack(x));
  return kept_steps(x.whole.elements(), std::move(steps));
}

StepSource permute_steps(const Extension& x) {
  const Program program =
      x.ports == Hypercube::Ports::one ? one_port_program(x.part) : sequence_program(x.part);
  RecordingSink kept;
  for (const Part& part : program) emit_part(part, kept);
  return kept_steps(slots_of(x.part, program), std::move(kept.cube_steps));
}

Node node_of(const Extension& x) {
  const bool all = x.ports == Hypercube::Ports::all;
  const Count groups = x.part.elements();
  const Count each = bit(x.extra()) - 1;
  const Node scatter{
      .cost = (all ? ceil_div(groups, static_cast<Count>(x.extra())) : groups) * each,
      .expression = "scatter",
      .steps = [x] { return scatter_steps(x); }};
  const Node permute{.cost = all ? sequence_steps(x.part) : one_port_steps(x.part),
                     .expression = std::string((all ? shuffle_sequence : shuffle_one_port).name()),
                     .steps = [x] { return permute_steps(x); }};
  return one_after_another(x.whole.elements(),
                           {scatter, permute, directed(scatter, Direction::inverse)});
}

CubeStep last_step(const Extension& x) {
  CubeStep step;
  for (Word y = 0; y < x.whole.elements(); ++y)
    if (x.whole.final_slot(y) != y)
      step.rules.push_back({.where = {},
                            .from = static_cast<Slot>(y),
                            .across = inside,
                            .to = static_cast<Slot>(x.whole.final_slot(y))});
  return step;
}

}  // namespace

std::optional<std::string> extended_cube_refusal(const Request& request, int extra) {
  if (auto reason = refusal(request)) return reason;
  const Structure s = structure_of(request);
  if (s.nothing_remote()) return "nothing moves between processors";
  if (s.processor_bits + s.slot_bits > elements_log2_max)
    return fmt::format("its goal is spelled out, up to 2^{} elements", elements_log2_max);
  if (extra < 1 || s.processor_bits + extra > limits::address_bits_max)
    return "it needs at least one more dimension";
  if (s.slot_bits - extra < static_cast<int>(s.chains.size()))
    return "fewer storage bits than extra dimensions stay in storage";
  return std::nullopt;
}

Count extended_cube_cost(const Request& request, int extra) {
  return node_of(extension_of(request, extra)).cost;
}

void build_extended_cube(const Request& request, int extra, ScheduleSink& sink) {
  const Extension x = extension_of(request, extra);
  const StepSource source = node_of(x).steps();
  ScheduleHeader header = header_of(request, "extended-cube", source.slots);
  header.machine = Hypercube{.dimensions = x.whole.processor_bits + extra, .ports = x.ports};
  MovesGoal goal;
  const int k = x.whole.slot_bits;
  const BitMap map =
      request.map().cut ? request.map().map : beside(request.map().map, BitMap::identity(k));
  for (Word a = 0; a < bit(x.whole.processor_bits + k); ++a)
    goal.moves.push_back({.from_processor = a >> k,
                          .from_slot = static_cast<Slot>(a & x.whole.slot_mask()),
                          .to_processor = map(a) >> k,
                          .to_slot = static_cast<Slot>(map(a) & x.whole.slot_mask())});
  header.goal = std::move(goal);
  sink.begin(header);
  CubeStep step;
  for (std::uint64_t t = 0; t < source.steps; ++t) {
    step.clear();
    source.make(t, step);
    sink.step(step);
  }
  if (const CubeStep last = last_step(x); !last.rules.empty()) sink.step(last);
  sink.finish();
}

}  // namespace faro::inline v1::shuffle
