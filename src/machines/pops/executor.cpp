// A slot first sends all messages, then listens, then writes what was heard, and computes last.
#include "machines/pops/executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/parity_blocks.hpp"
#include "machines/pops/model.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

// A table of all couplers up to here; beyond, only those in use are kept.
constexpr std::uint64_t dense_groups_max = 4096;

// Operations whose operands are on their way while one is carried out.
constexpr std::size_t operations_ahead = 16;

}  // namespace

void PopsExecutor::prepare(const ScheduleHeader& header) {
  header_ = header;
  machine_ = std::get<Pops>(header.machine);
  processors_ = pops::processors(machine_);
  numbers_ = std::holds_alternative<MatmulGoal>(header.goal);
  if (processors_ > bit(limits::replay_elements_log2_max))
    throw Error(ErrorCode::limit,
                fmt::format("replay spells out at most 2^{} processors, not {}; verify by proof",
                            limits::replay_elements_log2_max, processors_));
  sends_mark_.assign(processors_, 0);
  receives_mark_.assign(processors_, 0);
  if (numbers_) {
    work_.assign(processors_, {0, 0});
    width_ = 2;
  }
  if (machine_.groups <= dense_groups_max)
    dense_couplers_.assign(machine_.groups * machine_.groups, {0, 0});
}

PopsExecutor::Bank& PopsExecutor::bank_for_writing(Slot reg) {
  if (reg >= limits::replay_registers_max)
    throw Error(ErrorCode::limit, fmt::format("register {}: replay knows registers below {}", reg,
                                              limits::replay_registers_max));
  if (reg >= banks_.size()) banks_.resize(std::size_t{reg} + 1);
  Bank& bank = banks_[reg];
  if (bank.cells.empty()) {
    cells_ += processors_;
    if (cells_ > limits::pops_cells_max)
      throw Error(ErrorCode::limit,
                  fmt::format("{} processors with more than {} registers in use: replay holds at "
                              "most 2^28 registers",
                              processors_, limits::pops_cells_max / processors_));
    still_working();  // a slot may write hundreds of registers of millions of processors
    bank.cells.assign(processors_ * width_, 0);
    bank.full.assign((processors_ + word_bits - 1) / word_bits, 0);
  }
  return bank;
}

void PopsExecutor::put(Word processor, Slot reg, Word token, double real) {
  Bank& bank = bank_for_writing(reg);
  bank.cells[processor * width_] = token;
  if (width_ > 1) std::memcpy(&bank.cells[processor * width_ + 1], &real, sizeof real);
  bank.full[processor / word_bits] |= bit(static_cast<int>(processor % word_bits));
}

bool PopsExecutor::holds(Word processor, Slot reg) const {
  return reg < banks_.size() && !banks_[reg].full.empty() &&
         has_bit(banks_[reg].full[processor / word_bits], static_cast<int>(processor % word_bits));
}

bool PopsExecutor::in_range(Word processor, const char* what) {
  if (processor < processors_) return true;
  return refuse("R8", {.processor = processor}, "{} processor {}; the machine has 0..{}", what,
                processor, processors_ - 1);
}

void PopsExecutor::send(Word processor, Slot reg) {
  const Violation::Place at{.processor = processor, .slot = reg};
  sent_.push_back({processor, 0, 0});
  if (sends_mark_[processor] == slot_)
    breach("R2", at, "processor {} sends two messages", processor);
  sends_mark_[processor] = slot_;
  if (reg >= header_.slots) {
    breach("R7", at, "processor {} sends register {} of {}", processor, reg, header_.slots);
  } else if (!holds(processor, reg)) {
    breach("R5", at, "processor {} sends register {}, which is empty", processor, reg);
  } else {
    sent_.back().token = token(processor, reg);
    if (width_ > 1) sent_.back().real = real(processor, reg);
  }
}

