// Each slot is held against the couplers by sorted lists of who uses what; what is computed is kept
// as polynomials. Rules beside lists are spelled out.
#include "machines/list_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/pieces.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

// --- Products -----------------------------------------------------------------------------------

// What registers hold while matrices are multiplied, as polynomials in the entries of A and B:
// nothing, 0, an entry, a sum of some of the terms of one C[i,j], or something else.
//
// That is enough to decide whether C is A·B for all matrices. Operations add and multiply, so
// coefficients are never negative and nothing cancels: what is no part of a C[i,j], with each term
// once, cannot become one by adding to it, and what has degree 2 cannot by multiplying.
//
//   order 2:  A[0,1]·B[1,0] is the term 1 of C[0,0]; with A[0,0]·B[0,0] added, all of C[0,0]
struct Value {
  enum class Kind : std::uint8_t { nothing, zero, a, b, part, other };
  Kind kind = Kind::nothing;
  // A[i,j], B[i,j], or of C[i,j] the terms k whose bits are set.
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  std::vector<Word> terms = {};
};

Value product(const Value& x, const Value& y, std::uint64_t order) {
  if (x.kind == Value::Kind::zero || y.kind == Value::Kind::zero)
    return {.kind = Value::Kind::zero};
  if (x.kind == Value::Kind::b && y.kind == Value::Kind::a) return product(y, x, order);
  if (x.kind != Value::Kind::a || y.kind != Value::Kind::b || x.j != y.i)
    return {.kind = Value::Kind::other};
  Value term{.kind = Value::Kind::part, .i = x.i, .j = y.j};
  term.terms.assign((order + word_bits - 1) / word_bits, 0);
  term.terms[x.j / word_bits] = bit(static_cast<int>(x.j % word_bits));
  return term;
}

Value sum(const Value& x, const Value& y) {
  if (x.kind == Value::Kind::zero) return y;
  if (y.kind == Value::Kind::zero) return x;
  if (x.kind != Value::Kind::part || y.kind != Value::Kind::part || x.i != y.i || x.j != y.j)
    return {.kind = Value::Kind::other};
  Value both = x;
  for (std::size_t w = 0; w < both.terms.size(); ++w) {
    if ((both.terms[w] & y.terms[w]) != 0) return {.kind = Value::Kind::other};  // a term twice
    both.terms[w] |= y.terms[w];
  }
  return both;
}

// What an operation puts where `before` was; `order` is that of the matrices. Requires operands
// that are not `nothing`, where the operation has them.
Value result(PopsOperation::Kind kind, const Value& before, const Value& a, const Value& b,
             std::uint64_t order) {
  switch (kind) {
    case PopsOperation::Kind::multiply:
      return product(a, b, order);
    case PopsOperation::Kind::multiply_add:
      return sum(before, product(a, b, order));
    case PopsOperation::Kind::add:
      return sum(a, b);
    case PopsOperation::Kind::copy:
      return a;
    case PopsOperation::Kind::zero:
      break;
  }
  return {.kind = Value::Kind::zero};
}

// Whether it is C[i,j].
bool is_result(const Value& value, std::uint64_t i, std::uint64_t j, std::uint64_t order) {
  if (value.kind != Value::Kind::part || value.i != i || value.j != j) return false;
  std::uint64_t terms = 0;
  for (const Word w : value.terms) terms += static_cast<std::uint64_t>(std::popcount(w));
  return terms == order;
}

// --- Slots --------------------------------------------------------------------------------------

class CouplerLists : public ListProof {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;

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
  void deliver_product(const MatmulGoal& goal) override;

  Pops machine_;
  const MatmulGoal* product_ = nullptr;  // in header_
  std::vector<Value> values_;            // of a product, by place
  std::vector<Driven> driven_;
  std::vector<Word> senders_;
  std::vector<Hearer> hearers_;
  std::vector<std::uint64_t> work_;  // operations of the slot, by processor
};

