// Proof of a butterfly network on a cube, without enumerating processors.
//
// Of each piece of a slot (cube/moving_proof.hpp) the rows say which element lies there: at
// processor q the one whose index bit b is rows[b](q), an affine function of q; its tag says how
// many of its stages are over. A butterfly rule demands, on all of its subspace,
//
//   index bit p-1-s constantly 0 in `low` and 1 in `high`, all other bits equal, stages right
//
// In place it is enough to count: every result needs every pair once, so p * 2^(p-1) butterflies in
// all mean each exactly once.
//
// Cost: pieces times index bits for each rule, whatever the number of processors. It answers
// unprovable beyond limits::proof_pieces_of_slot_max pieces of one slot: schedules of explicit
// moves on many processors have no few pieces.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "machines/cube/moving_proof.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/proof_reading.hpp"
#include "schedules/butterfly_stages.hpp"

namespace faro::inline v1 {
namespace {

using Result = ButterflyRule::Result;

// Rows of Table 1: processor bits first, then slot bits.
std::vector<Word> start_rows(const ButterflyGoal& goal) {
  const Layout layout = goal.layout();
  const BitMap place = place_of(layout);
  std::vector<Word> rows;
  for (int j = 0; j < goal.processor_bits; ++j)
    rows.push_back(place.matrix().row(layout.memory_bits + j));
  for (int j = 0; j < layout.memory_bits; ++j) rows.push_back(place.matrix().row(j));
  return rows;
}

// The form `mask` over the index as an affine function of the processor.
Parity combine(const std::vector<Parity>& rows, Word mask) {
  Parity result;
  for (; mask != 0; mask &= mask - 1) {
    const Parity& row = rows[static_cast<std::size_t>(lowest_bit(mask))];
    result.mask ^= row.mask;
    result.value ^= row.value;
  }
  return result;
}

// The set of indices of a piece.
AffineSpace indices(const Piece& piece) {
  return image_of(piece.where, {piece.origin.rbegin(), piece.origin.rend()}).space;
}

class ButterflyProof : public cube_proof_states::MovingProof {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  bool goal_makes_sense();
  void butterfly(const AffineSpace& where, const ButterflyRule& rule);
  bool operands_fit(const std::vector<Piece>& low, const std::vector<Piece>& high,
                    const ButterflyRule& rule, Count processors);
  Partition& computed(Slot slot);
  void replace(Slot slot, const AffineSpace& where, std::vector<Piece> pieces);
  Count outputs();
  std::optional<Piece> delivered(const Piece& piece, Word slot) const;

