#include "machines/turns.hpp"

#include <fmt/format.h>

#include <utility>

#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

Word through(const BitMap& map, Word address) {
  return map.width() == 0 ? address : map(address);
}

// Nothing if every element, its turn taken, is where the whole goal wants it: address by address.
std::optional<Word> astray(const ScheduleHeader& all, const MapGoal& turn) {
  const auto& goal = std::get<MapGoal>(all.goal);
  const int m = goal.memory_bits;
  const int low = turn.memory_bits;
  for (Word address = 0; address < bit(goal.map.width()); ++address) {
    const Word start = through(all.repeat.before, address);
    const Word number = start >> low & low_mask(m - low);
    const Word end = turn.map((start >> m << low) | (start & low_mask(low)));
    const Word place = (end >> low << m) | (number << low) | (end & low_mask(low));
    if (through(all.repeat.after, place) != goal.map(address)) return address;
  }
  return {};
}

class InTurns : public Verifier {
 public:
  InTurns(std::function<std::unique_ptr<Verifier>(const ScheduleHeader&)> make, bool spelled_out)
      : make_(std::move(make)), spelled_out_(spelled_out) {}

  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const auto turn = one_turn(header);
    if (const auto* fault = std::get_if<std::string>(&turn)) {
      verdict_.by = spelled_out_ ? "replay" : "proof";
      return verdict_.add({0, "repeat", *fault});
    }
    const auto& one = std::get<ScheduleHeader>(turn);
    const auto& goal = std::get<MapGoal>(one.goal);
    const int width = std::get<MapGoal>(header.goal).map.width();
    if (spelled_out_ && goal.cut && width <= limits::replay_default_log2_max)
      if (const auto address = astray(header, goal))
        return verdict_.add(
            {0, "repeat", fmt::format("the turns lead address {} elsewhere", *address)});
    verifier_ = make_(one);
    verifier_->begin(one);
  }
  void step(const CubeStep& step) override { take(step); }
  void step(const MeshInstruction& instruction) override { take(instruction); }
  void step(const PopsSlot& slot) override { take(slot); }
  void finish() override {
    if (!verifier_) return;
    verifier_->finish();
    verdict_ = verifier_->verdict();
    verdict_.cost = times_over(verdict_.cost, header_.repeat.times);
    verdict_.delivered *= header_.repeat.times;
    verdict_.expected *= header_.repeat.times;
    judge_claims(verdict_, header_, steps_);
  }
  Verdict verdict() const override { return verdict_; }

 private:
  template <class Step>
  void take(const Step& step) {
    ++steps_;
    if (verifier_) verifier_->step(step);
  }

  std::function<std::unique_ptr<Verifier>(const ScheduleHeader&)> make_;
  bool spelled_out_;
  ScheduleHeader header_;
  std::unique_ptr<Verifier> verifier_;
  Count steps_ = 0;
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Verifier> in_turns(
    std::function<std::unique_ptr<Verifier>(const ScheduleHeader&)> make, bool spelled_out) {
  return std::make_unique<InTurns>(std::move(make), spelled_out);
}

}  // namespace faro::inline v1
