// Proof of cube schedules: rules and moves as affine subspaces, slots as partitions. Nothing here
// grows with the number of processors. After the first step that breaks a rule, and after giving
// up, only the cost is still counted: what the slots hold is meaningless or unknown then.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/ports.hpp"
#include "machines/cube/proof_states.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/judge.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {
namespace {

using cube_proof_states::Held;
using cube_proof_states::SpaceId;
using cube_proof_states::Spaces;
using cube_proof_states::StateId;
using cube_proof_states::States;
using cube_proof_states::Translation;
using cube_proof_states::Write;

// Pairwise disjoint sets of processors; single processors are looked up, not compared.
class DisjointSets {
 public:
  // Some processor that is in `set` and in one of those here, nothing if there is none. Adds what
  // it compared to `work`.
  std::optional<Word> common(SpaceId set, Spaces& spaces, std::uint64_t& work) const {
    const AffineSpace& space = spaces.at(set);
    const bool point = space.dimension() == 0;
    work += spaces_.size() / lookups_of_a_comparison + (point ? 1 : points_.size());
    if (point && points_.contains(space.first())) return space.first();
    for (const SpaceId other : spaces_)
      if (const auto both = spaces.common(other, set, work)) return both;
    if (point) return {};
    for (const Word p : points_)
      if (space.contains(p)) return p;
    return {};
  }
  void add(SpaceId set, const Spaces& spaces) {
    if (spaces.at(set).dimension() == 0)
      points_.insert(spaces.at(set).first());
    else
      spaces_.push_back(set);
  }

 private:
  static constexpr std::size_t lookups_of_a_comparison = 8;
  std::vector<SpaceId> spaces_;
  std::set<Word> points_;
};

// What a step writes into one slot.
struct Writes {
  DisjointSets sets;
  std::vector<Write> writes;
};

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

class CubeProof : public Judge {
 public:
  CubeProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  bool well_formed(const Move& move);
  void perform(SpaceId where, Slot from, int across, Slot to);
  void use_link(SpaceId where, int across);
  void use_port(SpaceId where, int across);
  void use_ports(SpaceId where, int across);
  std::optional<Word> crowded(const AffineSpace& space, int across, int after, int others);
  void land();
  Held held(Slot slot) const;
  void forget();
  void deliver(const MapGoal& goal);
  void deliver(const MovesGoal& goal);
  void deliver(const BroadcastGoal& goal);
  Violation::Place empty_at(SpaceId where, const Held& source, Slot from, int across) const;
  void give_up(std::string why);
  bool tracking() const { return verdict_.answer == Verdict::Answer::yes; }

