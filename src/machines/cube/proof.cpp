// Proof of cube schedules: rules and moves as affine subspaces, slots as partitions. Nothing here
// grows with the number of processors. After the first step that breaks a rule, and after giving
// up, only the cost is still counted: what the slots hold is meaningless or unknown then.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "machines/cube/pieces.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/verifiers.hpp"

namespace faro::inline v1 {
namespace {

// Pairwise disjoint sets of processors; single processors are looked up, not compared.
class DisjointSets {
 public:
  // Some processor that is in `set` and in one of those here, nothing if there is none. Adds what
  // it compared to `work`.
  std::optional<Word> common(const AffineSpace& set, std::uint64_t& work) const {
    const bool point = set.dimension() == 0;
    work += spaces_.size() + (point ? 1 : points_.size());
    if (point && points_.contains(set.first())) return set.first();
    for (const AffineSpace& other : spaces_) {
      const AffineSpace both = other.meet(set);
      if (!both.empty()) return both.first();
    }
    if (point) return {};
    for (const Word p : points_)
      if (set.contains(p)) return p;
    return {};
  }
  void add(const AffineSpace& set) {
    if (set.dimension() == 0) {
      points_.insert(set.first());
    } else {
      spaces_.push_back(set);
    }
  }

 private:
  std::vector<AffineSpace> spaces_;
  std::set<Word> points_;
};

// What a step writes into one slot.
struct Writes {
  DisjointSets sets;
  std::vector<AffineSpace> regions;
  std::vector<Piece> pieces;
};

// d where everybody's element began at p ^ d.
std::optional<Word> distance_of(const std::vector<Piece>& pieces) {
  if (pieces.size() != 1 || !pieces[0].where.constraints().empty()) return {};
  Word distance = 0;
  for (std::size_t i = 0; i < pieces[0].origin.size(); ++i) {
    if (pieces[0].origin[i].mask != bit(static_cast<int>(i))) return {};
    if (pieces[0].origin[i].value != 0) distance |= bit(static_cast<int>(i));
  }
  return distance;
}

class CubeProof : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  bool well_formed(const Rule& rule);
  bool well_formed(const Move& move);
  void perform(const AffineSpace& where, const Rule& rule);
  void use_link(const AffineSpace& where, int across);
  void use_port(const AffineSpace& where, int across);
  void land();
  void deliver(const MapGoal& goal);
  void deliver(const MovesGoal& goal);
  void deliver(const BroadcastGoal& goal);
  std::vector<Parity> wanted(const BitMap& inverse, const MapGoal& goal, Slot slot) const;
  AffineSpace point(Word p) const;
  Violation::Place empty_at(const AffineSpace& where, const Rule& rule) const;
  void give_up(std::string why);
  void breach(const char* rule, std::string message, Violation::Place at = {}) {
    at.list = list_;
    at.entry = entry_;
    verdict_.add({step_, rule, std::move(message), std::move(at)});
    broken_ = true;
  }
  bool tracking() const { return !broken_ && verdict_.answer == Verdict::Answer::yes; }

  ScheduleHeader header_;
  int dimensions_ = 0;
  int slot_bits_ = 0;
  bool one_port_ = false;
  std::map<Slot, Partition> slots_;  // those that hold something
  std::size_t pieces_ = 0;           // of all slots
  std::map<int, DisjointSets> sent_;
  std::map<int, DisjointSets> involved_;
  std::map<Slot, Writes> writes_;
  Count step_ = 0;
  const char* list_ = "";  // the entry of the step that is looked at
  std::size_t entry_ = 0;
  bool remote_ = false;
  bool broken_ = false;
  std::uint64_t work_ = 0;
  Verdict verdict_;
};

void CubeProof::give_up(std::string why) {
  if (!tracking()) return;
  verdict_.answer = Verdict::Answer::unprovable;
  verdict_.limit = std::move(why);
  slots_.clear();
}

void CubeProof::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.answer = Verdict::Answer::yes;
  verdict_.by = "proof";
  const auto& cube = std::get<Hypercube>(header.machine);
  dimensions_ = cube.dimensions;
  one_port_ = cube.ports == Hypercube::Ports::one;
  if (header.elements == 0 || header.slots < header.elements)
    return breach("slot-range", fmt::format("{} slots for {} elements a processor; at least as "
                                            "many slots are wanted, and one element",
                                            header.slots, header.elements));
  if (header.elements > limits::proof_pieces_max)
    return give_up(
        fmt::format("{} pieces at the start, one for each element of a processor; at "
                    "most {}",
                    header.elements, limits::proof_pieces_max));
  slot_bits_ = header.elements == 1 ? 0 : highest_bit(header.elements - 1) + 1;
  // Row i of an origin: the slot bits, then the processor bits.
  std::vector<Parity> origin(static_cast<std::size_t>(slot_bits_ + dimensions_));
  for (int i = 0; i < dimensions_; ++i)
    origin[static_cast<std::size_t>(slot_bits_ + i)].mask = bit(i);
  for (Slot s = 0; s < header.elements; ++s) {
    for (int i = 0; i < slot_bits_; ++i)
      origin[static_cast<std::size_t>(i)].value = has_bit(s, i) ? 1 : 0;
    slots_[s].add({AffineSpace::everything(dimensions_), origin});
  }
  pieces_ = header.elements;
}

