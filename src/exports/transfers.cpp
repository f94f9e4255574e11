#include "exports/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/mesh/geometry.hpp"
#include "schedules/expand.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

// A place holds home_processor * elements + home_slot, or this.
constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
constexpr Slot register_count = 3;  // R, S, T of the SIMD mesh

class Transfers : public ScheduleSink {
 public:
  explicit Transfers(TransferSink& to) : to_(to) {}

  void begin(const ScheduleHeader& header) override {
    refuse_turns(header, "an export");
    header_ = header;
    if (const auto* mesh = std::get_if<Mesh>(&header.machine)) {
      geometry_.emplace(*mesh);
      program_ = mesh->links == Mesh::Links::one_route;
    }
    const Count processors_here = processors(header.machine);
    slots_ = program_ ? register_count : std::max(header.slots, header.elements);
    const Count places = processors_here * std::max<std::uint64_t>(slots_, 1);
    if (places > bit(limits::replay_elements_log2_max))
      throw Error(ErrorCode::limit,
                  fmt::format("elements are followed one by one up to 2^{} places; this schedule "
                              "has {}",
                              limits::replay_elements_log2_max, to_string(places)));
    processors_ = static_cast<std::uint64_t>(processors_here);
    homes_.assign(static_cast<std::size_t>(places), unknown);
    if (moves_only(header.goal)) set_homes();
    to_.begin(header);
  }

  void step(const CubeStep& step) override {
    list_.clear();
    for (const Move& m : step.moves) {
      std::uint64_t channel = 0;
      if (m.from_processor != m.to_processor) channel = channel_of(m);
      add(m.from_processor, m.from_slot, m.to_processor, m.to_slot, channel);
    }
    hand_on();
    for (const Butterfly& b : step.butterflies) {
      homes_[place(b.processor, b.low)] = homes_[place(b.processor, b.high)] = unknown;
      if (b.result != ButterflyRule::Result::both) homes_[place(b.processor, b.to)] = unknown;
    }
  }

