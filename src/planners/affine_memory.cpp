// Any affine map of processor and memory bits.   [faro]
//   applies:  every map with a cut; one variant a port model
//   cost:     all ports: the length of a list schedule of K·(row operations), two slots with equal
//             masks and opposite constants sharing a step; counted, not a closed form.
//             One port: sum over operations of the larger half      (tested n + m <= 6 and random)
//   bound:    machines/bounds
#include "faro/planners/affine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>

#include "faro/base/check.hpp"
#include "faro/base/limits.hpp"
#include "faro/planners/cube_request.hpp"
#include "faro/planners/step_source.hpp"

namespace faro {

MemoryMap memory_map(const BitMap& map, int memory_bits) {
  const int m = memory_bits;
  const int n = map.width() - m;
  const BitMatrix& a = map.matrix();
  MemoryMap parts;
  parts.before.assign(static_cast<std::size_t>(m), 0);
  parts.carry = a.block(m, n, 0, m);
  parts.constant = map.complement() >> m;
  parts.processors = a.block(m, n, m, n);
  // A column of P that depends on those kept so far takes a column of the carry along: the rows of
  // the map that make processor bits are independent, so there is always one.
  std::vector<Word> kept;
  int next = 0;
  for (int j = 0; j < n; ++j) {
    Word column = parts.processors.column(j);
    for (; reduce(column, reduced_basis(kept)) == 0; ++next) {
      FARO_CHECK(next < m);
      const Word with = parts.processors.column(j) ^ parts.carry.column(next);
      if (reduce(with, reduced_basis(kept)) == 0) continue;
      column = with;
      parts.before[static_cast<std::size_t>(next)] |= bit(j);
    }
    parts.processors.set_column(j, column);
    kept.push_back(column);
  }
  const BitMatrix z = BitMatrix::from_rows(n, parts.before);
  const BitMatrix amm = a.block(0, m, 0, m);
  const BitMatrix amp = a.block(0, m, m, n);
  const std::optional<BitMatrix> back = parts.processors.inverse();
  FARO_CHECK(back.has_value());
  BitMatrix rest = then(z, amm);  // Amm·Z
  for (int j = 0; j < n; ++j) rest.set_column(j, rest.column(j) ^ amp.column(j));
  const BitMatrix x = then(*back, rest);
  for (int i = 0; i < m; ++i) parts.after.push_back(x.row(i));
  BitMatrix slots = then(parts.carry, x);
  for (int j = 0; j < m; ++j) slots.set_column(j, slots.column(j) ^ amm.column(j));
  parts.slots =
      BitMap::from_matrix(slots, x.apply(parts.constant) ^ (map.complement() & low_mask(m)));
  return parts;
}

namespace {

constexpr std::size_t operations_max = 192;  // 2n - 1, and one more a bit for complements

// Operation j of slot s is masks[j] with the constant of bit s in constants(j, s).
class SlotOperations {
 public:
  SlotOperations(const MemoryMap& parts, std::uint64_t slots) {
    const int n = parts.processors.rows();
    const auto base = row_operations(BitMap::from_matrix(parts.processors));
    operations_ = base;
    Word used = 0;
    for (const RowOperation& o : base) used |= bit(o.dimension);
    for (int d = 0; d < n; ++d)
      if (!has_bit(used, d)) operations_.push_back({d, 0, 0});
    FARO_CHECK(operations_.size() <= operations_max);
    constants_.assign(operations_.size(), std::vector<bool>(slots));
    for (std::uint64_t s = 0; s < slots; ++s) {
      const Word complement = parts.carry.apply(s) ^ parts.constant;
      const auto own = with_complement(operations_, n, complement);
      for (std::size_t j = 0; j < operations_.size(); ++j) constants_[j][s] = own[j].constant != 0;
    }
  }

  std::size_t count() const { return operations_.size(); }
  RowOperation at(std::size_t j, std::uint64_t s) const {
    RowOperation o = operations_[j];
    o.constant = constants_[j][s] ? 1 : 0;
    return o;
  }
  bool moves(std::size_t j, std::uint64_t s) const {
    return operations_[j].mask != 0 || constants_[j][s];
  }

