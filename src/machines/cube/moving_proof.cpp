// Sets of processors are compared by number, so that what rules share is compared once.
#include "machines/cube/moving_proof.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/working.hpp"
#include "machines/cube/places.hpp"
#include "machines/cube/ports.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1::cube_proof_states {

constexpr std::size_t lookups_of_a_comparison = 8;
constexpr std::uint64_t meets_of_ports_max = limits::proof_work_max / lookups_of_a_comparison;

std::optional<Word> DisjointSets::common(SpaceId set, Spaces& spaces, std::uint64_t& work,
                                         bool counted) const {
  const AffineSpace& space = spaces.at(set);
  const bool point = space.dimension() == 0;
  work += spaces_.size() / lookups_of_a_comparison + (point ? 1 : points_.size());
  if (point && points_.contains(space.first())) return space.first();
  for (const SpaceId other : spaces_)
    if (counted || !told_apart(spaces.at(other), space))
      if (const auto both = spaces.common(other, set, work)) return both;
  if (point) return {};
  for (const Word p : points_)
    if (space.contains(p)) return p;
  return {};
}

void DisjointSets::add(SpaceId set, const Spaces& spaces) {
  if (spaces.at(set).dimension() == 0)
    points_.insert(spaces.at(set).first());
  else
    spaces_.push_back(set);
}

void MovingProof::prepare(const ScheduleHeader& header) {
  header_ = header;
  const auto& cube = std::get<Hypercube>(header.machine);
  dimensions_ = cube.dimensions;
  ports_ = cube.ports == Hypercube::Ports::all ? 0 : ports_of(cube);
  spaces_.emplace(dimensions_);
}

Held MovingProof::held(Slot slot) const {
  if (const auto written = slots_.find(slot); written != slots_.end()) return written->second;
  return slot < begun_ ? states_->own(slot) : Held{};
}

bool MovingProof::well_formed(const Move& move) {
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
    breach(rule, place_of(move), "the move [{}, {}, {}, {}]", move.from_processor, move.from_slot,
           move.to_processor, move.to_slot);
  return rule == nullptr;
}

void MovingProof::use_port(SpaceId where, int across) {
  for (const auto& [dimension, sets] : involved_) {
    if (dimension == across) continue;
    if (const auto p = sets.common(where, *spaces_, work_, bounded_))
      breach("one-port", {.processor = *p, .dimension = across},
             "processor {} uses dimensions {} and {}", *p, dimension, across);
  }
}

// A processor of the space that uses `others` dimensions besides `across`, all above `after`.
// Nothing as well once too many sets were compared.
std::optional<Word> MovingProof::crowded(const AffineSpace& space, int across, int after,
                                         int others) {
  if (others == 0) return space.first();
  for (auto at = crossing_.upper_bound(after); at != crossing_.end(); ++at) {
    if (at->first == across) continue;
    for (const SpaceId other : at->second) {
      if (++port_meets_ > meets_of_ports_max) return {};
      const AffineSpace both = space.meet(spaces_->at(other));
      if (both.empty()) continue;
      if (const auto p = crowded(both, across, at->first, others - 1)) return p;
    }
  }
  return {};
}

void MovingProof::use_ports(SpaceId where, int across) {
  std::vector<SpaceId>& here = crossing_[across];
  here.push_back(where);
  if (static_cast<int>(crossing_.size()) <= ports_) return;
  const AffineSpace space = spaces_->at(where);
  if (const auto p = crowded(space, across, inside, ports_))
    breach("ports", {.processor = *p, .dimension = across},
           "processor {} uses dimension {} and {} others", *p, across, ports_);
  else if (port_meets_ > meets_of_ports_max)
    give_up("more than {} comparisons of who uses which ports", meets_of_ports_max);
}