bool CubeProof::well_formed(const Rule& rule) {
  if (rule.across != inside && (rule.across < 0 || rule.across >= dimensions_)) {
    breach("dimension-range",
           fmt::format("a rule goes across dimension {} of a {}-cube", rule.across, dimensions_),
           {.dimension = rule.across});
    return false;
  }
  for (const Parity& c : rule.where) {
    if ((c.mask & ~low_mask(dimensions_)) == 0 && c.value <= 1) continue;
    breach("mask-range", fmt::format("the condition [{:#x}, {}] does not fit {} address bits",
                                     c.mask, c.value, dimensions_));
    return false;
  }
  return true;
}

bool CubeProof::well_formed(const Move& move) {
  const char* rule = nullptr;
  const Word apart = move.from_processor ^ move.to_processor;
  if (((move.from_processor | move.to_processor) & ~low_mask(dimensions_)) != 0) {
    rule = "proc-range";
  } else if (move.from_slot >= header_.slots || move.to_slot >= header_.slots) {
    rule = "slot-range";
  } else if (apart != 0 && !is_power_of_two(apart)) {
    rule = "not-a-link";
  }
  if (rule != nullptr)
    breach(rule,
           fmt::format("the move [{}, {}, {}, {}]", move.from_processor, move.from_slot,
                       move.to_processor, move.to_slot),
           place_of(move));
  return rule == nullptr;
}

AffineSpace CubeProof::point(Word p) const {
  std::vector<Parity> bits;
  for (int i = dimensions_ - 1; i >= 0; --i) bits.push_back({bit(i), has_bit(p, i) ? 1U : 0U});
  return AffineSpace::where(dimensions_, bits);
}

void CubeProof::use_port(const AffineSpace& where, int across) {
  for (const auto& [dimension, sets] : involved_) {
    if (dimension == across) continue;
    if (const auto p = sets.common(where, work_))
      breach("one-port",
             fmt::format("processor {} uses dimensions {} and {}", *p, dimension, across),
             {.processor = *p, .dimension = across});
  }
}

void CubeProof::use_link(const AffineSpace& where, int across) {
  DisjointSets& sent = sent_[across];
  if (const auto p = sent.common(where, work_))
    breach("link-twice",
           fmt::format("the link of processor {} across dimension {} carries two elements", *p,
                       across),
           {.processor = *p, .to = *p ^ bit(across), .dimension = across});
  sent.add(where);
  if (!one_port_) return;
  const AffineSpace there = where.shifted(bit(across));
  use_port(where, across);
  use_port(there, across);
  involved_[across].add(where);
  involved_[across].add(there);
}

// One of the processors where nothing is that the rule reads.
Violation::Place CubeProof::empty_at(const AffineSpace& where, const Rule& rule) const {
  const auto source = slots_.find(rule.from);
  AffineSpace rest = where;
  const auto left = [&](const AffineSpace& space) {
    Count held = 0;
    if (source != slots_.end())
      for (const Piece& piece : source->second.inside(space)) held += size_of(piece.where);
    return size_of(space) - held;
  };
  // By halves, into one that has such a processor.
  for (int d = dimensions_ - 1; d >= 0 && rest.dimension() > 0; --d)
    for (const unsigned value : {0U, 1U}) {
      const AffineSpace half = rest.meet(Parity{bit(d), value});
      if (half.empty() || left(half) == 0) continue;
      rest = half;
      break;
    }
  return crossing(rest.first(), rule.across, rule.from);
}

// One rule, or one move as a rule at one processor. The slots keep what they hold until land().
void CubeProof::perform(const AffineSpace& where, const Rule& rule) {
  if (rule.across != inside) {
    remote_ = true;
    verdict_.cost.remote_moves += size_of(where);
  }
  if (verdict_.answer == Verdict::Answer::unprovable || (broken_ && slots_.empty())) return;
  if (rule.across != inside) use_link(where, rule.across);
  const Word by = rule.across == inside ? 0 : bit(rule.across);
  Writes& writes = writes_[rule.to];
  const AffineSpace region = where.shifted(by);
  if (const auto p = writes.sets.common(region, work_))
    breach("two-writes", fmt::format("slot {} of processor {} is written twice", rule.to, *p),
           crossing(*p ^ by, rule.across, rule.to));
  writes.sets.add(region);
  writes.regions.push_back(region);
  Count read = 0;
  if (const auto source = slots_.find(rule.from); source != slots_.end()) {
    work_ += source->second.pieces().size();
    for (const Piece& piece : source->second.inside(where)) {
      read += size_of(piece.where);
      writes.pieces.push_back(by == 0 ? piece : piece.shifted(by));
    }
  }
  if (read != size_of(where))
    breach("reads-empty",
           fmt::format("slot {} is read at {} processors where nothing wrote it", rule.from,
                       to_string(size_of(where) - read)),
           empty_at(where, rule));
}

