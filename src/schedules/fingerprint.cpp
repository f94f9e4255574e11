#include "schedules/fingerprint.hpp"

#include <fmt/format.h>

#include "base/mixing.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

// What kind of thing follows, so that different lists never read alike.
enum Tag : std::uint64_t {
  cube_step = 1,
  mesh_route,
  mesh_copy,
  mesh_swap,
  pops_slot,
  map_goal,
  moves_goal,
  butterfly_goal,
  matmul_goal,
  broadcast_goal,
  ending,
  turns,
  steps_loop
};

}  // namespace

void Fingerprint::absorb(std::uint64_t word) {
  ++count_;
  low_ = mixed(low_ ^ (word + 0x9e3779b97f4a7c15U * count_));
  high_ = mixed(high_ + low_ + (word ^ 0xd1b54a32d192ed03U));
}

void Fingerprint::absorb(const std::vector<Parity>& parities) {
  absorb(parities.size());
  for (const Parity& c : parities) {
    absorb(c.mask);
    absorb(c.value);
  }
}

void Fingerprint::absorb(const Machine& machine) {
  const MachineKind& kind = kind_of(machine);
  absorb(kind.tag);
  kind.absorb(machine, [this](std::uint64_t word) { absorb(word); });
}

void Fingerprint::absorb(const Goal& goal) {
  if (const auto* map = std::get_if<MapGoal>(&goal)) {
    absorb(map_goal);
    absorb(static_cast<std::uint64_t>(map->map.width()));
    for (int i = 0; i < map->map.width(); ++i) absorb(map->map.column(i));
    absorb(map->map.complement());
    absorb(map->cut ? static_cast<std::uint64_t>(map->memory_bits) + 1 : 0);
  } else if (const auto* list = std::get_if<MovesGoal>(&goal)) {
    absorb(moves_goal);
    absorb(list->moves.size());
    for (const Move& m : list->moves)
      for (const std::uint64_t x :
           {m.from_processor, std::uint64_t{m.from_slot}, m.to_processor, std::uint64_t{m.to_slot}})
        absorb(x);
  } else if (const auto* butterfly = std::get_if<ButterflyGoal>(&goal)) {
    absorb(butterfly_goal);
    for (const int x :
         {butterfly->processor_bits, butterfly->index_bits, static_cast<int>(butterfly->allocation),
          static_cast<int>(butterfly->encoding), static_cast<int>(butterfly->order),
          butterfly->in_place ? 1 : 0})
      absorb(static_cast<std::uint64_t>(x));
    absorb(butterfly->final_processor_rows.size());
    for (const Word row : butterfly->final_processor_rows) absorb(row);
    absorb(butterfly->final_memory_rows ? butterfly->final_memory_rows->size() + 1 : 0);
    if (butterfly->final_memory_rows)
      for (const Word row : *butterfly->final_memory_rows) absorb(row);
    // Networks keep the fingerprints that they had before files knew sorts.
    if (butterfly->computation == ButterflyGoal::Computation::sort) absorb(1);
  } else if (const auto* product = std::get_if<MatmulGoal>(&goal)) {
    absorb(matmul_goal);
    for (const std::uint64_t x : {product->order, std::uint64_t{product->a},
                                  std::uint64_t{product->b}, std::uint64_t{product->c}})
      absorb(x);
  } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&goal)) {
    absorb(broadcast_goal);
    absorb(broadcast->root ? 1 : 0);
    absorb(broadcast->root.value_or(0));
  }
}

void Fingerprint::begin(const ScheduleHeader& header) {
  low_ = high_ = count_ = 0;
  absorb(header.machine);
  absorb(header.goal);
  absorb(header.elements);
  absorb(header.slots);
  absorb(header.result.size());
  for (const Slot slot : header.result) absorb(slot);
  if (!takes_turns(header)) return;
  absorb(turns);
  absorb(header.repeat.times);
  for (const BitMap* map : {&header.repeat.before, &header.repeat.after}) {
    absorb(static_cast<std::uint64_t>(map->width()));
    for (int i = 0; i < map->width(); ++i) absorb(map->column(i));
    absorb(map->complement());
  }
}

