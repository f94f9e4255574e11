// Proof of a butterfly network on a cube, without enumerating processors.
//
// For each slot a partition of the processors into pieces (space, rows, done): at processor q of
// the space lies the element whose index bit b is rows[b](q), an affine function of q, and `done`
// of its stages are over. A move cuts pieces with the rule's subspace and shifts them. A butterfly
// rule demands, on all of its subspace,
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

#include "faro/algebra/bit_map.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/ports.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/judge.hpp"
#include "machines/pieces.hpp"
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

// What one write of a step brings.
struct Write {
  AffineSpace where;
  std::vector<Piece> pieces;
};

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

class ButterflyProof : public Judge {
 public:
  ButterflyProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  void give_up(std::string limit) { verdict_.limit = std::move(limit); }
  bool stopped() const { return !clean() || !verdict_.limit.empty(); }
  bool goal_makes_sense();
  std::optional<AffineSpace> meeting(const std::vector<Parity>& where);
  AffineSpace only(Word processor) const;
  void read(const AffineSpace& where, Slot from, int across, Slot to);
  void check_ports();
  void write_all();
  void tidy(Slot slot);
  void butterfly(const AffineSpace& where, const ButterflyRule& rule);
  bool operands_fit(const std::vector<Piece>& low, const std::vector<Piece>& high,
                    const ButterflyRule& rule, const AffineSpace& where);
  void replace(Slot slot, const AffineSpace& where, std::vector<Piece> pieces);
  Count outputs();
  std::optional<Piece> delivered(const Piece& piece, Word slot) const;

  Hypercube cube_;
  ButterflyGoal goal_;
  ButterflyStages stages_;
  std::vector<Partition> state_;
  Count pairs_ = 0;
  std::map<int, std::vector<AffineSpace>> sends_;  // of this step, by dimension
  std::map<Slot, std::vector<Write>> writes_;      // of this step
};

bool ButterflyProof::goal_makes_sense() {
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  if (n != cube_.dimensions || n < 0 || p < n || p > word_bits) {
    breach("goal",
           fmt::format("the problem has {} processor bits of {} index bits; the machine has {} "
                       "dimensions",
                       n, p, cube_.dimensions));
    return false;
  }
  const auto fits = [&](const std::vector<Word>& rows, int count) {
    return rows.size() == static_cast<std::size_t>(count) &&
           std::all_of(rows.begin(), rows.end(), [&](Word r) { return (r & ~low_mask(p)) == 0; });
  };
  if (!fits(goal_.final_processor_rows, n) ||
      (goal_.final_memory_rows && !fits(*goal_.final_memory_rows, p - n))) {
    breach("goal",
           fmt::format("the final rows must be {} for the processor and {} for the slot, each a "
                       "mask of {} bits",
                       n, p - n, p));
    return false;
  }
  return true;
}

void ButterflyProof::begin(const ScheduleHeader& header) {
  goal_ = std::get<ButterflyGoal>(header.goal);
  stages_ = ButterflyStages(goal_);
  cube_ = std::get<Hypercube>(header.machine);
  header_ = header;
  if (!goal_makes_sense()) return;
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  verdict_.expected = Count{1} << static_cast<unsigned>(p);
  if (p - n >= word_bits || header.slots < bit(p - n)) {
    breach("goal", fmt::format("{} slots do not hold the 2^{} elements of a processor",
                               header.slots, p - n));
    return;
  }
  if (header.slots > limits::slots_max) {
    give_up(fmt::format("the proof keeps at most {} slots, this machine has {}", limits::slots_max,
                        header.slots));
    return;
  }
  const BitMatrix back = *BitMatrix::from_rows(p, start_rows(goal_)).inverse();
  state_.assign(header.slots, {});
  for (Word s = 0; s < bit(p - n); ++s) {
    Piece piece{AffineSpace::everything(n), {}, 0};
    for (int b = 0; b < p; ++b) {
      const Word row = back.row(b);
      const Word from_slot = n == word_bits ? 0 : row >> n;
      piece.origin.push_back({row & low_mask(n), parity(from_slot & s)});
    }
    state_[s].add(std::move(piece));
  }
}