// The last message sent, over one more coupler.
void PopsExecutor::drive(std::uint64_t to_group) {
  const Word sender = sent_.back().processor;
  const std::uint64_t from_group = pops::group_of(machine_, sender);
  if (to_group >= machine_.groups) {
    breach("R8", {.processor = sender}, "processor {} sends to group {}; the machine has 0..{}",
           sender, to_group, machine_.groups - 1);
    return;
  }
  if (const auto before = driver(to_group, from_group)) {
    breach("R1", {.processor = sender}, "coupler c({},{}) has two senders, processors {} and {}",
           to_group, from_group, sent_[*before].processor, sender);
    return;
  }
  const std::uint64_t key = to_group * machine_.groups + from_group;
  if (dense_couplers_.empty())
    sparse_couplers_.emplace(key, sent_.size() - 1);
  else
    dense_couplers_[key] = {slot_, static_cast<std::uint32_t>(sent_.size() - 1)};
}

std::optional<std::size_t> PopsExecutor::driver(std::uint64_t to_group,
                                                std::uint64_t from_group) const {
  const std::uint64_t key = to_group * machine_.groups + from_group;
  if (!dense_couplers_.empty()) {
    const auto& [mark, sent] = dense_couplers_[key];
    return mark == slot_ ? std::optional<std::size_t>(sent) : std::nullopt;
  }
  const auto found = sparse_couplers_.find(key);
  return found == sparse_couplers_.end() ? std::nullopt : std::optional(found->second);
}

void PopsExecutor::receive(Word processor, std::uint64_t from_group, Slot reg) {
  const Violation::Place at{.to = processor, .slot = reg};
  if (from_group >= machine_.groups) {
    breach("R8", at, "processor {} listens to group {}; the machine has 0..{}", processor,
           from_group, machine_.groups - 1);
    return;
  }
  if (reg >= header_.slots) {
    breach("R7", at, "processor {} receives into register {} of {}", processor, reg, header_.slots);
    return;
  }
  if (!machine_.multi_receive && receives_mark_[processor] == slot_)
    breach("R3", at, "processor {} listens to two couplers", processor);
  receives_mark_[processor] = slot_;
  const auto sent = driver(pops::group_of(machine_, processor), from_group);
  if (!sent) {
    breach("R4", at, "processor {} listens to coupler c({},{}), which nobody drives", processor,
           pops::group_of(machine_, processor), from_group);
    return;
  }
  writes_.push_back({processor, from_group, reg, *sent});
}

bool PopsExecutor::well_formed(const PopsRule& rule) {
  if (!pops::has_address_bits(machine_))
    return refuse("R8", {}, "a rule over address bits, but d and g are no powers of two");
  const int bits = pops::address_bits(machine_);
  if (rule.to.size() != static_cast<std::size_t>(bits))
    return refuse("R8", {}, "a rule with {} rows; a processor number has {} bits", rule.to.size(),
                  bits);
  if (replay_goal::beyond(rule.where, bits) == nullptr &&
      replay_goal::beyond(rule.to, bits) == nullptr)
    return true;
  return refuse("R8", {}, "a rule with a mask beyond the {} bits of a processor number", bits);
}

void PopsExecutor::send_by(const PopsRule& rule) {
  for_each_meeting(pops::address_bits(machine_), rule.where, [&](Word p) {
    send(p, rule.reg);
    drive(pops::group_of(machine_, pops::destination(rule.to, p)));
  });
}

void PopsExecutor::receive_by(const PopsRule& rule) {
  for_each_meeting(pops::address_bits(machine_), rule.where, [&](Word p) {
    receive(pops::destination(rule.to, p), pops::group_of(machine_, p), rule.into);
  });
}

// R3 for multi-receive, and R6: only there can one processor receive twice.
void PopsExecutor::check_writes() {
  std::vector<std::pair<Word, std::uint64_t>> heard;
  std::vector<std::pair<Word, std::uint64_t>> written;
  for (const Write& w : writes_) {
    heard.emplace_back(w.processor, w.from_group);
    written.emplace_back(w.processor, w.reg);
  }
  std::sort(heard.begin(), heard.end());
  std::sort(written.begin(), written.end());
  if (const auto twice = std::adjacent_find(heard.begin(), heard.end()); twice != heard.end())
    breach("R3", {.to = twice->first}, "processor {} listens twice to the coupler from group {}",
           twice->first, twice->second);
  if (const auto twice = std::adjacent_find(written.begin(), written.end()); twice != written.end())
    breach("R6", {.to = twice->first, .slot = static_cast<Slot>(twice->second)},
           "two writes to register {} of processor {}", twice->second, twice->first);
}

