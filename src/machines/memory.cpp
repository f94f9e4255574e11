// Steps of every machine, spelled out into moves between places.
#include "machines/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

// A table of all couplers up to here; beyond, only those in use are kept.
constexpr std::uint64_t tabled_groups_max = 4096;

}  // namespace

MachineMemory::MachineMemory(const Machine& machine, const Options& options)
    : machine_(machine),
      processors_(static_cast<std::uint64_t>(faro::processors(machine))),
      bits_(address_bits(machine).value_or(0)),
      bytes_(options.element_bytes),
      slots_most_(options.slots) {
  if (std::holds_alternative<Hypercube>(machine) && options.slots > limits::slots_max)
    throw Error(ErrorCode::limit, fmt::format("{} slots a processor; at most {} are simulated",
                                              options.slots, limits::slots_max));
  if (const auto* pops = std::get_if<Pops>(&machine)) star_ = *pops;
  if (std::holds_alternative<Crossbar>(machine)) star_ = {.group_size = 1, .groups = processors_};
}

std::byte* MachineMemory::at(Word processor, Slot slot) {
  FARO_CHECK(processor < processors_ && slot < slots_most_);
  if (slot >= slots_.size()) slots_.resize(std::size_t{slot} + 1);
  std::vector<std::byte>& all = slots_[slot];
  if (all.empty()) all.resize(size_product(processors_, bytes_, "a slot of all processors"));
  return all.data() + processor * bytes_;
}

void MachineMemory::move(Place from, Place to) {
  const std::byte* read = at(from.first, from.second);
  stage_.insert(stage_.end(), read, read + bytes_);
  arrivals_.push_back(to);
}

void MachineMemory::land() {
  const std::byte* value = stage_.data();
  for (const auto& [processor, slot] : arrivals_) {
    std::memcpy(at(processor, slot), value, bytes_);
    value += bytes_;
  }
  stage_.clear();
  arrivals_.clear();
}

void MachineMemory::perform(const CubeStep& step) {
  for (const Rule& rule : step.rules) {
    const Word flip = rule.across == inside ? 0 : bit(rule.across);
    AffineSpace::where(bits_, rule.where).for_each([&](Word p) {
      move({p, rule.from}, {p ^ flip, rule.to});
    });
  }
  for (const Move& m : step.moves)
    move({m.from_processor, m.from_slot}, {m.to_processor, m.to_slot});
  land();
}

void MachineMemory::perform(const MeshInstruction& instruction) {
  const auto slot = [](MeshRegister reg) { return static_cast<Slot>(reg); };
  const auto each_enabled = [this](const auto& operation, auto&& work) {
    const std::vector<Parity>& where = operation.where;
    for (Word p = 0; p < processors_; ++p)
      if (operation.mask.holds(p) &&
          std::all_of(where.begin(), where.end(), [p](const Parity& c) { return c.holds(p); }))
        work(p);
  };
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    const MeshGeometry geometry(std::get<Mesh>(machine_));
    const Slot r = slot(MeshRegister::r);
    for (Word p = 0; p < processors_; ++p)
      if (const auto to = geometry.routed(p, route->dimension, route->by)) move({p, r}, {*to, r});
  } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
    each_enabled(*copy, [&](Word p) { move({p, slot(copy->from)}, {p, slot(copy->to)}); });
  } else {
    const auto& swap = std::get<MeshSwap>(instruction);
    each_enabled(swap, [&](Word p) {
      move({p, slot(swap.a)}, {p, slot(swap.b)});
      move({p, slot(swap.b)}, {p, slot(swap.a)});
    });
  }
  land();
}

void MachineMemory::drive(std::uint64_t to_group, const PopsSend& send) {
  const std::uint64_t key = to_group * star_.groups + pops::group_of(star_, send.processor);
  (dense_couplers_.empty() ? sparse_couplers_[key] : dense_couplers_.at(key)) = {send.processor,
                                                                                 send.reg};
}

void MachineMemory::receive(const PopsReceive& receive) {
  const std::uint64_t key =
      pops::group_of(star_, receive.processor) * star_.groups + receive.from_group;
  move(dense_couplers_.empty() ? sparse_couplers_.at(key) : dense_couplers_.at(key),
       {receive.processor, receive.reg});
}

void MachineMemory::perform(const PopsSlot& slot) {
  sparse_couplers_.clear();
  if (!slot.sends.empty() && star_.groups <= tabled_groups_max)
    dense_couplers_.resize(star_.groups * star_.groups);
  for (const PopsSend& send : slot.sends)
    for (const std::uint64_t to : send.to_groups) drive(to, send);
  for (const PopsReceive& hears : slot.receives) receive(hears);
  for (const PopsRule& rule : slot.rules)
    AffineSpace::where(bits_, rule.where).for_each([&](Word p) {
      move({p, rule.reg}, {pops::destination(rule.to, p), rule.into});
    });
  land();
}

}  // namespace faro::inline v1
