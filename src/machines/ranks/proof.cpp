// Proof of ranks:P: the star's proof follows the elements; a step costs something where a rule's
// processors are not all among those that the rule sends to themselves.
#include "machines/pops/proof.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/claims.hpp"
#include "machines/ranks/model.hpp"
#include "machines/ranks/verifiers.hpp"

namespace faro::inline v1 {
namespace {

class RanksProof : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
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
    ++steps_;
  }

  void finish() override {
    star_->finish();
    verdict_ = star_->verdict();
    verdict_.cost = {.steps = cost_};
    if (verdict_.answer == Verdict::Answer::unprovable) return;
    for (Violation& violation : own_) verdict_.add(std::move(violation));
    judge_claims(verdict_, header_, steps_);
  }

  Verdict verdict() const override { return verdict_; }

 private:
  bool leaves(const PopsRule& rule) const {
    const int bits = std::get<Crossbar>(header_.machine).bits;
    const auto fits = [bits](const Parity& c) { return (c.mask & ~low_mask(bits)) == 0; };
    if (rule.to.size() != static_cast<std::size_t>(bits) ||
        !std::all_of(rule.to.begin(), rule.to.end(), fits) ||
        !std::all_of(rule.where.begin(), rule.where.end(), fits))
      return true;  // which the star refuses
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
