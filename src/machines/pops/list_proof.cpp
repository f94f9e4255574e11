// Each slot is held against the couplers by sorted lists of who uses what; what moves is followed
// back from the goal (machines/backtrace.hpp), what is computed is kept as polynomials
// (machines/pops/products.hpp).
#include "machines/pops/list_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/working.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/base/limits.hpp"
#include "machines/backtrace.hpp"
#include "machines/claims.hpp"
#include "machines/pieces.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/products.hpp"

namespace faro::inline v1 {
namespace {

using pops_products::Value;
using Place = Backtrace::Place;

class PopsListProof : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  // A coupler with its message, and who listens to one.
  struct Driven {
    std::uint64_t to_group;
    std::uint64_t from_group;
    Place sent;
    auto key() const { return std::tie(to_group, from_group); }
  };
  struct Hearer {
    Word processor;
    std::uint64_t from_group;
    Slot reg;
    std::size_t entry;
  };

  void bad(const char* rule, std::string message, Violation::Place at = {}) {
    at.list = list_;
    at.entry = entry_;
    verdict_.add({slots_, rule, std::move(message), std::move(at)});
    broken_ = true;
  }
  void give_up(std::string limit) {
    verdict_.answer = Verdict::Answer::unprovable;
    if (verdict_.limit.empty()) verdict_.limit = std::move(limit);
    gave_up_ = true;
  }
  void check_header();
  void check(const MapGoal& goal);
  void check(const MovesGoal& goal);
  void check(const MatmulGoal& goal);
  void check(const BroadcastGoal& goal);
  void check(const ButterflyGoal&) { bad("goal", "a POPS network emulates no butterfly"); }
  void fill();
  bool well_formed(const PopsRule& rule);
  void take(const PopsSend& send);
  void take(const PopsReceive& receive);
  void take(const PopsRule& rule);
  bool sends(Word processor, Slot reg);
  void drives(std::uint64_t to_group, std::uint64_t from_group, Place sent);
  void hears(Word processor, std::uint64_t from_group, Slot reg);
  void check_uses();
  void perform();
  void operate(const PopsOperation& operation);
  bool holds(Place place) const {
    return product_ ? values_[place].kind != Value::Kind::nothing : trace_.holds(place);
  }
  Place place(Word processor, std::uint64_t reg) const {
    return static_cast<Place>(processor * header_.slots + reg);
  }
  void deliver(const MapGoal& goal);
  void deliver(const MovesGoal& goal);
  void deliver(const MatmulGoal& goal);
  void deliver(const BroadcastGoal& goal);
  void deliver(const ButterflyGoal&) {}
  void expect(Word processor, std::uint64_t reg, Place start);
  void expect_somewhere(Word processor, std::vector<Place> starts);
  std::optional<std::uint64_t> result_of(Word processor) const;

  ScheduleHeader header_;
  Pops machine_;
  std::uint64_t n_ = 0;
  const MatmulGoal* product_ = nullptr;  // in header_
  Backtrace trace_;
  std::vector<Value> values_;  // of a product, by place
  std::vector<Place> starts_;  // at the end, by place
  std::vector<Driven> driven_;
  std::vector<Word> senders_;
  std::vector<Hearer> hearers_;
  std::vector<std::uint64_t> work_;  // operations of the slot, by processor
  Verdict verdict_;
  bool broken_ = false;
  bool gave_up_ = false;
  Count slots_ = 0;
  const char* list_ = "";  // the entry of the slot that is looked at
  std::size_t entry_ = 0;
};

void PopsListProof::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.by = "proof";
  machine_ = std::get<Pops>(header.machine);
  n_ = pops::processors(machine_);
  product_ = std::get_if<MatmulGoal>(&header_.goal);
  if (!pops_listed(header_))
    return give_up(
        fmt::format("lists of sends are proved for at most 2^{} registers of all processors, "
                    "products of matrices for 2^{}",
                    limits::proof_listed_places_log2_max, limits::proof_product_places_log2_max));
  check_header();
  if (!broken_) fill();
}