  int dimensions_ = 0;
  int slot_bits_ = 0;
  int ports_ = 0;  // that count: fewer than links, else 0
  std::optional<Spaces> spaces_;
  std::optional<States> states_;
  std::unordered_map<Slot, Held> slots_;  // those that were written
  std::map<int, DisjointSets> sent_;
  std::map<int, DisjointSets> involved_;  // one port
  std::map<int, std::vector<SpaceId>>
      crossing_;  // several ports: who sends or receives, by dimension
  std::map<Slot, Writes> writes_;
  bool remote_ = false;
  std::size_t stored_max_ = limits::proof_states_max;
  bool broken_before_ = false;  // the step that is performed began like that
  std::uint64_t work_ = 0;
};

void CubeProof::give_up(std::string why) {
  if (!tracking()) return;
  verdict_.answer = Verdict::Answer::unprovable;
  verdict_.limit = std::move(why);
  slots_.clear();
}

void CubeProof::begin(const ScheduleHeader& header) {
  header_ = header;
  const auto& cube = std::get<Hypercube>(header.machine);
  dimensions_ = cube.dimensions;
  ports_ = cube.ports == Hypercube::Ports::all ? 0 : ports_of(cube);
  check_room(header, breached_);
  if (!clean()) return;
  if (header.elements > limits::slots_max)
    return give_up(
        fmt::format("{} elements of a processor begin in slots of their own; the proof "
                    "follows {}",
                    header.elements, limits::slots_max));
  slot_bits_ = header.elements == 1 ? 0 : highest_bit(header.elements - 1) + 1;
  spaces_.emplace(dimensions_);
  states_.emplace(dimensions_, slot_bits_);
}

Held CubeProof::held(Slot slot) const {
  if (const auto written = slots_.find(slot); written != slots_.end()) return written->second;
  return slot < header_.elements ? states_->own(slot) : Held{};
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

void CubeProof::use_port(SpaceId where, int across) {
  for (const auto& [dimension, sets] : involved_) {
    if (dimension == across) continue;
    if (const auto p = sets.common(where, *spaces_, work_))
      breach("one-port",
             fmt::format("processor {} uses dimensions {} and {}", *p, dimension, across),
             {.processor = *p, .dimension = across});
  }
}

// A processor of the space that uses `others` dimensions besides `across`, all above `after`.
std::optional<Word> CubeProof::crowded(const AffineSpace& space, int across, int after,
                                       int others) {
  if (others == 0) return space.first();
  for (auto at = crossing_.upper_bound(after); at != crossing_.end(); ++at) {
    if (at->first == across) continue;
    for (const SpaceId other : at->second) {
      ++work_;
      const AffineSpace both = space.meet(spaces_->at(other));
      if (both.empty()) continue;
      if (const auto p = crowded(both, across, at->first, others - 1)) return p;
    }
  }
  return {};
}

void CubeProof::use_ports(SpaceId where, int across) {
  std::vector<SpaceId>& here = crossing_[across];
  here.push_back(where);
  if (static_cast<int>(crossing_.size()) <= ports_) return;
  const AffineSpace space = spaces_->at(where);
  if (const auto p = crowded(space, across, inside, ports_))
    breach("ports", fmt::format("processor {} uses dimension {} and {} others", *p, across, ports_),
           {.processor = *p, .dimension = across});
}

void CubeProof::use_link(SpaceId where, int across) {
  DisjointSets& sent = sent_[across];
  if (const auto p = sent.common(where, *spaces_, work_))
    breach("link-twice",
           fmt::format("the link of processor {} across dimension {} carries two elements", *p,
                       across),
           {.processor = *p, .to = *p ^ bit(across), .dimension = across});
  sent.add(where, *spaces_);
  if (ports_ == 0) return;
  const SpaceId there = spaces_->shifted(where, across);
  if (ports_ > 1) {
    use_ports(where, across);
    if (there != where) use_ports(there, across);
    return;
  }
  use_port(where, across);
  use_port(there, across);
  involved_[across].add(where, *spaces_);
  involved_[across].add(there, *spaces_);
}

// One of the processors where nothing is that the rule reads.
Violation::Place CubeProof::empty_at(SpaceId where, const Held& source, Slot from,
                                     int across) const {
  AffineSpace rest = spaces_->at(where);
  const auto left = [&](const AffineSpace& space) {
    Count held = 0;
    for (const Piece& piece : states_->at(source.state).inside(space)) held += size_of(piece.where);
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
  return crossing(rest.first(), across, from);
}

// One rule, or one move as a rule at one processor. The slots keep what they hold until land().
void CubeProof::perform(SpaceId where, Slot from, int across, Slot to) {
  if (across != inside) {
    remote_ = true;
    verdict_.cost.remote_moves += spaces_->size(where);
  }
  if (verdict_.answer == Verdict::Answer::unprovable || broken_before_) return;
  if (across != inside) use_link(where, across);
  const Word by = flip_of(across);
  const SpaceId region = across == inside ? where : spaces_->shifted(where, across);
  Writes& writes = writes_[to];
  if (const auto p = writes.sets.common(region, *spaces_, work_))
    breach("two-writes", fmt::format("slot {} of processor {} is written twice", to, *p),
           crossing(*p ^ by, across, to));
  writes.sets.add(region, *spaces_);
  const Held source = held(from);
  writes.writes.push_back({where, region, by, source});
  const Count read = states_->held(source.state, where, *spaces_, work_);
  if (read != spaces_->size(where))
    breach("reads-empty",
           fmt::format("slot {} is read at {} processors where nothing wrote it", from,
                       to_string(spaces_->size(where) - read)),
           empty_at(where, source, from, across));
}

// All reads are done: what the step wrote replaces what was there.
void CubeProof::land() {
  for (const auto& [slot, writes] : writes_) {
    const Held result = states_->after(held(slot), writes.writes, *spaces_, work_);
    slots_[slot] = result;
    const std::size_t pieces = states_->at(result.state).pieces().size();
    if (states_->pieces() > limits::proof_pieces_max) forget();
    if (pieces > limits::proof_pieces_of_slot_max || states_->pieces() > limits::proof_pieces_max)
      return give_up(
          fmt::format("slot {} falls into {} pieces, all that slots hold into {}; at most {} and "
                      "{}",
                      slot, pieces, states_->pieces(), limits::proof_pieces_of_slot_max,
                      limits::proof_pieces_max));
    if (work_ > limits::proof_work_max)
      return give_up(
          fmt::format("{} pieces in all that slots hold, and more than {} comparisons "
                      "of pieces",
                      states_->pieces(), limits::proof_work_max));
  }
}

// What was found of rules and states, but for what slots hold now.
void CubeProof::forget() {
  std::vector<bool> used(states_->stored());
  for (const auto& [slot, held] : slots_) used[held.state] = true;
  for (auto& [slot, writes] : writes_)
    for (const Write& write : writes.writes) used[write.source.state] = true;
  const std::vector<StateId> numbers = states_->forget(std::move(used));
  for (auto& [slot, held] : slots_) held.state = numbers[held.state];
  for (auto& [slot, writes] : writes_)
    for (Write& write : writes.writes) write.source.state = numbers[write.source.state];
}

void CubeProof::step(const CubeStep& step) {
  remote_ = false;
  broken_before_ = !clean();
  if (!spaces_) spaces_.emplace(dimensions_);  // gave up at once: only the cost is counted
  if (!step.butterflies.empty() || !step.butterfly_rules.empty())
    breach("butterfly", "a computation in a schedule whose goal only moves data");
  bool performed = true;
  list_ = "rules";
  for (entry_ = 0; entry_ < step.rules.size(); ++entry_)
    performed = faro::well_formed(step.rules[entry_], dimensions_, breached_) && performed;
  if (performed) {
    for (entry_ = 0; entry_ < step.rules.size(); ++entry_) {
      still_working();
      const Rule& rule = step.rules[entry_];
      const SpaceId where = spaces_->of(rule.where);
      if (spaces_->at(where).empty()) continue;  // one that nobody meets is legal
      if (rule.from < header_.slots && rule.to < header_.slots) {
        perform(where, rule.from, rule.across, rule.to);
      } else {
        breach("slot-range",
               fmt::format("a rule names slot {}; there are {}", std::max(rule.from, rule.to),
                           header_.slots),
               {.processor = spaces_->at(where).first(), .slot = std::max(rule.from, rule.to)});
      }
      if (work_ > limits::proof_work_max) give_up("too many comparisons of rules in one step");
    }
    list_ = "moves";
    for (entry_ = 0; entry_ < step.moves.size(); ++entry_) {
      const Move& m = step.moves[entry_];
      if (!well_formed(m)) continue;
      const Word apart = m.from_processor ^ m.to_processor;
      perform(spaces_->point(m.from_processor), m.from_slot,
              apart == 0 ? inside : log2_exact(apart), m.to_slot);
      if (work_ > limits::proof_work_max) give_up("too many comparisons of moves in one step");
    }
    if (tracking()) land();
  }
  list_ = "";
  entry_ = 0;
  sent_.clear();
  involved_.clear();
  crossing_.clear();
  writes_.clear();
  if (spaces_->stored() + (states_ ? states_->stored() : 0) > stored_max_) {
    spaces_->forget();
    if (states_) forget();
    stored_max_ = limits::proof_states_max + 2 * (states_ ? states_->stored() : 0);
  }
  if (remote_) ++verdict_.cost.steps;
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
      breach("not-delivered",
             fmt::format("slot {} holds the wrong element or nothing at {} of {} processors", s,
                         to_string(everybody - right), to_string(everybody)),
             {.slot = s});
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
      breach(
          "not-delivered",
          fmt::format("[{}, {}, {}, {}]", m.from_processor, m.from_slot, m.to_processor, m.to_slot),
          {.processor = m.to_processor, .slot = m.to_slot});
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
      give_up(fmt::format("{} slots hold what began a fixed distance away, there are {} processors",
                          distances.size(), to_string(everybody)));
    return;
  }
  // Origins that are the same at every processor.
  const std::vector<Parity> nowhere(static_cast<std::size_t>(slot_bits_ + dimensions_));
  for (Slot s = 0; s < header_.elements; ++s) {
    const Count right = states_->right(held(s), nowhere, {s, *goal.root});
    verdict_.expected += everybody;
    verdict_.delivered += right;
    if (right != everybody)
      breach("not-delivered",
             fmt::format("slot {} holds what began there at the root at {} of {} processors", s,
                         to_string(right), to_string(everybody)));
  }
}

void CubeProof::finish() {
  if (tracking()) check_goal(header_, breached_);
  if (tracking()) {
    if (const auto* map = std::get_if<MapGoal>(&header_.goal)) {
      deliver(*map);
    } else if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
      deliver(*moves);
    } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
      deliver(*broadcast);
    }
  }
  judge_claims(verdict_, header_, step_);
}

}  // namespace

std::unique_ptr<Verifier> subspace_proof() {
  return std::make_unique<CubeProof>();
}

}  // namespace faro::inline v1