// All reads are done: what the step wrote replaces what was there.
void CubeProof::land() {
  for (auto& [slot, writes] : writes_) {
    Partition& target = slots_[slot];
    const std::size_t before = target.pieces().size();
    for (const AffineSpace& region : writes.regions) {
      work_ += target.pieces().size();
      target.erase(region);
      if (work_ > limits::proof_work_max || target.pieces().size() > limits::proof_pieces_max)
        break;
    }
    for (Piece& piece : writes.pieces) target.add(std::move(piece));
    work_ += target.pieces().size();
    target.merge();
    pieces_ = pieces_ - before + target.pieces().size();
    if (target.pieces().size() > limits::proof_pieces_of_slot_max ||
        pieces_ > limits::proof_pieces_max)
      return give_up(
          fmt::format("slot {} falls into {} pieces, all slots into {}; at most {} and "
                      "{}",
                      slot, target.pieces().size(), pieces_, limits::proof_pieces_of_slot_max,
                      limits::proof_pieces_max));
    if (work_ > limits::proof_work_max)
      return give_up(fmt::format("{} pieces in all slots, and more than {} comparisons of pieces",
                                 pieces_, limits::proof_work_max));
  }
}

void CubeProof::step(const CubeStep& step) {
  remote_ = false;
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach("butterfly", "a computation in a schedule whose goal only moves data");
  bool performed = true;
  list_ = "rules";
  for (entry_ = 0; entry_ < step.rules.size(); ++entry_)
    performed = well_formed(step.rules[entry_]) && performed;
  if (performed) {
    for (entry_ = 0; entry_ < step.rules.size(); ++entry_) {
      const Rule& rule = step.rules[entry_];
      const AffineSpace where = AffineSpace::where(dimensions_, rule.where);
      if (where.empty()) continue;  // a rule that nobody meets is legal, whatever its slots
      if (rule.from < header_.slots && rule.to < header_.slots) {
        perform(where, rule);
      } else {
        breach("slot-range",
               fmt::format("a rule names slot {}; there are {}", std::max(rule.from, rule.to),
                           header_.slots),
               {.processor = where.first(), .slot = std::max(rule.from, rule.to)});
      }
      if (work_ > limits::proof_work_max) give_up("too many comparisons of rules in one step");
    }
    list_ = "moves";
    for (entry_ = 0; entry_ < step.moves.size(); ++entry_) {
      const Move& m = step.moves[entry_];
      if (!well_formed(m)) continue;
      const Word apart = m.from_processor ^ m.to_processor;
      perform(point(m.from_processor),
              {{}, m.from_slot, apart == 0 ? inside : log2_exact(apart), m.to_slot});
      if (work_ > limits::proof_work_max) give_up("too many comparisons of moves in one step");
    }
    if (tracking()) land();
  }
  list_ = "";
  entry_ = 0;
  if (broken_) slots_.clear();
  sent_.clear();
  involved_.clear();
  writes_.clear();
  if (remote_) ++verdict_.cost.steps;
  ++step_;
}

// The origin of what belongs in `slot` of processor p, row by row.
std::vector<Parity> CubeProof::wanted(const BitMap& inverse, const MapGoal& goal, Slot slot) const {
  const int memory = goal.cut ? goal.memory_bits : 0;
  std::vector<Parity> rows;
  if (!goal.cut)
    for (int i = 0; i < slot_bits_; ++i) rows.push_back({0, has_bit(slot, i) ? 1U : 0U});
  for (int i = 0; i < inverse.width(); ++i) {
    const Word row = inverse.matrix().row(i);
    const unsigned constant =
        parity(row & low_mask(memory) & slot) ^ (has_bit(inverse.complement(), i) ? 1U : 0U);
    rows.push_back({memory == word_bits ? 0 : row >> memory, constant});
  }
  return rows;
}