void PopsListProof::check_header() {
  if (header_.elements == 0 || header_.slots < header_.elements)
    bad("R7",
        fmt::format("{} elements in {} registers of a processor", header_.elements, header_.slots));
  if (header_.result.size() > 1 && header_.result.size() != n_)
    bad("result",
        fmt::format("result registers for {} of {} processors", header_.result.size(), n_));
  if (!header_.result.empty())
    if (const Slot most = *std::max_element(header_.result.begin(), header_.result.end());
        most >= header_.slots)
      bad("R7", fmt::format("result register {} of {}", most, header_.slots));
  std::visit([this](const auto& goal) { check(goal); }, header_.goal);
}

void PopsListProof::check(const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const int bits = goal.map.width() - memory;
  if (bits < 0 || bits >= word_bits || bit(bits) != n_)
    bad("goal", fmt::format("a map on {} processor bits for {} processors", bits, n_));
  else if (goal.cut && (memory >= word_bits || bit(memory) != header_.elements))
    bad("goal", fmt::format("a map with {} memory bits for {} elements a processor", memory,
                            header_.elements));
}

void PopsListProof::check(const MovesGoal& goal) {
  std::set<Place> from;
  std::set<Place> to;
  for (const Move& m : goal.moves) {
    if (std::max(m.from_processor, m.to_processor) >= n_ ||
        std::max(m.from_slot, m.to_slot) >= header_.slots)
      return bad("goal", "the goal names a register that the machine does not have");
    if (!from.insert(place(m.from_processor, m.from_slot)).second ||
        !to.insert(place(m.to_processor, m.to_slot)).second)
      return bad("goal", "the goal names a register twice",
                 {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
  }
}

void PopsListProof::check(const MatmulGoal& goal) {
  if (goal.order == 0 || Count{goal.order} * goal.order > n_)
    bad("goal", fmt::format("matrices of order {} on {} processors", goal.order, n_));
  if (goal.a == goal.b) bad("goal", fmt::format("A and B share register {}", goal.a));
  if (std::max({goal.a, goal.b, goal.c}) >= header_.slots)
    bad("R7", fmt::format("register {} of {}", std::max({goal.a, goal.b, goal.c}), header_.slots));
}

void PopsListProof::check(const BroadcastGoal& goal) {
  if (goal.root && *goal.root >= n_)
    bad("R8", fmt::format("the root {} of {} processors", *goal.root, n_));
}

void PopsListProof::fill() {
  const auto places = static_cast<std::size_t>(n_ * header_.slots);
  if (product_ != nullptr) {
    values_.resize(places);
    work_.resize(static_cast<std::size_t>(n_));
    const std::uint64_t order = product_->order;
    for (Word p = 0; p < order * order; ++p) {
      const auto i = static_cast<std::uint32_t>(p / order);
      const auto j = static_cast<std::uint32_t>(p % order);
      values_[place(p, product_->a)] = {.kind = Value::Kind::a, .i = i, .j = j};
      values_[place(p, product_->b)] = {.kind = Value::Kind::b, .i = i, .j = j};
    }
    return;
  }
  trace_ = Backtrace(places);
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
    for (const Move& m : moves->moves) trace_.begins(place(m.from_processor, m.from_slot));
  } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
    for (Word p = 0; p < n_; ++p)
      if (broadcast->root.value_or(p) == p) trace_.begins(place(p, 0));
  } else {
    for (Word p = 0; p < n_; ++p)
      for (std::uint64_t e = 0; e < header_.elements; ++e) trace_.begins(place(p, e));
  }
}

bool PopsListProof::well_formed(const PopsRule& rule) {
  const int bits = pops::has_address_bits(machine_) ? pops::address_bits(machine_) : -1;
  const auto fits = [bits](const Parity& c) {
    return (c.mask & ~low_mask(bits)) == 0 && c.value <= 1;
  };
  if (bits >= 0 && rule.to.size() == static_cast<std::size_t>(bits) &&
      std::all_of(rule.where.begin(), rule.where.end(), fits) &&
      std::all_of(rule.to.begin(), rule.to.end(), fits))
    return true;
  bad("R8", "a rule that does not fit the bits of a processor number");
  return false;
}

