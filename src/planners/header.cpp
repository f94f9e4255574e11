// The goal is compared with the request place by place.
#include "planners/header.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "faro/machines/verifier.hpp"
#include "planners/part.hpp"
#include "schedules/quiet_sink.hpp"

namespace faro::inline v1 {
namespace {

using Breach = std::optional<std::string>;

// Where the request sends an element; nothing: nowhere.
struct Place {
  Word processor = 0;
  std::optional<Slot> slot = {};  // nothing: any
};

std::optional<Place> place_of(const Request& request, Word p, Slot s) {
  const auto& to = request.destinations();
  if (request.is_map()) {
    const MapGoal& goal = request.map();
    if (!goal.cut) return Place{goal.map(p), s};
    const Word at = goal.map(p << static_cast<unsigned>(goal.memory_bits) | s);
    return Place{at >> static_cast<unsigned>(goal.memory_bits),
                 static_cast<Slot>(at & low_mask(goal.memory_bits))};
  }
  if (request.get_if<Destinations>() != nullptr) return Place{to[p]};
  const Word there = to[p * request.elements() + s];
  if (there == Relation::nowhere) return {};
  return Place{there};
}

// The processors that hold what moves.
Word holders(const Request& request) {
  if (request.is_map()) return bit(request.map().map.width() - request.map().memory_bits);
  if (request.get_if<Destinations>() != nullptr) return request.destinations().size();
  return request.destinations().size() / request.elements();
}

// Every element that goes somewhere is listed once, with the place where it goes.
Breach listed_breach(const Request& request, const MovesGoal& goal) {
  const Word processors = holders(request);
  const std::uint64_t k = request.elements();
  if (request.get_if<Relation>() == nullptr && goal.moves.size() != Count{processors} * k)
    return fmt::format("its goal lists {} of {} elements", goal.moves.size(),
                       to_string(Count{processors} * k));
  std::vector<bool> listed(processors * k);
  for (const Move& move : goal.moves) {
    const Word p = move.from_processor;
    const Slot s = move.from_slot;
    if (p >= processors || s >= k || listed[p * k + s])
      return fmt::format("its goal moves element {} of processor {}, which is none or was moved", s,
                         p);
    listed[p * k + s] = true;
    const auto place = place_of(request, p, s);
    if (!place || place->processor != move.to_processor ||
        (place->slot && *place->slot != move.to_slot))
      return fmt::format("its goal sends element {} of processor {} to processor {}, slot {}", s, p,
                         move.to_processor, move.to_slot);
  }
  for (Word p = 0; p < processors; ++p)
    for (Slot s = 0; s < k; ++s)
      if (!listed[p * k + s] && place_of(request, p, s))
        return fmt::format("its goal leaves out element {} of processor {}", s, p);
  return {};
}

Breach network_breach(const ButterflyNetwork& asked, const ButterflyGoal& goal) {
  if (goal.processor_bits != asked.processor_bits || goal.index_bits != asked.index_bits ||
      goal.allocation != asked.allocation || goal.encoding != asked.encoding ||
      goal.order != asked.order)
    return "its network has other sizes, another layout or another order";
  if (asked.output != ButterflyNetwork::Output::binary) return {};
  const bool restored = asked.finish == ButterflyNetwork::Finish::restored;
  const int base = asked.allocation == Allocation::cyclic ? 0 : asked.memory_bits();
  for (std::size_t j = 0; j < goal.final_processor_rows.size(); ++j) {
    const Word row = goal.final_processor_rows[j];
    const Word wanted = bit(base + asked.processor_bits - 1 - static_cast<int>(j));
    if (restored ? row != wanted : !is_power_of_two(row))
      return fmt::format("its results end by the row {:#x}, which is not what was asked", row);
  }
  return {};
}

Breach goal_breach(const Request& request, const Goal& goal) {
  if (const auto* moves = std::get_if<MovesGoal>(&goal)) {
    if (request.moves()) return listed_breach(request, *moves);
    const auto* broadcast = request.get_if<Broadcast>();
    const Count n = processors(request.machine());
    if (broadcast != nullptr && broadcast->kind == Broadcast::Kind::personalised &&
        moves->moves.size() == n * (n - 1))
      return {};
  } else if (const auto* map = std::get_if<MapGoal>(&goal)) {
    if (request.is_map() && *map == request.map()) return {};
  } else if (const auto* butterfly = std::get_if<ButterflyGoal>(&goal)) {
    const bool sorts = butterfly->computation == ButterflyGoal::Computation::sort;
    if (const auto* network = request.get_if<ButterflyNetwork>(); network != nullptr && !sorts)
      return network_breach(*network, *butterfly);
    if (const auto* sort = request.get_if<BitonicSort>(); sort != nullptr && sorts) {
      ButterflyNetwork passes = sort->network;
      passes.order = ButterflyGoal::Order::most_significant_first;
      passes.output = ButterflyNetwork::Output::gray;
      return network_breach(passes, *butterfly);
    }
  } else if (const auto* product = std::get_if<MatmulGoal>(&goal)) {
    const auto* asked = request.get_if<MatrixProduct>();
    if (asked != nullptr && asked->order == product->order) return {};
  } else if (const auto* all = std::get_if<BroadcastGoal>(&goal)) {
    const auto* asked = request.get_if<Broadcast>();
    if (asked != nullptr && asked->kind == Broadcast::Kind::one_to_all && all->root == asked->root)
      return {};
    if (asked != nullptr && asked->kind == Broadcast::Kind::all_to_all && !all->root) return {};
  }
  return "its goal is another one";
}

}  // namespace

ScheduleHeader header_of(const Request& request, std::string_view planner, std::uint64_t slots) {
  ScheduleHeader header;
  header.machine = request.machine();
  header.elements = request.elements();
  header.slots = slots;
  header.planner = planner;
  if (request.is_map()) {
    header.goal = request.map();
    return header;
  }
  MovesGoal goal;
  const auto& to = request.destinations();
  if (std::holds_alternative<Destinations>(request.question()))
    for (std::uint64_t e = 0; e < request.elements(); ++e)
      for (Word p = 0; p < to.size(); ++p)
        goal.moves.push_back({p, static_cast<Slot>(e), to[p], static_cast<Slot>(e)});
  header.goal = std::move(goal);
  return header;
}

ScheduleHeader header_of(const Offer& offer) {
  // A sink that throws stops the builder.
  struct Known {};
  struct First : QuietSink {
    ScheduleHeader header;
    void begin(const ScheduleHeader& known) override {
      header = known;
      throw Known{};
    }
  } first;
  try {
    offer.push(first);
  } catch (const Known&) {
  }
  return std::move(first.header);
}

Breach breach_of(const Request& request, const ScheduleHeader& header) {
  if (!(header.machine == request.machine()))
    return fmt::format("its machine is {}", to_string(header.machine));
  if (header.elements != request.elements())
    return fmt::format("it has {} elements in each processor, not {}", header.elements,
                       request.elements());
  return goal_breach(request, header.goal);
}

}  // namespace faro::inline v1
