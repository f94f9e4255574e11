// Replay of schedules that move data over links. Tokens say where an element began.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/moving_replay.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

using Token = std::uint32_t;  // processor * K + slot of the place where the element started

class CubeReplay : public MovingReplay<Token> {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  void deliver_all_to_all();
  void expect(Move goal);
};

void CubeReplay::begin(const ScheduleHeader& header) {
  const Count elements = processors(header.machine) * header.elements;
  if (elements > (Count{1} << limits::replay_elements_log2_max))
    throw Error(ErrorCode::limit,
                fmt::format("replay spells out every element, at most 2^{}; this schedule has {}. "
                            "Proof has no such limit.",
                            limits::replay_elements_log2_max, to_string(elements)));
  prepare(header);
  if (mesh_ && mesh_->wrap() == Mesh::Wrap::propagating)
    breach("machine", {}, "all links at once is a machine without propagating wraparound");
  if (header.elements == 0 || header.slots < header.elements) {
    breach(mesh_ ? "machine" : "slot-range", {},
           "{} slots for {} elements a processor; at least as many slots are wanted, "
           "and one element",
           header.slots, header.elements);
    header_.elements = 0;
  }
  for (Slot s = 0; s < header_.elements; ++s) {
    Plane& p = plane(s);
    for (Word q = 0; q < processors_; ++q)
      p.tokens[q] = static_cast<Token>(q * header_.elements + s);
    const Word all = processors_ >= 64 ? ~Word{0} : low_mask(static_cast<int>(processors_));
    std::fill(p.filled.begin(), p.filled.end(), all);
  }
}

void CubeReplay::step(const CubeStep& step) {
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach(mesh_ ? "rules" : "butterfly", {},
           "a computation in a schedule whose goal only moves data");
  move(step);
  ++step_;
}

// Counts one element that must be at goal.to; requires places that exist.
void CubeReplay::expect(Move goal) {
  verdict_.expected += 1;
  const Word q = goal.to_processor;
  const Token* there = held(q, goal.to_slot);
  const auto token = static_cast<Token>(goal.from_processor * header_.elements + goal.from_slot);
  if (there != nullptr && *there == token) {
    verdict_.delivered += 1;
    return;
  }
  std::string holds = "nothing";
  if (there != nullptr)
    holds = fmt::format("that of slot {} of processor {}", *there % header_.elements,
                        *there / header_.elements);
  breach("not-delivered", {.processor = q, .slot = goal.to_slot},
         "slot {} of processor {} must hold the element that started in slot {} of "
         "processor {}, and holds {}",
         goal.to_slot, q, goal.from_slot, goal.from_processor, holds);
}

// A broadcast without a root: everybody's somewhere.
void CubeReplay::deliver_all_to_all() {
  const std::uint64_t all = processors_ * header_.elements;
  std::vector<bool> heard;
  for (Word q = 0; q < processors_; ++q) {
    heard.assign(all, false);
    for (Slot s = 0; s < planes_.size(); ++s)
      if (const Token* there = held(q, s)) heard[*there] = true;
    const auto known = static_cast<std::uint64_t>(std::count(heard.begin(), heard.end(), true));
    verdict_.expected += all;
    verdict_.delivered += known;
    if (known != all)
      breach("not-delivered", {.processor = q}, "processor {} holds {} of {} elements at the end",
             q, known, all);
  }
}

void CubeReplay::finish() {
  const bool legal = replay_goal::legal(header_, *this);
  if (legal) replay_goal::each(header_, [this](const Move& m) { expect(m); });
  const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal);
  if (legal && broadcast != nullptr && !broadcast->root) deliver_all_to_all();
  judge_claims();
}

}  // namespace

std::unique_ptr<Verifier> cube_replay() {
  return std::make_unique<CubeReplay>();
}

}  // namespace faro::inline v1
