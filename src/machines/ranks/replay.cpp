// Replay of ranks:P: the star's replay carries the elements; that messages have one receiver, and
// whether anything leaves its processor, is looked at processor by processor.
#include "machines/pops/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/claims.hpp"
#include "machines/ranks/model.hpp"
#include "machines/ranks/verifiers.hpp"

namespace faro::inline v1 {
namespace {

class RanksReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    last_ = bit(std::get<Crossbar>(header.machine).bits) - 1;
    star_->begin(ranks::as_star(header));
  }

  void step(const PopsSlot& slot) override {
    for (std::size_t i = 0; i < slot.sends.size(); ++i) {
      const PopsSend& send = slot.sends[i];
      if (send.to_groups.size() > 1)
        own_.push_back(
            {steps_,
             "R10",
             fmt::format("processor {} sends to {} processors at once", send.processor,
                         send.to_groups.size()),
             {.processor = send.processor, .slot = send.reg, .list = "sends", .entry = i}});
    }
    star_->step(slot);
    if (something_leaves(slot)) ++cost_;
    ++steps_;
  }

  void finish() override {
    star_->finish();
    verdict_ = star_->verdict();
    verdict_.cost = {.steps = cost_};
    for (Violation& violation : own_) verdict_.add(std::move(violation));
    judge_claims(verdict_, header_, steps_);
  }

  Verdict verdict() const override { return verdict_; }

 private:
  bool something_leaves(const PopsSlot& slot) const {
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups)
        if (to != send.processor) return true;
    for (const PopsRule& rule : slot.rules)
      for (Word p = 0;; ++p) {
        if (sends(rule, p) && destination(rule, p) != p) return true;
        if (p == last_) break;
      }
    return false;
  }
  static bool sends(const PopsRule& rule, Word p) {
    return std::all_of(rule.where.begin(), rule.where.end(),
                       [p](const Parity& c) { return parity(p & c.mask) == c.value; });
  }
  static Word destination(const PopsRule& rule, Word p) {
    Word to = 0;
    for (const Parity& row : rule.to) to = (to << 1U) | (parity(p & row.mask) ^ row.value);
    return to;
  }

  ScheduleHeader header_;
  Word last_ = 0;
  std::unique_ptr<Verifier> star_ = pops_replay();
  std::vector<Violation> own_;
  Count cost_ = 0;
  Count steps_ = 0;
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Verifier> ranks_replay() {
  return std::make_unique<RanksReplay>();
}

}  // namespace faro::inline v1