 private:
  std::vector<RowOperation> operations_;
  std::vector<std::vector<bool>> constants_;
};

struct Timed {
  std::uint64_t step;
  std::uint32_t operation;
  std::uint32_t slot;
};

// What a dimension carries in one step.
struct Busy {
  bool taken = false;
  Word mask = 0;
  unsigned constant = 0;
  bool shared = false;
};
bool fits(Busy& busy, const RowOperation& o) {
  if (!busy.taken) {
    busy = {true, o.mask, o.constant, false};
    return true;
  }
  if (busy.shared || o.mask == 0 || busy.mask != o.mask || busy.constant == o.constant)
    return false;
  busy.shared = true;
  return true;
}

using Done = std::bitset<operations_max>;

// Which operations must come before j: those before it that do not commute with it.
std::vector<Done> needed_before(const SlotOperations& operations) {
  std::vector<Done> needed(operations.count());
  for (std::size_t j = 0; j < operations.count(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const RowOperation a = operations.at(i, 0);
      const RowOperation b = operations.at(j, 0);
      if (has_bit(a.mask, b.dimension) || has_bit(b.mask, a.dimension)) needed[j].set(i);
    }
  return needed;
}

// Step after step, the slots with most left go first; each does one operation whose dimension is
// free or can be shared.
std::vector<Timed> list_schedule(const SlotOperations& operations, std::uint64_t slots) {
  const std::vector<Done> needed = needed_before(operations);
  std::vector<Done> done(slots);
  std::vector<std::size_t> left(slots);
  for (std::uint64_t s = 0; s < slots; ++s)
    for (std::size_t j = 0; j < operations.count(); ++j) {
      if (operations.moves(j, s))
        ++left[s];
      else
        done[s].set(j);
    }
  std::vector<std::uint64_t> waiting;
  for (std::uint64_t s = 0; s < slots; ++s)
    if (left[s] != 0) waiting.push_back(s);
  std::vector<Timed> schedule;
  for (std::uint64_t step = 0; !waiting.empty(); ++step) {
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&left](std::uint64_t a, std::uint64_t b) { return left[a] > left[b]; });
    std::array<Busy, word_bits> busy{};
    for (const std::uint64_t s : waiting)
      for (std::size_t j = 0; j < operations.count(); ++j) {
        if (done[s].test(j) || (needed[j] & ~done[s]).any()) continue;
        const RowOperation o = operations.at(j, s);
        if (!fits(busy[static_cast<std::size_t>(o.dimension)], o)) continue;
        schedule.push_back({step, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(s)});
        done[s].set(j);
        --left[s];
        break;
      }
    std::erase_if(waiting, [&left](std::uint64_t s) { return left[s] == 0; });
  }
  return schedule;
}

std::vector<Timed> pipeline_schedule(const SlotOperations& operations, std::uint64_t slots) {
  std::vector<RowOperation> sequence;
  for (std::size_t j = 0; j < operations.count(); ++j) sequence.push_back(operations.at(j, 0));
  const Pipeline pipeline = pipelined(sequence);
  std::vector<Timed> schedule;
  for (std::uint64_t s = 0; s < slots; ++s)
    for (std::size_t j = 0; j < operations.count(); ++j)
      if (operations.moves(j, s))
        schedule.push_back({pipeline.start[j] + pipeline.rate * s, static_cast<std::uint32_t>(j),
                            static_cast<std::uint32_t>(s)});
  return schedule;
}

// Operation after operation; slots with opposite constants go together.
std::vector<Timed> one_port_schedule(const SlotOperations& operations, std::uint64_t slots) {
  std::vector<Timed> schedule;
  std::uint64_t step = 0;
  for (std::size_t j = 0; j < operations.count(); ++j) {
    std::array<std::uint64_t, 2> next{step, step};
    for (std::uint64_t s = 0; s < slots; ++s)
      if (operations.moves(j, s))
        schedule.push_back({next[operations.at(j, s).constant]++, static_cast<std::uint32_t>(j),
                            static_cast<std::uint32_t>(s)});
    step = std::max(next[0], next[1]);
  }
  return schedule;
}

struct MemoryPlan {
  MemoryMap parts;
  SlotOperations operations;
  std::vector<Timed> schedule;  // by step
};

MemoryPlan memory_plan(const Request& request) {
  const int m = request.map.cut ? request.map.memory_bits : 0;
  MemoryMap parts = memory_map(request.map.map, m);
  SlotOperations operations(parts, bit(m));
  std::vector<Timed> schedule =
      cube_of(request)->ports == Hypercube::Ports::one   ? one_port_schedule(operations, bit(m))
      : bit(m) <= limits::affine_memory_packed_slots_max ? list_schedule(operations, bit(m))
                                                         : pipeline_schedule(operations, bit(m));
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const Timed& a, const Timed& b) { return a.step < b.step; });
  return {std::move(parts), std::move(operations), std::move(schedule)};
}

