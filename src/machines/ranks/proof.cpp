// Proof of ranks and fat trees: the star's proof follows the elements; a step costs something where
// a rule's processors are not all among those that the rule sends to themselves; what the links of
// a tree carry is counted by subspaces (machines/ranks/uplinks.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machines/judge.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/proof_reading.hpp"
#include "machines/ranks/model.hpp"
#include "machines/ranks/uplinks.hpp"
#include "machines/ranks/verifiers.hpp"

namespace faro::inline v1 {
namespace {

class RanksProof : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const auto& machine = std::get<Crossbar>(header.machine);
    for (const Crossbar::Tier& tier : machine.tiers) uplinks_.emplace_back(machine.bits, tier);
    star_->begin(ranks::as_star(header));
  }

  void step(const PopsSlot& slot) override {
    star_->step(slot);
    bool remote = false;
    for (std::size_t i = 0; i < slot.sends.size(); ++i) {
      const PopsSend& send = slot.sends[i];
      remote |= std::any_of(send.to_groups.begin(), send.to_groups.end(),
                            [&](std::uint64_t to) { return to != send.processor; });
      if (send.to_groups.size() > 1)
        own_.push_back(
            {steps_,
             "R10",
             fmt::format("a message of processor {} has {} receivers", send.processor,
                         send.to_groups.size()),
             {.processor = send.processor, .slot = send.reg, .list = "sends", .entry = i}});
    }
    if (remote || std::any_of(slot.rules.begin(), slot.rules.end(),
                              [this](const PopsRule& rule) { return leaves(rule); }))
      ++cost_;
    if (!uplinks_.empty()) judge_uplinks(slot);
    ++steps_;
  }

  void finish() override {
    star_->finish();
    verdict_ = star_->verdict();
    verdict_.cost = {.steps = cost_};
    if (verdict_.answer == Verdict::Answer::unprovable) return;
    for (Violation& violation : own_) verdict_.add(std::move(violation));
    if (given_up_ && verdict_.answer == Verdict::Answer::yes) {
      verdict_.answer = Verdict::Answer::unprovable;
      verdict_.limit =
          "the rules of a step fall into more than 2^20 kinds of switches, or those of all "
          "steps into more than 2^23; use replay";
      return;
    }
    judge_claims(verdict_, header_, steps_);
  }

  Verdict verdict() const override { return verdict_; }

 private:
  int bits() const { return std::get<Crossbar>(header_.machine).bits; }
  // What does not is refused by the star.
  bool fits(const PopsRule& rule) const {
    return rule.to.size() == static_cast<std::size_t>(bits()) &&
           misfit(rule.to, bits()) == nullptr && misfit(rule.where, bits()) == nullptr;
  }
  // What links carry does not depend on registers: of the laps of a loop it is found once.
  void judge_uplinks(const PopsSlot& slot) {
    using Found = ranks::Uplinks::Found;
    std::vector<Word> rules;
    for (const PopsRule& rule : slot.rules)
      for (const auto* list : {&rule.where, &rule.to}) {
        rules.push_back(list->size());
        for (const Parity& p : *list) rules.insert(rules.end(), {p.mask, Word{p.value}});
      }
    std::vector<Found> found;
    const auto known = slot.sends.empty() ? known_.find(rules) : known_.end();
    if (known != known_.end()) {
      found = known->second;
    } else {
      for (ranks::Uplinks& uplinks : uplinks_) found.push_back(carried(uplinks, slot));
      if (slot.sends.empty() && known_.size() < known_max) known_.emplace(std::move(rules), found);
    }
    for (const Found& one : found) {
      given_up_ = given_up_ || one.given_up;
      if (!one.crowd) continue;
      own_.push_back(
          {steps_,
           "R11",
           fmt::format("{} elements {} the switch of processor {}", to_string(one.crowd->elements),
                       one.crowd->out ? "leave" : "enter", one.crowd->processor),
           {.processor = one.crowd->processor}});
    }
  }
  ranks::Uplinks::Found carried(ranks::Uplinks& uplinks, const PopsSlot& slot) const {
    const Word last = low_mask(bits());
    uplinks.clear();
    for (const PopsRule& rule : slot.rules)
      if (fits(rule)) uplinks.add(rule);
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups)
        if (send.processor <= last && to <= last) uplinks.add(send.processor, to);
    return uplinks.crowded();
  }
  bool leaves(const PopsRule& rule) const {
    if (!fits(rule)) return true;
    const int bits = this->bits();
    AffineSpace senders = AffineSpace::where(bits, rule.where);
    const AffineSpace all = senders;
    for (std::size_t r = 0; r < rule.to.size() && !senders.empty(); ++r) {
      const Word own = bit(static_cast<int>(rule.to.size() - 1 - r));
      senders = senders.meet(Parity{rule.to[r].mask ^ own, rule.to[r].value});
    }
    return !all.empty() && (senders.empty() || senders.dimension() < all.dimension());
  }

  ScheduleHeader header_;
  std::unique_ptr<Verifier> star_ = pops_proof();
  static constexpr std::size_t known_max = 1024;  // steps
  std::vector<ranks::Uplinks> uplinks_;
  std::map<std::vector<Word>, std::vector<ranks::Uplinks::Found>> known_;
  bool given_up_ = false;
  std::vector<Violation> own_;
  Count cost_ = 0;
  Count steps_ = 0;
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Verifier> ranks_proof() {
  return std::make_unique<RanksProof>();
}

}  // namespace faro::inline v1