// Whether there is something to send.
bool PopsListProof::sends(Word processor, Slot reg) {
  const Violation::Place at{.processor = processor, .slot = reg};
  senders_.push_back(processor);
  if (reg >= header_.slots)
    bad("R7", fmt::format("register {} is sent; there are {}", reg, header_.slots), at);
  else if (!holds(place(processor, reg)))
    bad("R5", fmt::format("processor {} sends register {}, where nothing is", processor, reg), at);
  return !broken_;
}

void PopsListProof::drives(std::uint64_t to_group, std::uint64_t from_group, Place sent) {
  if (to_group >= machine_.groups)
    bad("R8", fmt::format("there is no group {} to send to", to_group));
  else
    driven_.push_back({to_group, from_group, sent});
}

void PopsListProof::hears(Word processor, std::uint64_t from_group, Slot reg) {
  const Violation::Place at{.to = processor, .slot = reg};
  if (from_group >= machine_.groups)
    bad("R8", fmt::format("there is no group {} to listen to", from_group), at);
  else if (reg >= header_.slots)
    bad("R7", fmt::format("register {} receives; there are {}", reg, header_.slots), at);
  else
    hearers_.push_back({processor, from_group, reg, entry_});
}

void PopsListProof::take(const PopsSend& send) {
  if (send.processor >= n_)
    return bad("R8", fmt::format("there is no processor {}", send.processor));
  if (send.to_groups.empty())
    bad("R8", fmt::format("what processor {} sends goes nowhere", send.processor));
  if (!sends(send.processor, send.reg)) return;
  for (const std::uint64_t to : send.to_groups)
    drives(to, pops::group_of(machine_, send.processor), place(send.processor, send.reg));
}

void PopsListProof::take(const PopsReceive& receive) {
  if (receive.processor >= n_)
    return bad("R8", fmt::format("there is no processor {}", receive.processor));
  hears(receive.processor, receive.from_group, receive.reg);
}

void PopsListProof::take(const PopsRule& rule) {
  still_working();
  if (!well_formed(rule)) return;
  AffineSpace::where(pops::address_bits(machine_), rule.where).for_each([&](Word p) {
    if (!sends(p, rule.reg)) return;
    const Word q = address_of(rule.to, p);
    drives(pops::group_of(machine_, q), pops::group_of(machine_, p), place(p, rule.reg));
    hears(q, pops::group_of(machine_, p), rule.into);
  });
}

// Who uses something twice stands beside himself in a sorted list.
void PopsListProof::check_uses() {
  std::sort(driven_.begin(), driven_.end(),
            [](const Driven& x, const Driven& y) { return x.key() < y.key(); });
  for (std::size_t i = 1; i < driven_.size(); ++i)
    if (driven_[i].key() == driven_[i - 1].key())
      bad("R1", fmt::format("two messages on the coupler from group {} to group {}",
                            driven_[i].from_group, driven_[i].to_group));
  std::sort(senders_.begin(), senders_.end());
  for (std::size_t i = 1; i < senders_.size(); ++i)
    if (senders_[i] == senders_[i - 1])
      bad("R2", fmt::format("processor {} sends twice", senders_[i]), {.processor = senders_[i]});
  std::sort(hearers_.begin(), hearers_.end(), [](const Hearer& x, const Hearer& y) {
    return std::tie(x.processor, x.from_group, x.entry) <
           std::tie(y.processor, y.from_group, y.entry);
  });
  for (std::size_t i = 1; i < hearers_.size(); ++i) {
    const Hearer& h = hearers_[i];
    const Hearer& before = hearers_[i - 1];
    if (h.processor != before.processor) continue;
    if (!machine_.multi_receive || h.from_group == before.from_group)
      bad("R3", fmt::format("processor {} listens twice", h.processor), {.to = h.processor});
  }
}