// Nothing: a mask is beyond the machine, and that is said.
std::optional<AffineSpace> ButterflyProof::meeting(const std::vector<Parity>& where) {
  for (const Parity& condition : where) {
    if ((condition.mask & ~low_mask(cube_.dimensions)) != 0 || condition.value > 1) {
      breach("mask-range", fmt::format("the condition [{:#x}, {}] is beyond the {} processor bits",
                                       condition.mask, condition.value, cube_.dimensions));
      return std::nullopt;
    }
  }
  return AffineSpace::where(cube_.dimensions, where);
}

AffineSpace ButterflyProof::only(Word processor) const {
  std::vector<Parity> all;
  for (int d = 0; d < cube_.dimensions; ++d)
    all.push_back({bit(d), has_bit(processor, d) ? 1U : 0U});
  return AffineSpace::where(cube_.dimensions, all);
}

void ButterflyProof::read(const AffineSpace& where, Slot from, int across, Slot to) {
  if (where.empty()) return;
  if (across < inside || across >= cube_.dimensions) {
    breach("dimension-range", fmt::format("there is no dimension {}", across),
           {.dimension = across});
    return;
  }
  if (from >= state_.size() || to >= state_.size()) {
    breach("slot-range", fmt::format("slot {} to slot {}: there are {}", from, to, state_.size()),
           {.processor = where.first(), .slot = std::max(from, to)});
    return;
  }
  std::vector<Piece> taken = state_[from].inside(where);
  if (size_of(taken) != size_of(where)) {
    breach("reads-empty", fmt::format("slot {} is moved where nothing wrote it", from),
           {.slot = from});
  }
  AffineSpace there = where;
  if (across != inside) {
    verdict_.cost.remote_moves += size_of(where);
    std::vector<AffineSpace>& senders = sends_[across];
    for (const AffineSpace& other : senders) {
      if (!other.disjoint(where)) {
        const Word sender = other.meet(where).first();
        breach("link-twice", fmt::format("two elements on one link across {}", across),
               {.processor = sender, .to = sender ^ bit(across), .dimension = across});
        break;
      }
    }
    senders.push_back(where);
    there = where.shifted(bit(across));
    for (Piece& piece : taken) piece = piece.shifted(bit(across));
  }
  std::vector<Write>& writes = writes_[to];
  for (const Write& other : writes) {
    if (!other.where.disjoint(there)) {
      breach("two-writes", fmt::format("two writes to slot {}", to),
             {.to = other.where.meet(there).first(), .slot = to});
      break;
    }
  }
  writes.push_back({std::move(there), std::move(taken)});
}

// With one port every processor that sends or receives across one dimension leaves the others
// alone.
void ButterflyProof::check_ports() {
  if (several_ports(cube_) && static_cast<int>(sends_.size()) > ports_of(cube_))
    return give_up("a step crosses more dimensions than a processor has ports");
  if (cube_.ports != Hypercube::Ports::one) return;
  const auto touches = [](const AffineSpace& a, int d, const AffineSpace& b, int e) {
    return !a.disjoint(b) || !a.shifted(bit(d)).disjoint(b) || !a.disjoint(b.shifted(bit(e))) ||
           !a.shifted(bit(d)).disjoint(b.shifted(bit(e)));
  };
  for (auto one = sends_.begin(); one != sends_.end(); ++one) {
    for (auto two = std::next(one); two != sends_.end(); ++two) {
      for (const AffineSpace& a : one->second) {
        for (const AffineSpace& b : two->second) {
          if (!touches(a, one->first, b, two->first)) continue;
          breach("one-port",
                 fmt::format("dimensions {} and {} are used at one processor, it has one port",
                             one->first, two->first),
                 {.dimension = two->first});
          return;
        }
      }
    }
  }
}

