#include "planners/pops/packets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"
#include "planners/pops/affine.hpp"

namespace faro::inline v1::pops {
namespace {

// Transit registers by relay: the first that is free when a packet arrives.
std::vector<Slot> transit_registers(const std::vector<Packet>& packets, Slot first,
                                    std::uint64_t& registers) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (packets[i].relay != no_relay) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Packet& x = packets[a];
    const Packet& y = packets[b];
    return x.relay != y.relay ? x.relay < y.relay : x.first < y.first;
  });
  std::vector<Slot> reg(packets.size(), 0);
  std::vector<std::uint32_t> busy_until;
  Word relay = no_relay;
  for (const std::size_t i : order) {
    const Packet& p = packets[i];
    if (p.relay != relay) busy_until.clear();
    relay = p.relay;
    const auto free = std::find_if(busy_until.begin(), busy_until.end(),
                                   [&](std::uint32_t until) { return until <= p.first; });
    reg[i] = first + static_cast<Slot>(free - busy_until.begin());
    if (free == busy_until.end())
      busy_until.push_back(p.second);
    else
      *free = p.second;
    registers = std::max<std::uint64_t>(registers, std::uint64_t{reg[i]} + 1);
  }
  return reg;
}

// A hop of a packet: bit 0 says whether it is the second.
using Hop = std::uint64_t;

std::vector<std::vector<Hop>> hops_by_slot(const std::vector<Packet>& packets) {
  std::uint32_t slots = 0;
  for (const Packet& p : packets)
    slots = std::max(slots, (p.relay == no_relay ? p.first : p.second) + 1);
  std::vector<std::vector<Hop>> hops(packets.empty() ? 0 : slots);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    hops[packets[i].first].push_back(2 * i);
    if (packets[i].relay != no_relay) hops[packets[i].second].push_back(2 * i + 1);
  }
  return hops;
}

}  // namespace

Packet hop(Word from, Word to, std::uint32_t slot) {
  Packet p;
  p.from = from;
  p.to = to;
  p.first = slot;
  return p;
}

Packet hop_over(Word from, Word relay, Word to, std::uint32_t slot) {
  Packet p = hop(from, to, slot);
  p.relay = relay;
  p.second = slot + 1;
  return p;
}

void emit(const Request& request, std::string_view planner, const std::vector<Packet>& packets,
          std::vector<Slot> result, ScheduleSink& sink) {
  const Pops& machine = std::get<Pops>(request.machine());
  ScheduleHeader header;
  header.machine = request.machine();
  header.elements = request.elements();
  header.planner = planner;
  header.slots = request.elements();
  header.result = std::move(result);
  Slot transit = static_cast<Slot>(request.elements());
  for (const Packet& p : packets) {
    header.slots = std::max<std::uint64_t>(header.slots, std::uint64_t{p.to_register} + 1);
    transit = std::max(transit, p.to_register + 1);
  }
  const std::vector<Slot> waiting = transit_registers(packets, transit, header.slots);
  if (request.destinations().empty()) {
    header.goal = request.map();
  } else {
    MovesGoal goal;
    std::vector<bool> moved(request.destinations().size(), false);
    for (const Packet& p : packets) {
      goal.moves.push_back({p.from, p.from_register, p.to, p.to_register});
      moved[p.from * request.elements() + p.from_register] = true;
    }
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (!moved[i] && request.destinations()[i] != no_relay) {
        const Word p = i / request.elements();
        const auto s = static_cast<Slot>(i % request.elements());
        goal.moves.push_back({p, s, p, s});
      }
    header.goal = std::move(goal);
  }
  sink.begin(header);
  PopsSlot slot;
  for (const std::vector<Hop>& hops : hops_by_slot(packets)) {
    if (hops.empty()) continue;
    slot.clear();
    for (const Hop hop : hops) {
      const Packet& p = packets[hop / 2];
      const bool second = hop % 2 != 0;
      const bool there = second || p.relay == no_relay;  // this hop ends at the destination
      const Word from = second ? p.relay : p.from;
      const Word to = there ? p.to : p.relay;
      slot.sends.push_back(
          {from, second ? waiting[hop / 2] : p.from_register, {group_of(machine, to)}});
      slot.receives.push_back(
          {to, group_of(machine, from), there ? p.to_register : waiting[hop / 2]});
    }
    sink.step(slot);
  }
  sink.finish();
}

void emit_permutation(const Request& request, std::string_view planner,
                      const std::vector<Packet>& packets, ScheduleSink& sink) {
  const std::uint64_t n = processors(std::get<Pops>(request.machine()));
  std::vector<Slot> result(n, 0);
  for (const Packet& p : packets) result[p.to] = p.to_register;
  if (packets.size() == n) result = {1};
  if (packets.empty()) result = {0};
  emit(request, planner, packets, std::move(result), sink);
}

std::optional<std::string> no_list(const Request& request) {
  const auto* machine = std::get_if<Pops>(&request.machine());
  if (machine == nullptr) return "the machine is no POPS network";
  if (request.destinations().empty()) {
    if (auto why = no_rules(request)) return why;
    if (address_bits(*machine) > limits::pops_list_log2_max)
      return fmt::format("more than 2^{} processors are not listed one by one",
                         limits::pops_list_log2_max);
    return std::nullopt;
  }
  const std::uint64_t n = processors(*machine);
  if (n > bit(limits::pops_list_log2_max + 2))
    return fmt::format("more than 2^{} processors are not listed one by one",
                       limits::pops_list_log2_max + 2);
  if (request.destinations().size() != n && request.destinations().size() != n * request.elements())
    return fmt::format("{} destinations for {} processors", request.destinations().size(), n);
  return std::nullopt;
}

std::optional<std::string> no_permutation(const Request& request) {
  if (auto why = no_list(request)) return why;
  if (request.elements() != 1) return "one element a processor only";
  std::vector<bool> taken(request.destinations().size(), false);
  for (std::size_t p = 0; p < taken.size(); ++p) {
    const Word to = request.destinations()[p];
    if (to >= taken.size() || taken[to])
      return fmt::format("the destinations are no permutation: processor {} sends to {}", p, to);
    taken[to] = true;
  }
  return std::nullopt;
}

std::vector<Word> destinations(const Request& request) {
  if (!request.destinations().empty()) return request.destinations();
  const BitMap map = processor_map(request);
  std::vector<Word> to(bit(map.width()));
  apply_consecutive(map, 0, to);
  return to;
}

}  // namespace faro::inline v1::pops