// All that is sent is read before anything is written.
void PopsListProof::perform() {
  std::vector<std::pair<Place, Value>> written;
  for (const Hearer& h : hearers_) {
    const std::uint64_t own = pops::group_of(machine_, h.processor);
    const auto wanted = std::tie(own, h.from_group);
    const auto at =
        std::lower_bound(driven_.begin(), driven_.end(), wanted,
                         [](const Driven& d, const auto& key) { return d.key() < key; });
    if (at == driven_.end() || at->key() != wanted) {
      bad("R4",
          fmt::format("processor {} listens to group {}, which sends it nothing", h.processor,
                      h.from_group),
          {.to = h.processor, .slot = h.reg});
      continue;
    }
    const Place into = place(h.processor, h.reg);
    if (product_ != nullptr)
      written.emplace_back(into, values_[at->sent]);
    else if (!trace_.move(at->sent, into))
      bad("R6", fmt::format("register {} of processor {} is written twice", h.reg, h.processor),
          {.to = h.processor, .slot = h.reg});
  }
  if (product_ == nullptr) return trace_.end_step();
  std::set<Place> places;
  for (auto& [into, value] : written) {
    if (!places.insert(into).second) bad("R6", "a register is written twice");
    values_[into] = std::move(value);
  }
}

void PopsListProof::operate(const PopsOperation& op) {
  using Kind = PopsOperation::Kind;
  const bool reads_a = op.kind != Kind::zero;
  const bool reads_b = reads_a && op.kind != Kind::copy;
  if (op.processor >= n_) return bad("R8", fmt::format("there is no processor {}", op.processor));
  const Violation::Place at{.processor = op.processor, .slot = op.to};
  if (op.to >= header_.slots)
    return bad("R7", fmt::format("register {} is computed; there are {}", op.to, header_.slots),
               at);
  for (const auto& [reg, read] : {std::pair{op.a, reads_a}, std::pair{op.b, reads_b},
                                  std::pair{op.to, op.kind == Kind::multiply_add}})
    if (read && (reg >= header_.slots || !holds(place(op.processor, reg))))
      return bad("R9", fmt::format("register {} is computed with, and nothing is there", reg), at);
  const auto value = [&](Slot reg) -> const Value& { return values_[place(op.processor, reg)]; };
  const Value nothing;
  values_[place(op.processor, op.to)] =
      pops_products::result(op.kind, value(op.to), reads_a ? value(op.a) : nothing,
                            reads_b ? value(op.b) : nothing, product_->order);
  if (reads_b) ++work_[static_cast<std::size_t>(op.processor)];
}

void PopsListProof::step(const PopsSlot& slot) {
  bool sent = !slot.sends.empty() || !slot.rules.empty();
  if (!broken_ && !gave_up_) {
    driven_.clear();
    senders_.clear();
    hearers_.clear();
    list_ = "sends";
    for (entry_ = 0; entry_ < slot.sends.size(); ++entry_) take(slot.sends[entry_]);
    list_ = "rules";
    for (entry_ = 0; entry_ < slot.rules.size(); ++entry_) take(slot.rules[entry_]);
    sent = !senders_.empty();
    list_ = "receives";
    for (entry_ = 0; entry_ < slot.receives.size(); ++entry_) take(slot.receives[entry_]);
    list_ = "";
    entry_ = 0;
    check_uses();
    constexpr std::size_t most = std::size_t{1} << limits::proof_listed_moves_log2_max;
    if (hearers_.size() > most - trace_.moves())
      give_up(fmt::format("lists of at most 2^{} moves are proved",
                          limits::proof_listed_moves_log2_max));
    if (!broken_ && !gave_up_) perform();
    list_ = "ops";
    if (!slot.operations.empty() && product_ == nullptr) {
      bad("R9", "operations in a schedule that only moves data");
    } else if (!slot.operations.empty()) {
      std::fill(work_.begin(), work_.end(), 0);
      for (entry_ = 0; entry_ < slot.operations.size() && !broken_; ++entry_)
        operate(slot.operations[entry_]);
      verdict_.cost.compute_rounds += *std::max_element(work_.begin(), work_.end());
    }
    list_ = "";
    entry_ = 0;
  }
  verdict_.cost.slots += sent ? 1U : 0U;
  ++slots_;
}

std::optional<std::uint64_t> PopsListProof::result_of(Word processor) const {
  if (header_.result.empty()) return std::nullopt;
  return header_.result[header_.result.size() == 1 ? 0 : static_cast<std::size_t>(processor)];
}