void MovingProof::use_link(SpaceId where, int across) {
  DisjointSets& sent = sent_[across];
  if (const auto p = sent.common(where, *spaces_, work_, bounded_))
    breach("link-twice", {.processor = *p, .to = *p ^ bit(across), .dimension = across},
           "the link of processor {} across dimension {} carries two elements", *p, across);
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
Violation::Place MovingProof::empty_at(SpaceId where, const Held& source, Slot from,
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
void MovingProof::perform(SpaceId where, Slot from, int across, Slot to) {
  if (across != inside) {
    remote_ = true;
    verdict_.cost.remote_moves += spaces_->size(where);
  }
  if (verdict_.answer == Verdict::Answer::unprovable || broken_before_) return;
  if (across != inside) use_link(where, across);
  const Word by = flip_of(across);
  const SpaceId region = across == inside ? where : spaces_->shifted(where, across);
  Writes& writes = writes_[to];
  if (const auto p = writes.sets.common(region, *spaces_, work_, bounded_))
    breach("two-writes", crossing(*p ^ by, across, to), "slot {} of processor {} is written twice",
           to, *p);
  writes.sets.add(region, *spaces_);
  const Held source = held(from);
  writes.writes.push_back({where, region, by, source});
  const Count read = states_->held(source.state, where, *spaces_, work_);
  if (read != spaces_->size(where))
    breach("reads-empty", empty_at(where, source, from, across),
           "slot {} is read at {} processors where nothing wrote it", from,
           to_string(spaces_->size(where) - read));
}

void MovingProof::land() {
  for (const auto& [slot, writes] : writes_) {
    keep(slot, states_->after(held(slot), writes.writes, *spaces_, work_));
    if (!tracking()) return;
  }
}

void MovingProof::keep(Slot slot, Held result) {
  slots_[slot] = result;
  const std::size_t pieces = states_->at(result.state).pieces().size();
  if (states_->pieces() > pieces_max_) {
    forget();
    if (!bounded_) pieces_max_ = std::max(pieces_max_, 2 * states_->pieces());
  }
  if (pieces > limits::proof_pieces_of_slot_max || states_->pieces() > pieces_max_)
    return give_up(
        "slot {} falls into {} pieces, all that slots hold into {}; at most {} and "
        "{}",
        slot, pieces, states_->pieces(), limits::proof_pieces_of_slot_max, pieces_max_);
  if (overworked())
    give_up(
        "{} pieces in all that slots hold, and more than {} comparisons "
        "of pieces",
        states_->pieces(), limits::proof_work_max);
}

// What was found of rules and states, but for what slots hold now.
void MovingProof::forget() {
  std::vector<bool> used(states_->stored());
  for (const auto& [slot, held] : slots_) used[held.state] = true;
  for (auto& [slot, writes] : writes_)
    for (const Write& write : writes.writes) used[write.source.state] = true;
  const std::vector<StateId> numbers = states_->forget(std::move(used));
  for (auto& [slot, held] : slots_) held.state = numbers[held.state];
  for (auto& [slot, writes] : writes_)
    for (Write& write : writes.writes) write.source.state = numbers[write.source.state];
}

void MovingProof::move(const CubeStep& step) {
  remote_ = false;
  broken_before_ = !clean();
  sent_.clear();
  bool performed = true;
  each_of("rules", step.rules, [&](const Rule& rule) {
    performed = faro::well_formed(rule, dimensions_, *this) && performed;
  });
  if (performed) {
    each_of("rules", step.rules, [this](const Rule& rule) {
      still_working();
      const SpaceId where = spaces_->of(rule.where);
      if (spaces_->at(where).empty()) return;  // one that nobody meets is legal
      if (rule.from < header_.slots && rule.to < header_.slots) {
        perform(where, rule.from, rule.across, rule.to);
      } else {
        breach("slot-range",
               {.processor = spaces_->at(where).first(), .slot = std::max(rule.from, rule.to)},
               "a rule names slot {}; there are {}", std::max(rule.from, rule.to), header_.slots);
      }
      if (overworked()) give_up("too many comparisons of rules in one step");
    });
    each_of("moves", step.moves, [this](const Move& m) {
      if (!well_formed(m)) return;
      const Word apart = m.from_processor ^ m.to_processor;
      perform(spaces_->point(m.from_processor), m.from_slot,
              apart == 0 ? inside : log2_exact(apart), m.to_slot);
      if (overworked()) give_up("too many comparisons of moves in one step");
    });
    if (tracking()) land();
  }
  involved_.clear();
  crossing_.clear();
  writes_.clear();
  if (spaces_->stored() + (states_ ? states_->stored() : 0) > stored_max_) {
    spaces_->forget();
    if (states_) forget();
    stored_max_ = limits::proof_states_max + 2 * (states_ ? states_->stored() : 0);
  }
  if (remote_) ++verdict_.cost.steps;
}

}  // namespace faro::inline v1::cube_proof_states