  void step(const MeshInstruction& instruction) override {
    list_.clear();
    std::uint64_t length = 0;
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      length = static_cast<std::uint64_t>(std::abs(route->by));
      this->route(*route);
    } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
      for (Word p = 0; p < processors_; ++p)
        if (meets(p, copy->mask, copy->where)) add_register(p, copy->from, copy->to);
    } else if (const auto* swap = std::get_if<MeshSwap>(&instruction)) {
      for (Word p = 0; p < processors_; ++p)
        if (meets(p, swap->mask, swap->where)) {
          add_register(p, swap->a, swap->b);
          add_register(p, swap->b, swap->a);
        }
    }
    hand_on(length);
  }

  void step(const PopsSlot& slot) override {
    list_.clear();
    const auto* pops = std::get_if<Pops>(&header_.machine);
    const std::uint64_t size = pops != nullptr ? pops->group_size : 1;
    const std::uint64_t groups = pops != nullptr ? pops->groups : processors_;
    lit_.clear();
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups)
        if (to < groups) lit_.try_emplace(to * groups + send.processor / size, &send);
    for (const PopsReceive& receive : slot.receives) {
      if (receive.from_group >= groups) continue;
      const std::uint64_t coupler = receive.processor / size * groups + receive.from_group;
      const auto sender = lit_.find(coupler);
      if (sender == lit_.end()) continue;
      add(sender->second->processor, sender->second->reg, receive.processor, receive.reg,
          pops != nullptr ? coupler : 0);
    }
    // A POPS slot costs wherever somebody sends, on a switch only what leaves its processor.
    hand_on(pops != nullptr && !slot.sends.empty() ? 1 : any_remote());
    for (const PopsOperation& operation : slot.operations)
      homes_[place(operation.processor, operation.to)] = unknown;
  }

  void finish() override { to_.finish(); }

 private:
  static bool moves_only(const Goal& goal) {
    return std::holds_alternative<MapGoal>(goal) || std::holds_alternative<MovesGoal>(goal);
  }

  void set_homes() {
    const auto data = static_cast<Slot>(MeshRegister::s);
    for (Word p = 0; p < processors_; ++p) {
      if (program_)
        homes_[place(p, data)] = p;
      else
        for (Slot s = 0; s < header_.elements; ++s) homes_[place(p, s)] = p * header_.elements + s;
    }
  }

  std::size_t place(Word processor, Slot slot) const {
    if (processor >= processors_ || slot >= slots_)
      throw Error(ErrorCode::refused,
                  fmt::format("step {}: slot {} of processor {} is no place of this machine",
                              number_, slot, processor));
    return static_cast<std::size_t>(processor * slots_ + slot);
  }

  std::uint64_t channel_of(const Move& m) const {
    if (!geometry_)
      return static_cast<std::uint64_t>(highest_bit(m.from_processor ^ m.to_processor));
    place(m.from_processor, 0);
    place(m.to_processor, 0);
    for (int d = 0; d < geometry_->dimensions(); ++d) {
      const std::int64_t by =
          geometry_->coordinate(m.to_processor, d) - geometry_->coordinate(m.from_processor, d);
      if (by == 0) continue;
      // One step up is +1, or around the ring from its end.
      const bool up = by == 1 || (by != -1 && by < 0);
      return 2 * static_cast<std::uint64_t>(d) + (up ? 0 : 1);
    }
    return 0;
  }

  void add(Word from, Slot from_slot, Word to, Slot to_slot, std::uint64_t channel) {
    Transfer transfer{from, from_slot, to, to_slot, channel, {}};
    const std::uint64_t home = homes_[place(from, from_slot)];
    if (home != unknown) {
      const std::uint64_t elements = program_ ? 1 : header_.elements;
      transfer.home = {home / elements, static_cast<Slot>(home % elements)};
    }
    place(to, to_slot);
    list_.push_back(transfer);
  }
  void add_register(Word p, MeshRegister from, MeshRegister to) {
    if (homes_[place(p, static_cast<Slot>(from))] != unknown ||
        homes_[place(p, static_cast<Slot>(to))] != unknown)
      add(p, static_cast<Slot>(from), p, static_cast<Slot>(to), 0);
  }

  void route(const MeshRoute& route) {
    if (route.dimension < 0 || route.dimension >= geometry_->dimensions() ||
        static_cast<std::uint64_t>(std::abs(route.by)) >=
            static_cast<std::uint64_t>(geometry_->side(route.dimension)))
      throw Error(ErrorCode::refused, fmt::format("step {}: no route by {} along dimension {} here",
                                                  number_, route.by, route.dimension));
    const auto r = static_cast<Slot>(MeshRegister::r);
    const std::uint64_t channel =
        2 * static_cast<std::uint64_t>(route.dimension) + (route.by > 0 ? 0 : 1);
    for (Word p = 0; p < processors_; ++p)
      if (const auto to = geometry_->routed(p, route.dimension, route.by))
        if (homes_[place(p, r)] != unknown) add(p, r, *to, r, channel);
    // What is not replaced left all the same.
    routed_ = true;
  }

  static bool meets(Word p, const TernaryMask& mask, const std::vector<Parity>& where) {
    return mask.holds(p) &&
           std::all_of(where.begin(), where.end(), [p](const Parity& c) { return c.holds(p); });
  }

  std::uint64_t any_remote() const {
    return std::any_of(list_.begin(), list_.end(), [](const Transfer& t) { return !t.is_inside(); })
               ? 1
               : 0;
  }

  void hand_on() { hand_on(any_remote()); }
  void hand_on(std::uint64_t length) {
    written_.clear();
    for (const Transfer& t : list_)
      written_.emplace_back(place(t.to, t.to_slot), homes_[place(t.from, t.from_slot)]);
    if (routed_)
      for (Word p = 0; p < processors_; ++p)
        homes_[place(p, static_cast<Slot>(MeshRegister::r))] = unknown;
    routed_ = false;
    for (const auto& [to, home] : written_) homes_[to] = home;
    to_.step({number_, time_, length, list_});
    time_ += length;
    ++number_;
  }

  TransferSink& to_;
  ScheduleHeader header_;
  std::optional<MeshGeometry> geometry_;
  bool program_ = false;
  bool routed_ = false;
  std::uint64_t processors_ = 0;
  std::uint64_t slots_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t time_ = 0;
  std::vector<std::uint64_t> homes_;
  std::vector<Transfer> list_;
  std::vector<std::pair<std::size_t, std::uint64_t>> written_;
  std::unordered_map<std::uint64_t, const PopsSend*> lit_;
};

// The two in one.
class ExpandedTransfers : public ScheduleSink {
 public:
  explicit ExpandedTransfers(TransferSink& to) : transfers_(to), expanding_(transfers_) {}
  void begin(const ScheduleHeader& header) override { expanding_.begin(header); }
  void step(const CubeStep& step) override { expanding_.step(step); }
  void step(const MeshInstruction& instruction) override { expanding_.step(instruction); }
  void step(const PopsSlot& slot) override { expanding_.step(slot); }
  void finish() override { expanding_.finish(); }

 private:
  Transfers transfers_;
  ExpandingSink expanding_;
};

}  // namespace

std::unique_ptr<ScheduleSink> transfers_into(TransferSink& to) {
  return std::make_unique<ExpandedTransfers>(to);
}

std::string channel_name(const Machine& machine, std::uint64_t channel) {
  if (std::holds_alternative<Hypercube>(machine)) return fmt::format("dimension {}", channel);
  if (std::holds_alternative<Mesh>(machine))
    return fmt::format("{}{}", channel % 2 == 0 ? '+' : '-', channel / 2);
  if (const auto* pops = std::get_if<Pops>(&machine))
    return fmt::format("coupler c({},{})", channel / pops->groups, channel % pops->groups);
  return "port";
}

std::uint64_t channel_count(const Machine& machine) {
  if (const auto* cube = std::get_if<Hypercube>(&machine))
    return static_cast<std::uint64_t>(cube->dimensions);
  if (const auto* mesh = std::get_if<Mesh>(&machine)) return 2 * mesh->sides_log2.size();
  if (const auto* pops = std::get_if<Pops>(&machine)) return pops->groups * pops->groups;
  return 1;
}

}  // namespace faro::inline v1
