// Replay of ranks and fat trees: the star's replay carries the elements; that messages have one
// receiver, whether anything leaves its processor, and what the links of a tree's switches carry,
// is looked at processor by processor.
#include <fmt/format.h>

#include "machines/cube/parity_blocks.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/ranks/model.hpp"

namespace faro::inline v1 {
namespace {

class RanksReplay : public ranks::OverStar {
 public:
  RanksReplay() : OverStar("replay", pops_replay()) {}

  void begin(const ScheduleHeader& header) override {
    OverStar::begin(header);
    last_ = bit(machine_.bits) - 1;
    for (const Crossbar::Tier& tier : machine_.tiers)
      uplinks_.push_back({tier, std::vector<Carried>((last_ >> tier.processors_log2) + 1)});
  }

  void step(const PopsSlot& slot) override {
    each_of("sends", slot.sends, [this](const PopsSend& send) {
      if (send.to_groups.size() > 1)
        breach("R10", {.processor = send.processor, .slot = send.reg},
               "processor {} sends to {} processors at once", send.processor,
               send.to_groups.size());
    });
    star_->step(slot);
    bool leaves = false;
    const auto message = [&](Word from, Word to) {
      leaves |= from != to;
      carry(from, to);
    };
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups) message(send.processor, to);
    for (const PopsRule& rule : slot.rules)
      for_each_meeting(machine_.bits, rule.where,
                       [&](Word p) { message(p, pops::destination(rule.to, p)); });
    if (leaves) ++cost_;
    ++step_;
  }

  void finish() override {
    join();
    judge_claims();
  }

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
    if (at.step != step_ + 1) at = {.step = step_ + 1};
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
    breach("R11", {.processor = p}, "more than {} elements {} processors {} to {}", room, way,
           first, first | low_mask(below));
  }

  Word last_ = 0;
  std::vector<Uplinks> uplinks_;
};

}  // namespace

std::unique_ptr<Verifier> ranks_replay() {
  return std::make_unique<RanksReplay>();
}

}  // namespace faro::inline v1