void Fingerprint::step(const CubeStep& step) {
  absorb(cube_step);
  absorb(step.rules.size());
  for (const Rule& r : step.rules) {
    absorb(r.where);
    absorb(r.from);
    absorb(static_cast<std::uint64_t>(static_cast<std::int64_t>(r.across)));
    absorb(r.to);
  }
  absorb(step.moves.size());
  for (const Move& m : step.moves)
    for (const std::uint64_t x :
         {m.from_processor, std::uint64_t{m.from_slot}, m.to_processor, std::uint64_t{m.to_slot}})
      absorb(x);
  const auto operation = [&](Slot low, Slot high, int stage, ButterflyRule::Result result,
                             Slot to) {
    absorb(low);
    absorb(high);
    absorb(static_cast<std::uint64_t>(static_cast<std::int64_t>(stage)));
    absorb(static_cast<std::uint64_t>(result));
    absorb(to);
  };
  absorb(step.butterflies.size());
  for (const Butterfly& b : step.butterflies) {
    absorb(b.processor);
    operation(b.low, b.high, b.stage, b.result, b.to);
  }
  absorb(step.butterfly_rules.size());
  for (const ButterflyRule& b : step.butterfly_rules) {
    absorb(b.where);
    operation(b.low, b.high, b.stage, b.result, b.to);
  }
}

void Fingerprint::step(const MeshInstruction& instruction) {
  const auto operation = [&](Tag tag, MeshRegister a, MeshRegister b, const TernaryMask& mask,
                             const std::vector<Parity>& where) {
    absorb(tag);
    absorb(static_cast<std::uint64_t>(a));
    absorb(static_cast<std::uint64_t>(b));
    absorb(mask.care);
    absorb(mask.value);
    absorb(where);
  };
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    absorb(mesh_route);
    absorb(static_cast<std::uint64_t>(static_cast<std::int64_t>(route->dimension)));
    absorb(static_cast<std::uint64_t>(route->by));
  } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
    operation(mesh_copy, copy->to, copy->from, copy->mask, copy->where);
  } else if (const auto* swap = std::get_if<MeshSwap>(&instruction)) {
    operation(mesh_swap, swap->a, swap->b, swap->mask, swap->where);
  }
}

void Fingerprint::step(const PopsSlot& slot) {
  absorb(pops_slot);
  absorb(slot.sends.size());
  for (const PopsSend& s : slot.sends) {
    absorb(s.processor);
    absorb(s.reg);
    absorb(s.to_groups.size());
    for (const std::uint64_t group : s.to_groups) absorb(group);
  }
  absorb(slot.receives.size());
  for (const PopsReceive& r : slot.receives)
    for (const std::uint64_t x : {r.processor, r.from_group, std::uint64_t{r.reg}}) absorb(x);
  absorb(slot.rules.size());
  for (const PopsRule& r : slot.rules) {
    absorb(r.where);
    absorb(r.reg);
    absorb(r.to);
    absorb(r.into);
  }
  absorb(slot.operations.size());
  for (const PopsOperation& o : slot.operations)
    for (const std::uint64_t x : {static_cast<std::uint64_t>(o.kind), o.processor,
                                  std::uint64_t{o.to}, std::uint64_t{o.a}, std::uint64_t{o.b}})
      absorb(x);
}

template <class Step>
void Fingerprint::absorb(const Loop<Step>& loop) {
  absorb(steps_loop);
  absorb(loop.laps);
  absorb(loop.body.size());
  for (const auto& entry : loop.body) {
    step(entry.first);
    absorb(entry.advances.size());
    for (const Advance& advance : entry.advances) {
      absorb(static_cast<std::uint64_t>(advance.from));
      absorb(static_cast<std::uint64_t>(advance.to));
    }
  }
}

void Fingerprint::loop(const CubeLoop& loop) {
  absorb(loop);
}
void Fingerprint::loop(const PopsLoop& loop) {
  absorb(loop);
}

void Fingerprint::finish() {
  absorb(ending);
  absorb(count_);
}

std::string Fingerprint::text() const {
  return fmt::format("{:016x}{:016x}", high_, low_);
}

}  // namespace faro::inline v1