void ButterflyProof::replace(Slot slot, const AffineSpace& where, std::vector<Piece> pieces) {
  state_[slot].erase(where);
  for (Piece& piece : pieces) state_[slot].add(std::move(piece));
  tidy(slot);
}

void ButterflyProof::tidy(Slot slot) {
  state_[slot].merge();
  if (state_[slot].pieces().size() > limits::proof_pieces_of_slot_max)
    give_up(
        fmt::format("slot {} needs more than {} pieces", slot, limits::proof_pieces_of_slot_max));
}

void ButterflyProof::write_all() {
  for (auto& [slot, writes] : writes_) {
    for (const Write& write : writes) state_[slot].erase(write.where);
    for (Write& write : writes)
      for (Piece& piece : write.pieces) state_[slot].add(std::move(piece));
    tidy(slot);
  }
}

bool ButterflyProof::operands_fit(const std::vector<Piece>& low, const std::vector<Piece>& high,
                                  const ButterflyRule& rule, const AffineSpace& where) {
  const int index_bit = goal_.index_bits - 1 - rule.stage;
  if (size_of(low) != size_of(where) || size_of(high) != size_of(where)) {
    breach("reads-empty",
           fmt::format("stage {} reads slots {} and {} where one of them is empty", rule.stage,
                       rule.low, rule.high),
           {.slot = size_of(low) != size_of(where) ? rule.low : rule.high});
    return false;
  }
  const int before = low.front().tag;
  if (before >= stages_.count() || stages_.index_bit(before) != index_bit) {
    breach("stage",
           fmt::format("stage {}: the low operand has done {} stages, which it does not follow",
                       rule.stage, before),
           {.processor = low.front().where.first(), .slot = rule.low});
    return false;
  }
  for (const auto& [side, wanted] : {std::pair{&low, 0U}, std::pair{&high, 1U}}) {
    for (const Piece& piece : *side) {
      if (piece.tag != before) {
        breach("stage",
               fmt::format("stage {}: the {} operand has done {} stages, wanted {}", rule.stage,
                           wanted == 0 ? "low" : "high", piece.tag, before),
               {.processor = piece.where.first(), .slot = wanted == 0 ? rule.low : rule.high});
        return false;
      }
      if (piece.origin[static_cast<std::size_t>(index_bit)] != Parity{0, wanted}) {
        breach("pair",
               fmt::format("stage {}: index bit {} of the {} operand is not always {}", rule.stage,
                           index_bit, wanted == 0 ? "low" : "high", wanted),
               {.processor = piece.where.first(), .slot = wanted == 0 ? rule.low : rule.high});
        return false;
      }
    }
  }
  for (const Piece& a : low) {
    for (const Piece& b : high) {
      const AffineSpace both = a.where.meet(b.where);
      if (both.empty()) continue;
      const Piece x = a.on(both);
      const Piece y = b.on(both);
      for (int i = 0; i < goal_.index_bits; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i == index_bit || x.origin[at] == y.origin[at]) continue;
        breach("pair",
               fmt::format("stage {}: the operands differ in index bit {} too", rule.stage, i),
               {.processor = both.first(), .slot = rule.low});
        return false;
      }
    }
  }
  return true;
}

void ButterflyProof::butterfly(const AffineSpace& where, const ButterflyRule& rule) {
  if (where.empty()) return;
  const bool whole = rule.result == Result::both;
  if (rule.low >= state_.size() || rule.high >= state_.size() || rule.low == rule.high ||
      rule.stage < 0 || rule.stage >= goal_.index_bits || (!whole && rule.to >= state_.size())) {
    breach("butterfly-range",
           fmt::format("butterfly of stage {} on slots {} and {}: no such place", rule.stage,
                       rule.low, rule.high),
           {.processor = where.first(), .slot = rule.low});
    return;
  }
  std::vector<Piece> low = state_[rule.low].inside(where);
  std::vector<Piece> high = state_[rule.high].inside(where);
  if (!operands_fit(low, high, rule, where)) return;
  pairs_ += size_of(where);
  if (goal_.in_place && !whole) {
    breach("in-place", fmt::format("stage {} is done by halves", rule.stage),
           {.processor = where.first(), .slot = rule.low});
    return;
  }
  for (Piece& piece : low) ++piece.tag;
  for (Piece& piece : high) ++piece.tag;
  if (whole) {
    replace(rule.low, where, std::move(low));
    replace(rule.high, where, std::move(high));
  } else {
    replace(rule.to, where, std::move(rule.result == Result::top ? low : high));
  }
}

