// Proof of cube schedules whose goal is a map, a list or a broadcast. Origins are the slot and the
// processor where an element began.
#include <fmt/format.h>

#include <set>

#include "machines/cube/moving_proof.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {
namespace {

using cube_proof_states::Held;
using cube_proof_states::Translation;

// d where everybody's element began at p ^ d.
std::optional<Word> distance_of(const Partition& partition, Translation by) {
  const std::vector<Piece>& pieces = partition.pieces();
  if (pieces.size() != 1 || !pieces[0].where.constraints().empty()) return {};
  Word distance = by.processor;
  for (std::size_t i = 0; i < pieces[0].origin.size(); ++i) {
    if (pieces[0].origin[i].mask != bit(static_cast<int>(i))) return {};
    if (pieces[0].origin[i].value != 0) distance ^= bit(static_cast<int>(i));
  }
  return distance;
}

class CubeProof : public cube_proof_states::MovingProof {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  void deliver(const MapGoal& goal);
  void deliver(const MovesGoal& goal);
  void deliver(const BroadcastGoal& goal);

  int slot_bits_ = 0;
};

void CubeProof::begin(const ScheduleHeader& header) {
  prepare(header);
  check_room(header, *this);
  if (!clean()) return;
  if (header.elements > limits::slots_max)
    return give_up(
        "{} elements of a processor begin in slots of their own; the proof "
        "follows {}",
        header.elements, limits::slots_max);
  slot_bits_ = header.elements == 1 ? 0 : highest_bit(header.elements - 1) + 1;
  begun_ = header.elements;
  states_.emplace(dimensions_, slot_bits_);
}

void CubeProof::step(const CubeStep& step) {
  move(step);
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach("butterfly", {}, "a computation in a schedule whose goal only moves data");
  ++step_;
}

void CubeProof::deliver(const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const BitMap inverse = goal.map.inverse();
  const Count everybody = Count{1} << dimensions_;
  // The origin of what belongs in slot s of processor p: rows of p, and what s adds to them.
  std::vector<Parity> rows(static_cast<std::size_t>(goal.cut ? 0 : slot_bits_));
  for (int i = 0; i < inverse.width(); ++i)
    rows.push_back({memory == word_bits ? 0 : inverse.matrix().row(i) >> memory, 0});
  for (Slot s = 0; s < header_.elements; ++s) {
    const Word origin = inverse(goal.cut ? s : 0);
    const Translation constants{goal.cut ? origin & low_mask(memory) : s,
                                memory == word_bits ? 0 : origin >> memory};
    const Count right = states_->right(held(s), rows, constants);
    verdict_.expected += everybody;
    verdict_.delivered += right;
    if (right != everybody)
      breach("not-delivered", {.slot = s},
             "slot {} holds the wrong element or nothing at {} of {} processors", s,
             to_string(everybody - right), to_string(everybody));
  }
}

void CubeProof::deliver(const MovesGoal& goal) {
  for (const Move& m : goal.moves) {
    verdict_.expected += 1;
    const Held there = held(m.to_slot);
    work_ += states_->at(there.state).pieces().size();
    if (work_ > limits::proof_work_max)
      return give_up("a list of goals too long to look up in the pieces");
    std::vector<unsigned> start;
    for (int i = 0; i < slot_bits_; ++i) start.push_back(has_bit(m.from_slot, i) ? 1U : 0U);
    for (int i = 0; i < dimensions_; ++i) start.push_back(has_bit(m.from_processor, i) ? 1U : 0U);
    const bool right = states_->origin(there, m.to_processor) == start;
    if (right)
      verdict_.delivered += 1;
    else
      breach("not-delivered", {.processor = m.to_processor, .slot = m.to_slot}, "[{}, {}, {}, {}]",
             m.from_processor, m.from_slot, m.to_processor, m.to_slot);
  }
}

// The root's elements in their slots everywhere; without a root everybody's somewhere, which is
// told by slots that hold what began a fixed distance away.
void CubeProof::deliver(const BroadcastGoal& goal) {
  const Count everybody = Count{1} << dimensions_;
  if (!goal.root) {
    if (header_.elements != 1) return give_up("a broadcast of several elements to all");
    std::set<Word> distances;
    const auto look = [&](const Held& held) {
      if (const auto distance = distance_of(states_->at(held.state), held.by))
        distances.insert(*distance);
    };
    look(held(0));
    for (const auto& entry : slots_) look(entry.second);
    verdict_.expected += everybody * everybody;
    verdict_.delivered += everybody * Count{distances.size()};
    if (Count{distances.size()} != everybody)
      give_up("{} slots hold what began a fixed distance away, there are {} processors",
              distances.size(), to_string(everybody));
    return;
  }
  // Origins that are the same at every processor.
  const std::vector<Parity> nowhere(static_cast<std::size_t>(slot_bits_ + dimensions_));
  for (Slot s = 0; s < header_.elements; ++s) {
    const Count right = states_->right(held(s), nowhere, {s, *goal.root});
    verdict_.expected += everybody;
    verdict_.delivered += right;
    if (right != everybody)
      breach("not-delivered", {},
             "slot {} holds what began there at the root at {} of {} processors", s,
             to_string(right), to_string(everybody));
  }
}

void CubeProof::finish() {
  if (tracking()) check_goal(header_, *this);
  if (tracking()) {
    if (const auto* map = std::get_if<MapGoal>(&header_.goal)) {
      deliver(*map);
    } else if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
      deliver(*moves);
    } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
      deliver(*broadcast);
    }
  }
  judge_claims();
}

}  // namespace

std::unique_ptr<Verifier> subspace_proof() {
  return std::make_unique<CubeProof>();
}

}  // namespace faro::inline v1
