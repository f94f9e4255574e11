// The verifiers that callers get, chosen by the header, and the end of every verdict.
#include "faro/machines/verifier.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/judge.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t violations_reported_max = 20;

using Make = std::unique_ptr<Verifier> (*)(const ScheduleHeader&);

std::unique_ptr<Verifier> replay_of(const ScheduleHeader& header) {
  return kind_of(header.machine).replay(header.goal);
}

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

// Verdicts on schedules in turns: one turn is judged, all are claimed. `spelled_out`: every element
// is sent through its turn too, where there are not too many.
class InTurns : public Judge {
 public:
  InTurns(Make make, bool spelled_out)
      : Judge(spelled_out ? "replay" : "proof"), make_(make), spelled_out_(spelled_out) {}

  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const auto turn = one_turn(header);
    if (const auto* fault = std::get_if<std::string>(&turn))
      return breach("repeat", {}, "{}", *fault);
    const auto& one = std::get<ScheduleHeader>(turn);
    const auto& goal = std::get<MapGoal>(one.goal);
    const int width = std::get<MapGoal>(header.goal).map.width();
    if (spelled_out_ && goal.cut && width <= limits::replay_default_log2_max)
      if (const auto address = astray(header, goal))
        return breach("repeat", {}, "the turns lead address {} elsewhere", *address);
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
    judge_claims();
  }

 private:
  template <class Step>
  void take(const Step& step) {
    ++step_;
    if (verifier_) verifier_->step(step);
  }

  Make make_;
  bool spelled_out_;
  std::unique_ptr<Verifier> verifier_;
};

// Becomes the verifier that `make` makes when the header comes.
class ByHeader : public Verifier {
 public:
  ByHeader(Make make, bool spelled_out) : make_(make), spelled_out_(spelled_out) {}

  void begin(const ScheduleHeader& header) override {
    verifier_ =
        takes_turns(header) ? std::make_unique<InTurns>(make_, spelled_out_) : make_(header);
    verifier_->begin(header);
  }
  void step(const CubeStep& step) override { verifier().step(step); }
  void step(const MeshInstruction& instruction) override { verifier().step(instruction); }
  void step(const PopsSlot& slot) override { verifier().step(slot); }
  void loop(const CubeLoop& loop) override { verifier().loop(loop); }
  void loop(const PopsLoop& loop) override { verifier().loop(loop); }
  void finish() override { verifier().finish(); }
  Verdict verdict() const override { return verifier().verdict(); }

 private:
  Verifier& verifier() const {
    FARO_CHECK(verifier_ != nullptr);
    return *verifier_;
  }

  Make make_;
  bool spelled_out_;
  std::unique_ptr<Verifier> verifier_;
};

}  // namespace

void Verdict::add(Violation violation) {
  answer = Answer::no;
  ++violation_count;
  if (violations.size() < violations_reported_max) violations.push_back(std::move(violation));
}

void Judge::judge_claims() {
  const bool done = clean();
  if (header_.cost)
    if (const auto difference = header_.cost->difference(verdict_.cost))
      breach("cost-claim", {}, "{}", *difference);
  if (!done || !header_.bound) return;
  const MachineKind& kind = kind_of(header_.machine);
  const Count value = kind.value(verdict_.cost);
  if (header_.bound->value > value)
    breach("bound-claim", {}, "the header claims that {} {} are needed; these are {}",
           to_string(header_.bound->value), kind.unit(), to_string(value));
  certificates::BoundCheck check = certificates::check_bound(header_);
  if (check.refuted) return breach("bound-claim", {}, "{}", *check.refuted);
  verdict_.bound = check.answer;
  verdict_.bound_limit = std::move(check.why);
}

std::unique_ptr<Verifier> make_replay() {
  return std::make_unique<ByHeader>(replay_of, true);
}

std::unique_ptr<Verifier> make_proof() {
  return std::make_unique<ByHeader>(proof_of, false);
}

}  // namespace faro::inline v1
