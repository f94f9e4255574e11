// A slot first reads all messages, each for the couplers that it drives, and then writes what was
// received.
#include "machines/pops/registers.hpp"

#include <fmt/format.h>

#include <cstring>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

// A table of all couplers up to here; beyond, only those in use are kept.
constexpr std::uint64_t tabled_groups_max = 4096;

Word receiver_of(const PopsRule& rule, Word p) {
  Word q = 0;
  for (const Parity& row : rule.to) q = (q << 1U) | (parity(p & row.mask) ^ row.value);
  return q;
}

}  // namespace

PopsRegisters::PopsRegisters(const Pops& machine, const Options& options)
    : machine_(machine), processors_(pops::processors(machine)), bytes_(options.element_bytes) {
  if (processors_ > bit(limits::replay_elements_log2_max))
    throw Error(
        ErrorCode::limit,
        fmt::format("pops:{},{} has {} processors; at most 2^{} are simulated", machine.group_size,
                    machine.groups, processors_, limits::replay_elements_log2_max));
  if (machine.groups <= tabled_groups_max)
    dense_couplers_.assign(machine.groups * machine.groups, 0);
}

std::byte* PopsRegisters::at(Word processor, Slot reg) {
  if (reg >= banks_.size()) banks_.resize(std::size_t{reg} + 1);
  std::vector<std::byte>& bank = banks_[reg];
  if (bank.empty()) bank.resize(size_product(processors_, bytes_, "a register of all processors"));
  return bank.data() + processor * bytes_;
}

// The message just read goes over one more coupler.
void PopsRegisters::drive(std::uint64_t to_group, Word sender) {
  const std::uint64_t key = to_group * machine_.groups + pops::group_of(machine_, sender);
  if (dense_couplers_.empty())
    sparse_couplers_[key] = message_count_ - 1;
  else
    dense_couplers_[key] = message_count_ - 1;
}

std::size_t PopsRegisters::driver(std::uint64_t to_group, std::uint64_t from_group) const {
  const std::uint64_t key = to_group * machine_.groups + from_group;
  return dense_couplers_.empty() ? sparse_couplers_.at(key) : dense_couplers_[key];
}

void PopsRegisters::receive(Word processor, std::uint64_t from_group, Slot reg) {
  writes_.push_back({processor, reg, driver(pops::group_of(machine_, processor), from_group)});
}

void PopsRegisters::move(const PopsSlot& slot) {
  messages_.clear();
  message_count_ = 0;
  writes_.clear();
  sparse_couplers_.clear();
  const auto read = [&](Word processor, Slot reg) {
    const std::byte* from = at(processor, reg);
    messages_.insert(messages_.end(), from, from + bytes_);
    ++message_count_;
  };
  for (const PopsSend& s : slot.sends) {
    read(s.processor, s.reg);
    for (const std::uint64_t to : s.to_groups) drive(to, s.processor);
  }
  const int bits = slot.rules.empty() ? 0 : pops::address_bits(machine_);
  for (const PopsRule& rule : slot.rules)
    AffineSpace::where(bits, rule.where).for_each([&](Word p) {
      read(p, rule.reg);
      drive(pops::group_of(machine_, receiver_of(rule, p)), p);
    });
  for (const PopsReceive& r : slot.receives) receive(r.processor, r.from_group, r.reg);
  for (const PopsRule& rule : slot.rules)
    AffineSpace::where(bits, rule.where).for_each([&](Word p) {
      receive(receiver_of(rule, p), pops::group_of(machine_, p), rule.into);
    });
  for (const Write& w : writes_)
    std::memcpy(at(w.processor, w.reg), messages_.data() + w.message * bytes_, bytes_);
}

}  // namespace faro::inline v1