void CouplerLists::begin(const ScheduleHeader& header) {
  machine_ = std::get<Pops>(header.machine);
  ListProof::begin(header);
  product_ = std::get_if<MatmulGoal>(&header_.goal);
  if (!tracking() || product_ == nullptr) return;
  values_.resize(static_cast<std::size_t>(processors_ * header_.slots));
  work_.resize(static_cast<std::size_t>(processors_));
  const std::uint64_t order = product_->order;
  for (Word p = 0; p < order * order; ++p) {
    const auto i = static_cast<std::uint32_t>(p / order);
    const auto j = static_cast<std::uint32_t>(p % order);
    values_[place(p, product_->a)] = {.kind = Value::Kind::a, .i = i, .j = j};
    values_[place(p, product_->b)] = {.kind = Value::Kind::b, .i = i, .j = j};
  }
}

// Whether there is something to send.
bool CouplerLists::sends(Word processor, Slot reg) {
  const Violation::Place at{.processor = processor, .slot = reg};
  senders_.push_back(processor);
  if (reg >= header_.slots)
    breach("R7", at, "register {} is sent; there are {}", reg, header_.slots);
  else if (!holds(place(processor, reg)))
    breach("R5", at, "processor {} sends register {}, where nothing is", processor, reg);
  return tracking();
}

void CouplerLists::drives(std::uint64_t to_group, std::uint64_t from_group, Place sent) {
  if (to_group >= machine_.groups)
    breach("R8", {}, "there is no group {} to send to", to_group);
  else
    driven_.push_back({to_group, from_group, sent});
}

void CouplerLists::hears(Word processor, std::uint64_t from_group, Slot reg) {
  const Violation::Place at{.to = processor, .slot = reg};
  if (from_group >= machine_.groups)
    breach("R8", at, "there is no group {} to listen to", from_group);
  else if (reg >= header_.slots)
    breach("R7", at, "register {} receives; there are {}", reg, header_.slots);
  else
    hearers_.push_back({processor, from_group, reg, entry_});
}

void CouplerLists::take(const PopsSend& send) {
  if (send.processor >= processors_)
    return breach("R8", {}, "there is no processor {}", send.processor);
  if (send.to_groups.empty())
    breach("R8", {}, "what processor {} sends goes nowhere", send.processor);
  if (!sends(send.processor, send.reg)) return;
  for (const std::uint64_t to : send.to_groups)
    drives(to, pops::group_of(machine_, send.processor), place(send.processor, send.reg));
}

void CouplerLists::take(const PopsReceive& receive) {
  if (receive.processor >= processors_)
    return breach("R8", {}, "there is no processor {}", receive.processor);
  hears(receive.processor, receive.from_group, receive.reg);
}

void CouplerLists::take(const PopsRule& rule) {
  still_working();
  if (!well_formed(rule, address_bits(machine_).value_or(-1), *this)) return;
  AffineSpace::where(pops::address_bits(machine_), rule.where).for_each([&](Word p) {
    if (!sends(p, rule.reg)) return;
    const Word q = address_of(rule.to, p);
    drives(pops::group_of(machine_, q), pops::group_of(machine_, p), place(p, rule.reg));
    hears(q, pops::group_of(machine_, p), rule.into);
  });
}

// Who uses something twice stands beside himself in a sorted list.
void CouplerLists::check_uses() {
  std::sort(driven_.begin(), driven_.end(),
            [](const Driven& x, const Driven& y) { return x.key() < y.key(); });
  for (std::size_t i = 1; i < driven_.size(); ++i)
    if (driven_[i].key() == driven_[i - 1].key())
      breach("R1", {}, "two messages on the coupler from group {} to group {}",
             driven_[i].from_group, driven_[i].to_group);
  std::sort(senders_.begin(), senders_.end());
  for (std::size_t i = 1; i < senders_.size(); ++i)
    if (senders_[i] == senders_[i - 1])
      breach("R2", {.processor = senders_[i]}, "processor {} sends twice", senders_[i]);
  std::sort(hearers_.begin(), hearers_.end(), [](const Hearer& x, const Hearer& y) {
    return std::tie(x.processor, x.from_group, x.entry) <
           std::tie(y.processor, y.from_group, y.entry);
  });
  for (std::size_t i = 1; i < hearers_.size(); ++i) {
    const Hearer& h = hearers_[i];
    const Hearer& before = hearers_[i - 1];
    if (h.processor != before.processor) continue;
    if (!machine_.multi_receive || h.from_group == before.from_group)
      breach("R3", {.to = h.processor}, "processor {} listens twice", h.processor);
  }
}