  ButterflyGoal goal_;
  ButterflyStages stages_;
  Count pairs_ = 0;
  std::map<Slot, Partition> computed_;  // what slots of this step's butterflies hold
};

bool ButterflyProof::goal_makes_sense() {
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  if (n != dimensions_ || n < 0 || p < n || p > word_bits)
    return refuse("goal", {},
                  "the problem has {} processor bits of {} index bits; the machine has {} "
                  "dimensions",
                  n, p, dimensions_);
  const auto fits = [&](const std::vector<Word>& rows, int count) {
    return rows.size() == static_cast<std::size_t>(count) &&
           std::all_of(rows.begin(), rows.end(), [&](Word r) { return (r & ~low_mask(p)) == 0; });
  };
  if (!fits(goal_.final_processor_rows, n) ||
      (goal_.final_memory_rows && !fits(*goal_.final_memory_rows, p - n)))
    return refuse("goal", {},
                  "the final rows must be {} for the processor and {} for the slot, each a "
                  "mask of {} bits",
                  n, p - n, p);
  return true;
}

void ButterflyProof::begin(const ScheduleHeader& header) {
  prepare(header);
  bounded_ = false;
  goal_ = std::get<ButterflyGoal>(header.goal);
  stages_ = ButterflyStages(goal_);
  if (!goal_makes_sense()) return;
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  verdict_.expected = Count{1} << static_cast<unsigned>(p);
  if (p - n >= word_bits || header.slots < bit(p - n)) {
    breach("goal", {}, "{} slots do not hold the 2^{} elements of a processor", header.slots,
           p - n);
    return;
  }
  if (header.slots > limits::slots_max) {
    give_up("the proof keeps at most {} slots, this machine has {}", limits::slots_max,
            header.slots);
    return;
  }
  const BitMatrix back = *BitMatrix::from_rows(p, start_rows(goal_)).inverse();
  states_.emplace(n, 0);
  for (Slot s = 0; s < bit(p - n); ++s) {
    Piece piece{AffineSpace::everything(n), {}};
    for (int b = 0; b < p; ++b) {
      const Word row = back.row(b);
      const Word from_slot = n == word_bits ? 0 : row >> n;
      piece.origin.push_back({row & low_mask(n), parity(from_slot & s)});
    }
    slots_[s] = states_->of({std::move(piece)});
  }
}

bool ButterflyProof::operands_fit(const std::vector<Piece>& low, const std::vector<Piece>& high,
                                  const ButterflyRule& rule, Count processors) {
  const int index_bit = goal_.index_bits - 1 - rule.stage;
  if (size_of(low) != processors || size_of(high) != processors)
    return refuse("reads-empty", {.slot = size_of(low) != processors ? rule.low : rule.high},
                  "stage {} reads slots {} and {} where one of them is empty", rule.stage, rule.low,
                  rule.high);
  // In a sort several stages are of one index bit: some processors may be further on.
  for (const auto& [side, wanted] : {std::pair{&low, 0U}, std::pair{&high, 1U}}) {
    for (const Piece& piece : *side) {
      if (piece.tag >= stages_.count() || stages_.index_bit(piece.tag) != index_bit)
        return refuse(
            "stage", {.processor = piece.where.first(), .slot = wanted == 0 ? rule.low : rule.high},
            "stage {}: the {} operand has done {} stages, which it does not follow", rule.stage,
            wanted == 0 ? "low" : "high", piece.tag);
      if (piece.origin[static_cast<std::size_t>(index_bit)] != Parity{0, wanted})
        return refuse(
            "pair", {.processor = piece.where.first(), .slot = wanted == 0 ? rule.low : rule.high},
            "stage {}: index bit {} of the {} operand is not always {}", rule.stage, index_bit,
            wanted == 0 ? "low" : "high", wanted);
    }
  }
  for (const Piece& a : low) {
    for (const Piece& b : high) {
      const AffineSpace both = a.where.meet(b.where);
      if (both.empty()) continue;
      if (a.tag != b.tag)
        return refuse("stage", {.processor = both.first(), .slot = rule.high},
                      "stage {}: the high operand has done {} stages, wanted {}", rule.stage, b.tag,
                      a.tag);
      const Piece x = a.on(both);
      const Piece y = b.on(both);
      for (int i = 0; i < goal_.index_bits; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i == index_bit || x.origin[at] == y.origin[at]) continue;
        return refuse("pair", {.processor = both.first(), .slot = rule.low},
                      "stage {}: the operands differ in index bit {} too", rule.stage, i);
      }
    }
  }
  return true;
}

Partition& ButterflyProof::computed(Slot slot) {
  const auto [there, first] = computed_.try_emplace(slot);
  if (first) there->second = states_->all(held(slot));
  return there->second;
}

void ButterflyProof::replace(Slot slot, const AffineSpace& where, std::vector<Piece> pieces) {
  Partition& there = computed(slot);
  there.erase(where);
  for (Piece& piece : pieces) there.add(std::move(piece));
  there.merge();
  if (there.pieces().size() > limits::proof_pieces_of_slot_max)
    give_up("slot {} needs more than {} pieces", slot, limits::proof_pieces_of_slot_max);
}

void ButterflyProof::butterfly(const AffineSpace& where, const ButterflyRule& rule) {
  if (where.empty()) return;
  const bool whole = rule.result == Result::both;
  if (rule.low >= header_.slots || rule.high >= header_.slots || rule.low == rule.high ||
      rule.stage < 0 || rule.stage >= goal_.index_bits || (!whole && rule.to >= header_.slots)) {
    breach("butterfly-range", {.processor = where.first(), .slot = rule.low},
           "butterfly of stage {} on slots {} and {}: no such place", rule.stage, rule.low,
           rule.high);
    return;
  }
  std::vector<Piece> low = computed(rule.low).inside(where);
  std::vector<Piece> high = computed(rule.high).inside(where);
  if (!operands_fit(low, high, rule, size_of(where))) return;
  pairs_ += size_of(where);
  if (goal_.in_place && !whole) {
    breach("in-place", {.processor = where.first(), .slot = rule.low}, "stage {} is done by halves",
           rule.stage);
    return;
  }
  for (auto* pieces : {&low, &high})
    for (Piece& piece : *pieces) ++piece.tag;
  if (!whole) return replace(rule.to, where, std::move(rule.result == Result::top ? low : high));
  replace(rule.low, where, std::move(low));
  replace(rule.high, where, std::move(high));
}

void ButterflyProof::step(const CubeStep& step) {
  if (!tracking()) return;
  move(step);
  each_of("butterflies", step.butterflies, [this](const Butterfly& b) {
    if (!tracking()) return;
    if ((b.processor & ~low_mask(dimensions_)) == 0)
      return butterfly(spaces_->at(spaces_->point(b.processor)),
                       {{}, b.low, b.high, b.stage, b.result, b.to});
    breach("proc-range", {.processor = b.processor, .slot = b.low},
           "processor {} is beyond the machine", b.processor);
  });
  each_of("butterfly_rules", step.butterfly_rules, [this](const ButterflyRule& rule) {
    if (!tracking()) return;
    if (const Parity* c = misfit(rule.where, dimensions_))
      return breach("mask-range", {},
                    "the condition [{:#x}, {}] does not fit {} address "
                    "bits",
                    c->mask, c->value, dimensions_);
    butterfly(spaces_->at(spaces_->of(rule.where)), rule);
  });
  for (const auto& [slot, partition] : computed_)
    if (tracking()) keep(slot, states_->of(partition.pieces()));
  computed_.clear();
  ++step_;
}

// The part of a piece that is at its final place.
std::optional<Piece> ButterflyProof::delivered(const Piece& piece, Word slot) const {
  if (piece.tag != stages_.count()) return std::nullopt;
  std::vector<Parity> constraints;
  for (int j = 0; j < goal_.processor_bits; ++j) {
    const auto from_top = static_cast<std::size_t>(goal_.processor_bits - 1 - j);
    Parity form = combine(piece.origin, goal_.final_processor_rows[from_top]);
    form.mask ^= bit(j);
    constraints.push_back(form);
  }
  if (goal_.final_memory_rows) {
    const int m = goal_.index_bits - goal_.processor_bits;
    if (m < word_bits && (slot >> m) != 0) return std::nullopt;
    for (int j = 0; j < m; ++j) {
      Parity form =
          combine(piece.origin, (*goal_.final_memory_rows)[static_cast<std::size_t>(m - 1 - j)]);
      form.value ^= has_bit(slot, j) ? 1U : 0U;
      constraints.push_back(form);
    }
  }
  const AffineSpace here = piece.where.meet(AffineSpace::where(goal_.processor_bits, constraints));
  if (here.empty()) return std::nullopt;
  return piece.on(here);
}

// The number of indices whose result is at its final place.
Count ButterflyProof::outputs() {
  std::vector<Piece> found;
  for (Slot s = 0; s < header_.slots; ++s) {
    const Partition there = states_->all(held(s));
    for (const Piece& piece : there.pieces())
      if (auto part = delivered(piece, s)) found.push_back(std::move(*part));
  }
  if (goal_.final_memory_rows) {
    std::vector<Word> rows = goal_.final_processor_rows;
    rows.insert(rows.end(), goal_.final_memory_rows->begin(), goal_.final_memory_rows->end());
    // Independent rows: different places hold different indices, sizes add up.
    if (BitMatrix::from_rows(goal_.index_bits, rows).rank() == goal_.index_bits)
      return size_of(found);
  }
  // Copies may exist: count the union of the index sets.
  std::vector<Piece> parts;
  for (const Piece& piece : found) {
    Partition fresh;
    fresh.add({indices(piece), {}});
    for (const Piece& old : parts) fresh.erase(old.where);
    parts.insert(parts.end(), fresh.pieces().begin(), fresh.pieces().end());
    if (parts.size() > limits::proof_pieces_of_slot_max) {
      give_up("the results are in more than {} pieces", limits::proof_pieces_of_slot_max);
      return 0;
    }
  }
  return size_of(parts);
}

void ButterflyProof::finish() {
  if (tracking()) verdict_.delivered = outputs();
  if (!tracking()) return;
  if (verdict_.delivered != verdict_.expected) {
    breach("not-delivered", {}, "{} of {} results are at their final place",
           to_string(verdict_.delivered), to_string(verdict_.expected));
  }
  const Count wanted = verdict_.expected * stages_.count() / 2;
  if (goal_.in_place && pairs_ != wanted) {
    breach("in-place", {}, "{} butterflies were done, wanted {}", to_string(pairs_),
           to_string(wanted));
  }
  judge_claims();
}

}  // namespace

std::unique_ptr<Verifier> butterfly_proof() {
  return std::make_unique<ButterflyProof>();
}

}  // namespace faro::inline v1