void PopsExecutor::operate(const PopsOperation& op) {
  if (!in_range(op.processor, "an operation of")) return;
  using Kind = PopsOperation::Kind;
  const bool reads_a = op.kind != Kind::zero;
  const bool reads_b = reads_a && op.kind != Kind::copy;
  if (op.to >= header_.slots) {
    breach("R7", {.processor = op.processor, .slot = op.to},
           "processor {} computes into register {} of {}", op.processor, op.to, header_.slots);
    return;
  }
  for (const auto& [reg, read] : {std::pair{op.a, reads_a}, std::pair{op.b, reads_b},
                                  std::pair{op.to, op.kind == Kind::multiply_add}})
    if (read && !holds(op.processor, reg)) {
      breach("R9", {.processor = op.processor, .slot = reg},
             "processor {} computes with register {}, which is empty", op.processor, reg);
      return;
    }
  const Word a = reads_a ? token(op.processor, op.a) : 0;
  const Word b = reads_b ? token(op.processor, op.b) : 0;
  const double x = reads_a ? real(op.processor, op.a) : 0;
  const double y = reads_b ? real(op.processor, op.b) : 0;
  switch (op.kind) {
    case Kind::multiply:
      put(op.processor, op.to, a * b, x * y);
      break;
    case Kind::multiply_add:
      put(op.processor, op.to, token(op.processor, op.to) + a * b,
          real(op.processor, op.to) + x * y);
      break;
    case Kind::add:
      put(op.processor, op.to, a + b, x + y);
      break;
    case Kind::copy:
      put(op.processor, op.to, a, x);
      break;
    case Kind::zero:
      put(op.processor, op.to, 0, 0);
      break;
  }
  if (!reads_b) return;
  auto& [mark, count] = work_[op.processor];
  count = mark == slot_ ? count + 1 : 1;
  mark = slot_;
  busiest_ = std::max<std::uint64_t>(busiest_, count);
}

// Operands lie far apart, a register in each bank: asks for them before their turn.
void PopsExecutor::fetch_ahead(const PopsOperation& op) const {
  for (const Slot reg : {op.a, op.b})
    if (op.processor < processors_ && reg < banks_.size() && !banks_[reg].cells.empty())
      __builtin_prefetch(&banks_[reg].cells[op.processor * width_]);
}

PopsExecutor::Work PopsExecutor::perform(const PopsSlot& slot) {
  if (++slot_ == 0) throw Error(ErrorCode::limit, "replay follows at most 2^32 - 1 slots");
  sparse_couplers_.clear();
  sent_.clear();
  writes_.clear();
  busiest_ = 0;
  each_of("sends", slot.sends, [this](const PopsSend& s) {
    if (!in_range(s.processor, "a message of")) return;
    send(s.processor, s.reg);
    if (s.to_groups.empty())
      breach("R8", {.processor = s.processor}, "processor {} sends to no coupler", s.processor);
    for (const std::uint64_t to : s.to_groups) drive(to);
  });
  std::vector<bool> fit;
  each_of("rules", slot.rules, [&](const PopsRule& rule) { fit.push_back(well_formed(rule)); });
  each_of("rules", slot.rules, [&](const PopsRule& rule) {
    if (fit[entry_]) send_by(rule);
  });
  each_of("receives", slot.receives, [this](const PopsReceive& r) {
    if (in_range(r.processor, "a receive of")) receive(r.processor, r.from_group, r.reg);
  });
  each_of("rules", slot.rules, [&](const PopsRule& rule) {
    if (fit[entry_]) receive_by(rule);
  });
  if (machine_.multi_receive) check_writes();
  for (const Write& w : writes_) put(w.processor, w.reg, sent_[w.sent].token, sent_[w.sent].real);
  if (!slot.operations.empty() && !numbers_) {
    breach("R9", {}, "operations in a schedule that only moves data");
  } else {
    each_of("ops", slot.operations, [&](const PopsOperation& operation) {
      if (entry_ + operations_ahead < slot.operations.size())
        fetch_ahead(slot.operations[entry_ + operations_ahead]);
      operate(operation);
    });
  }
  return {!sent_.empty(), busiest_};
}

}  // namespace faro::inline v1
