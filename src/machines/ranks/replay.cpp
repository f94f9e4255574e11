// Replay of ranks and fat trees: the star's replay carries the elements; that messages have one
// receiver, whether anything leaves its processor, and what the links of a tree's switches carry,
// is looked at processor by processor.
#include <fmt/format.h>

#include "machines/cube/parity_blocks.hpp"
#include "machines/judge.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/ranks/model.hpp"
#include "machines/ranks/verifiers.hpp"

namespace faro::inline v1 {
namespace {

class RanksReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const auto& machine = std::get<Crossbar>(header.machine);
    last_ = bit(machine.bits) - 1;
    star_->begin(ranks::as_star(header));
    for (const Crossbar::Tier& tier : machine.tiers)
      uplinks_.push_back({tier, std::vector<Carried>((last_ >> tier.processors_log2) + 1)});
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
    if (!uplinks_.empty()) count_carried(slot);
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
  // What the links of one switch carry in the step that is looked at.
  struct Carried {
    Count step = 0;  // counted from 1
    std::uint64_t out = 0;
    std::uint64_t in = 0;
  };
  // The switches of one tier.
  struct Uplinks {
    Crossbar::Tier tier;
    std::vector<Carried> switches;
  };

  Carried& carried(Uplinks& uplinks, Word p) {
    Carried& at = uplinks.switches[p >> uplinks.tier.processors_log2];
    if (at.step != steps_ + 1) at = {.step = steps_ + 1};
    return at;
  }
  void carry(Word from, Word to) {
    if (from > last_ || to > last_) return;  // which the star refuses
    for (Uplinks& uplinks : uplinks_) {
      const int below = uplinks.tier.processors_log2;
      if ((from ^ to) >> below == 0) continue;
      const std::uint64_t room = bit(uplinks.tier.up_log2);
      if (++carried(uplinks, from).out == room + 1) crowded("leave", from, below, room);
      if (++carried(uplinks, to).in == room + 1) crowded("enter", to, below, room);
    }
  }
  void crowded(const char* way, Word p, int below, std::uint64_t room) {
    const Word first = p >> below << below;
    own_.push_back({steps_,
                    "R11",
                    fmt::format("more than {} elements {} processors {} to {}", room, way, first,
                                first | low_mask(below)),
                    {.processor = p}});
  }
  void count_carried(const PopsSlot& slot) {
    for_each_message(slot, [this](Word from, Word to) { carry(from, to); });
  }
  bool something_leaves(const PopsSlot& slot) const {
    bool leaves = false;
    for_each_message(slot, [&leaves](Word from, Word to) { leaves |= from != to; });
    return leaves;
  }
  int bits() const { return std::get<Crossbar>(header_.machine).bits; }
  template <class Visit>
  void for_each_message(const PopsSlot& slot, Visit&& visit) const {
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups) visit(send.processor, to);
    for (const PopsRule& rule : slot.rules)
      for_each_meeting(bits(), rule.where,
                       [&](Word p) { visit(p, pops::destination(rule.to, p)); });
  }

  ScheduleHeader header_;
  Word last_ = 0;
  std::vector<Uplinks> uplinks_;
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