void PopsListProof::expect(Word processor, std::uint64_t reg, Place start) {
  ++verdict_.expected;
  if (reg < header_.slots && starts_[place(processor, reg)] == start)
    ++verdict_.delivered;
  else
    bad("delivery",
        fmt::format("what ends in register {} of processor {} did not begin in register {} of "
                    "processor {}",
                    reg, processor, start % header_.slots, start / header_.slots),
        {.processor = processor, .slot = static_cast<Slot>(reg)});
}

// In any of its registers.
void PopsListProof::expect_somewhere(Word processor, std::vector<Place> starts) {
  std::set<Place> there;
  for (std::uint64_t r = 0; r < header_.slots; ++r) there.insert(starts_[place(processor, r)]);
  for (const Place start : starts) {
    ++verdict_.expected;
    if (there.contains(start))
      ++verdict_.delivered;
    else
      bad("delivery",
          fmt::format("what begins in register {} of processor {} does not end in {}",
                      start % header_.slots, start / header_.slots, processor),
          {.processor = processor});
  }
}

void PopsListProof::deliver(const MapGoal& goal) {
  const std::uint64_t k = header_.elements;
  const BitMap back = goal.map.width() == 0 ? goal.map : goal.map.inverse();
  const auto start_of = [&](Word address) { return back.width() == 0 ? address : back(address); };
  std::vector<Place> starts(k);
  for (Word q = 0; q < n_; ++q) {
    for (std::uint64_t s = 0; s < k; ++s) {
      const Word start = goal.cut ? start_of(q * k + s) : start_of(q) * k + s;
      starts[s] = place(start / k, start % k);
    }
    const auto result = result_of(q);
    if (!result) {
      expect_somewhere(q, starts);
      continue;
    }
    for (std::uint64_t s = 0; s < k; ++s) expect(q, *result + s, starts[s]);
  }
}

void PopsListProof::deliver(const MovesGoal& goal) {
  for (const Move& m : goal.moves)
    expect(m.to_processor, m.to_slot, place(m.from_processor, m.from_slot));
}

void PopsListProof::deliver(const BroadcastGoal& goal) {
  std::vector<Place> everybody;
  for (Word p = 0; p < n_ && !goal.root; ++p) everybody.push_back(place(p, 0));
  for (Word q = 0; q < n_; ++q) {
    const auto result = result_of(q);
    if (!goal.root)
      expect_somewhere(q, everybody);
    else if (result)
      expect(q, *result, place(*goal.root, 0));
    else
      expect_somewhere(q, {place(*goal.root, 0)});
  }
}

void PopsListProof::deliver(const MatmulGoal& goal) {
  for (std::uint64_t i = 0; i < goal.order; ++i)
    for (std::uint64_t j = 0; j < goal.order; ++j) {
      const Word p = i * goal.order + j;
      ++verdict_.expected;
      if (pops_products::is_result(values_[place(p, goal.c)], i, j, goal.order))
        ++verdict_.delivered;
      else
        bad("delivery", fmt::format("C[{},{}] is not the sum of its {} terms", i, j, goal.order),
            {.processor = p, .slot = goal.c});
    }
}

void PopsListProof::finish() {
  if (gave_up_) return;
  if (!broken_) {
    if (product_ == nullptr) {
      std::vector<Place> ends(static_cast<std::size_t>(n_ * header_.slots));
      std::iota(ends.begin(), ends.end(), Place{0});
      starts_ = trace_.starts_of(ends);
    }
    std::visit([this](const auto& goal) { deliver(goal); }, header_.goal);
    if (!broken_) judge_claims(verdict_, header_, slots_);
  }
  verdict_.answer = verdict_.violation_count == 0 ? Verdict::Answer::yes : Verdict::Answer::no;
}

}  // namespace

bool pops_listed(const ScheduleHeader& header) {
  const int log2 = std::holds_alternative<MatmulGoal>(header.goal)
                       ? limits::proof_product_places_log2_max
                       : limits::proof_listed_places_log2_max;
  const auto& machine = std::get<Pops>(header.machine);
  const Count most = Count{1} << static_cast<unsigned>(log2);
  return Count{pops::processors(machine)} <= most &&
         Count{pops::processors(machine)} * header.slots <= most;
}

std::unique_ptr<Verifier> pops_list_proof() {
  return std::make_unique<PopsListProof>();
}

}  // namespace faro::inline v1