// All that is sent is read before anything is written.
void CouplerLists::perform() {
  std::vector<std::pair<Place, Value>> written;
  for (const Hearer& h : hearers_) {
    const std::uint64_t own = pops::group_of(machine_, h.processor);
    const auto wanted = std::tie(own, h.from_group);
    const auto at =
        std::lower_bound(driven_.begin(), driven_.end(), wanted,
                         [](const Driven& d, const auto& key) { return d.key() < key; });
    if (at == driven_.end() || at->key() != wanted) {
      breach("R4", {.to = h.processor, .slot = h.reg},
             "processor {} listens to group {}, which sends it nothing", h.processor, h.from_group);
      continue;
    }
    const Place into = place(h.processor, h.reg);
    if (product_ != nullptr)
      written.emplace_back(into, values_[at->sent]);
    else if (!trace_.move(at->sent, into))
      breach("R6", {.to = h.processor, .slot = h.reg},
             "register {} of processor {} is written twice", h.reg, h.processor);
  }
  if (product_ == nullptr) return trace_.end_step();
  std::set<Place> places;
  for (auto& [into, value] : written) {
    if (!places.insert(into).second) breach("R6", {}, "a register is written twice");
    values_[into] = std::move(value);
  }
}

void CouplerLists::operate(const PopsOperation& op) {
  using Kind = PopsOperation::Kind;
  const bool reads_a = op.kind != Kind::zero;
  const bool reads_b = reads_a && op.kind != Kind::copy;
  if (op.processor >= processors_)
    return breach("R8", {}, "there is no processor {}", op.processor);
  const Violation::Place at{.processor = op.processor, .slot = op.to};
  if (op.to >= header_.slots)
    return breach("R7", at, "register {} is computed; there are {}", op.to, header_.slots);
  for (const auto& [reg, read] : {std::pair{op.a, reads_a}, std::pair{op.b, reads_b},
                                  std::pair{op.to, op.kind == Kind::multiply_add}})
    if (read && (reg >= header_.slots || !holds(place(op.processor, reg))))
      return breach("R9", at, "register {} is computed with, and nothing is there", reg);
  const auto value = [&](Slot reg) -> const Value& { return values_[place(op.processor, reg)]; };
  const Value nothing;
  values_[place(op.processor, op.to)] =
      result(op.kind, value(op.to), reads_a ? value(op.a) : nothing,
             reads_b ? value(op.b) : nothing, product_->order);
  if (reads_b) ++work_[static_cast<std::size_t>(op.processor)];
}

void CouplerLists::step(const PopsSlot& slot) {
  bool sent = !slot.sends.empty() || !slot.rules.empty();
  if (tracking()) {
    driven_.clear();
    senders_.clear();
    hearers_.clear();
    const auto taken = [this](const auto& entry) { take(entry); };
    each_of("sends", slot.sends, taken);
    each_of("rules", slot.rules, taken);
    sent = !senders_.empty();
    each_of("receives", slot.receives, taken);
    check_uses();
    constexpr std::size_t most = std::size_t{1} << limits::proof_listed_moves_log2_max;
    if (hearers_.size() > most - trace_.moves()) give_up_lists();
    if (tracking()) perform();
    if (!slot.operations.empty() && product_ == nullptr) {
      breach("R9", {}, "operations in a schedule that only moves data");
    } else if (!slot.operations.empty()) {
      std::fill(work_.begin(), work_.end(), 0);
      each_of("ops", slot.operations, [this](const PopsOperation& operation) {
        if (tracking()) operate(operation);
      });
      verdict_.cost.compute_rounds += *std::max_element(work_.begin(), work_.end());
    }
  }
  verdict_.cost.slots += sent ? 1U : 0U;
  ++step_;
}

void CouplerLists::deliver_product(const MatmulGoal& goal) {
  for (std::uint64_t i = 0; i < goal.order; ++i)
    for (std::uint64_t j = 0; j < goal.order; ++j) {
      const Word p = i * goal.order + j;
      ++verdict_.expected;
      if (is_result(values_[place(p, goal.c)], i, j, goal.order))
        ++verdict_.delivered;
      else
        breach("delivery", {.processor = p, .slot = goal.c},
               "C[{},{}] is not the sum of its {} terms", i, j, goal.order);
    }
}

}  // namespace

std::unique_ptr<Verifier> pops_list_proof() {
  return std::make_unique<CouplerLists>();
}

}  // namespace faro::inline v1