void CubeProof::deliver(const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  if (goal.map.width() != dimensions_ + memory ||
      (goal.cut && (memory != slot_bits_ || header_.elements != bit(memory))))
    return breach("goal", fmt::format("a map of {} bits, {} of them memory, on a {}-cube with {} "
                                      "elements a processor",
                                      goal.map.width(), memory, dimensions_, header_.elements));
  const BitMap inverse = goal.map.inverse();
  const Count everybody = Count{1} << dimensions_;
  for (Slot s = 0; s < header_.elements; ++s) {
    const std::vector<Parity> rows = wanted(inverse, goal, s);
    Count right = 0;
    for (const Piece& piece : slots_[s].pieces())
      if (reduced_on(piece.where, rows) == piece.origin) right += size_of(piece.where);
    verdict_.expected += everybody;
    verdict_.delivered += right;
    if (right != everybody)
      breach("not-delivered",
             fmt::format("slot {} holds the wrong element or nothing at {} of {} processors", s,
                         to_string(everybody - right), to_string(everybody)),
             {.slot = s});
  }
}

void CubeProof::deliver(const MovesGoal& goal) {
  std::set<std::pair<Word, Slot>> sources;
  std::set<std::pair<Word, Slot>> targets;
  for (const Move& m : goal.moves) {
    const auto text =
        fmt::format("[{}, {}, {}, {}]", m.from_processor, m.from_slot, m.to_processor, m.to_slot);
    if (((m.from_processor | m.to_processor) & ~low_mask(dimensions_)) != 0 ||
        m.from_slot >= header_.elements || m.to_slot >= header_.slots) {
      breach("goal", "out of range: " + text, place_of(m));
      continue;
    }
    if (!sources.emplace(m.from_processor, m.from_slot).second ||
        !targets.emplace(m.to_processor, m.to_slot).second)
      breach("goal", "a place named twice: " + text, place_of(m));
    verdict_.expected += 1;
    work_ += slots_[m.to_slot].pieces().size();
    if (work_ > limits::proof_work_max)
      return give_up("a list of goals too long to look up in the pieces");
    const Piece* piece = slots_[m.to_slot].at(m.to_processor);
    std::vector<Parity> start;
    for (int i = 0; i < slot_bits_; ++i) start.push_back({0, has_bit(m.from_slot, i) ? 1U : 0U});
    for (int i = 0; i < dimensions_; ++i)
      start.push_back({0, has_bit(m.from_processor, i) ? 1U : 0U});
    bool right = piece != nullptr;
    for (std::size_t i = 0; right && i < start.size(); ++i)
      right = (parity(m.to_processor & piece->origin[i].mask) ^ piece->origin[i].value) ==
              start[i].value;
    if (right)
      verdict_.delivered += 1;
    else
      breach("not-delivered", text, {.processor = m.to_processor, .slot = m.to_slot});
  }
}

// The root's elements in their slots everywhere; without a root everybody's somewhere, which is
// told by slots that hold what began a fixed distance away.
void CubeProof::deliver(const BroadcastGoal& goal) {
  const Count everybody = Count{1} << dimensions_;
  if (!goal.root) {
    if (header_.elements != 1) return give_up("a broadcast of several elements to all");
    std::set<Word> distances;
    for (const auto& [slot, partition] : slots_)
      if (const auto distance = distance_of(partition.pieces())) distances.insert(*distance);
    verdict_.expected += everybody * everybody;
    verdict_.delivered += everybody * Count{distances.size()};
    if (Count{distances.size()} != everybody)
      give_up(fmt::format("{} slots hold what began a fixed distance away, there are {} processors",
                          distances.size(), to_string(everybody)));
    return;
  }
  if ((*goal.root & ~low_mask(dimensions_)) != 0)
    return breach("goal", fmt::format("there is no processor {}", *goal.root));
  for (Slot s = 0; s < header_.elements; ++s) {
    std::vector<Parity> start;
    for (int i = 0; i < slot_bits_; ++i) start.push_back({0, has_bit(s, i) ? 1U : 0U});
    for (int i = 0; i < dimensions_; ++i) start.push_back({0, has_bit(*goal.root, i) ? 1U : 0U});
    Count right = 0;
    for (const Piece& piece : slots_[s].pieces())
      if (reduced_on(piece.where, start) == piece.origin) right += size_of(piece.where);
    verdict_.expected += everybody;
    verdict_.delivered += right;
    if (right != everybody)
      breach("not-delivered",
             fmt::format("slot {} holds what began there at the root at {} of {} processors", s,
                         to_string(right), to_string(everybody)));
  }
}

void CubeProof::finish() {
  if (tracking()) {
    if (const auto* map = std::get_if<MapGoal>(&header_.goal)) {
      deliver(*map);
    } else if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
      deliver(*moves);
    } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
      deliver(*broadcast);
    } else {
      breach("goal", "the goal of a cube schedule is a map, a list, a broadcast or a network");
    }
  }
  judge_claims(verdict_, header_, step_);
}

}  // namespace

std::unique_ptr<Verifier> cube_proof() {
  return std::make_unique<CubeProof>();
}

}  // namespace faro::inline v1