void build_as(const Request& request, const char* name, ScheduleSink& sink) {
  const MemoryPlan plan = memory_plan(request);
  const std::uint64_t slots = request.elements;
  sink.begin(cube_header(request, name, slots));
  flip_slots(plan.parts.before, slots, sink);
  CubeStep step;
  for (std::size_t i = 0; i < plan.schedule.size();) {
    step.clear();
    const std::uint64_t now = plan.schedule[i].step;
    for (; i < plan.schedule.size() && plan.schedule[i].step == now; ++i) {
      const Timed& t = plan.schedule[i];
      step.rules.push_back(plan.operations.at(t.operation, t.slot).rule(t.slot));
    }
    sink.step(step);
  }
  step.clear();
  for (std::uint64_t s = 0; s < slots; ++s)
    if (plan.parts.slots.width() > 0 && plan.parts.slots(s) != s)
      step.rules.push_back(
          {{}, static_cast<Slot>(s), inside, static_cast<Slot>(plan.parts.slots(s))});
  if (!step.rules.empty()) sink.step(step);
  flip_slots(plan.parts.after, slots, sink);
  sink.finish();
}

std::optional<std::string> refusal_for(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request)) return why;
  if (cube_of(request)->ports != ports)
    return ports == Hypercube::Ports::all ? "it uses all ports at once"
                                          : "it is for machines with one port";
  if (!request.map.cut) return "the map names no memory bits";
  if (request.elements > limits::affine_memory_slots_max)
    return fmt::format("{} slots a processor; it keeps its schedule, of at most {} slots",
                       request.elements, limits::affine_memory_slots_max);
  return {};
}

Estimate estimate(const Request& request) {
  const MemoryPlan plan = memory_plan(request);
  Count steps = 0;
  for (std::size_t i = 0; i < plan.schedule.size(); ++i)
    if (i == 0 || plan.schedule[i].step != plan.schedule[i - 1].step) ++steps;
  return {
      .cost = {steps, fmt::format("{} row operations of 2^{} slots, packed",
                                  row_operations(BitMap::from_matrix(plan.parts.processors)).size(),
                                  request.map.memory_bits)}};
}

std::optional<std::string> refusal_all(const Request& request) {
  return refusal_for(request, Hypercube::Ports::all);
}
std::optional<std::string> refusal_one(const Request& request) {
  return refusal_for(request, Hypercube::Ports::one);
}
void build_all(const Request& request, ScheduleSink& sink) {
  build_as(request, affine_memory.name, sink);
}
void build_one(const Request& request, ScheduleSink& sink) {
  build_as(request, affine_memory_one_port.name, sink);
}

}  // namespace

const Planner affine_memory{
    .name = "affine-memory",
    .machine = "cube",
    .title = "any affine map of processor and memory bits, row operations packed slot by slot",
    .needs = "a map with a cut, processor | memory, all ports",
    .cost = "counted: at most 2K + 2n steps",
    .citation = "faro",
    .refusal = refusal_all,
    .estimate = estimate,
    .build = build_all,
};

const Planner affine_memory_one_port{
    .name = "affine-memory-one-port",
    .machine = "cube",
    .title = "any affine map of processor and memory bits, one dimension at a time",
    .needs = "a map with a cut, processor | memory, one port",
    .cost = "counted: at most (2n-1)K steps",
    .citation = "faro",
    .refusal = refusal_one,
    .estimate = estimate,
    .build = build_one,
};

}  // namespace faro