void ButterflyProof::step(const CubeStep& step) {
  if (stopped()) return;
  sends_.clear();
  writes_.clear();
  list_ = "moves";
  for (entry_ = 0; entry_ < step.moves.size(); ++entry_) {
    const Move& m = step.moves[entry_];
    const Violation::Place at{
        .processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot};
    const Word crossed = m.from_processor ^ m.to_processor;
    if (((m.from_processor | m.to_processor) & ~low_mask(cube_.dimensions)) != 0) {
      breach(
          "proc-range",
          fmt::format("processor {} or {} is beyond the machine", m.from_processor, m.to_processor),
          at);
    } else if (crossed != 0 && !is_power_of_two(crossed)) {
      breach(
          "not-a-link",
          fmt::format("processors {} and {} are no neighbours", m.from_processor, m.to_processor),
          at);
    } else {
      read(only(m.from_processor), m.from_slot, crossed == 0 ? inside : log2_exact(crossed),
           m.to_slot);
    }
  }
  list_ = "rules";
  for (entry_ = 0; entry_ < step.rules.size(); ++entry_) {
    const Rule& rule = step.rules[entry_];
    if (const auto where = meeting(rule.where)) read(*where, rule.from, rule.across, rule.to);
  }
  list_ = "";
  entry_ = 0;
  check_ports();
  if (stopped()) return;
  if (!sends_.empty()) ++verdict_.cost.steps;
  write_all();
  list_ = "butterflies";
  for (entry_ = 0; entry_ < step.butterflies.size(); ++entry_) {
    const Butterfly& b = step.butterflies[entry_];
    if (stopped()) return;
    if ((b.processor & ~low_mask(cube_.dimensions)) != 0) {
      breach("proc-range", fmt::format("processor {} is beyond the machine", b.processor),
             {.processor = b.processor, .slot = b.low});
      return;
    }
    butterfly(only(b.processor), {{}, b.low, b.high, b.stage, b.result, b.to});
  }
  list_ = "butterfly_rules";
  for (entry_ = 0; entry_ < step.butterfly_rules.size(); ++entry_) {
    const ButterflyRule& rule = step.butterfly_rules[entry_];
    if (stopped()) return;
    if (const auto where = meeting(rule.where)) butterfly(*where, rule);
  }
  list_ = "";
  entry_ = 0;
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
  for (std::size_t s = 0; s < state_.size(); ++s) {
    for (const Piece& piece : state_[s].pieces())
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
      give_up(
          fmt::format("the results are in more than {} pieces", limits::proof_pieces_of_slot_max));
      return 0;
    }
  }
  return size_of(parts);
}

void ButterflyProof::finish() {
  if (!stopped()) verdict_.delivered = outputs();
  if (!stopped()) {
    if (verdict_.delivered != verdict_.expected) {
      breach("not-delivered",
             fmt::format("{} of {} results are at their final place", to_string(verdict_.delivered),
                         to_string(verdict_.expected)));
    }
    const Count wanted = verdict_.expected * stages_.count() / 2;
    if (goal_.in_place && pairs_ != wanted) {
      breach("in-place", fmt::format("{} butterflies were done, wanted {}", to_string(pairs_),
                                     to_string(wanted)));
    }
    judge_claims(verdict_, header_, step_);
  }
  if (clean() && !verdict_.limit.empty()) verdict_.answer = Verdict::Answer::unprovable;
}

}  // namespace

std::unique_ptr<Verifier> butterfly_proof() {
  return std::make_unique<ButterflyProof>();
}

}  // namespace faro::inline v1
