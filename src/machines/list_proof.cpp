// What ends somewhere is followed back for all places at once; then the goal asks.
#include "machines/list_proof.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <utility>

#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

// Directed links; of POPS, whose couplers are kept only while they are used, none.
Count links_of(const Machine& machine) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  const auto* cube = std::get_if<Hypercube>(&machine);
  return processors(machine) * 2 *
         (mesh != nullptr   ? mesh->sides_log2.size()
          : cube != nullptr ? static_cast<std::size_t>(cube->dimensions)
                            : 0);
}

}  // namespace

bool is_listed(const ScheduleHeader& header) {
  const int log2 = std::holds_alternative<MatmulGoal>(header.goal)
                       ? limits::proof_product_places_log2_max
                       : limits::proof_listed_places_log2_max;
  const Count most = Count{1} << static_cast<unsigned>(log2);
  const Count count = processors(header.machine);
  return count <= most && count * header.slots <= most && links_of(header.machine) <= most;
}

Backtrace::Backtrace(std::size_t places) : begun_(places), full_(places), written_(places) {}

bool Backtrace::move(Place from, Place to) {
  const auto step = static_cast<std::uint32_t>(first_of_step_.size());
  if (written_[to] == step) return false;
  written_[to] = step;
  moves_.push_back({from, to});
  return true;
}

void Backtrace::end_step() {
  if (first_of_step_.back() == moves_.size()) return;
  for (std::size_t i = first_of_step_.back(); i < moves_.size(); ++i) full_[moves_[i].to] = true;
  first_of_step_.push_back(moves_.size());
}

// Going back through the steps, the ends whose element lies at one place are a list, so that a move
// joins two lists in one go.
std::vector<Backtrace::Place> Backtrace::starts_of(std::span<const Place> ends) const {
  struct List {
    Place first = nowhere;
    Place last = nowhere;
  };
  std::vector<List> at(full_.size());
  std::vector<Place> next(ends.size(), nowhere);
  const auto join = [&](List& to, const List& more) {
    if (more.first == nowhere) return;
    if (to.first == nowhere)
      to.first = more.first;
    else
      next[to.last] = more.first;
    to.last = more.last;
  };
  for (Place end = 0; end < ends.size(); ++end) join(at[ends[end]], {end, end});
  std::vector<List> read;
  for (std::size_t step = first_of_step_.size() - 1; step-- > 0;) {
    const std::span moves(moves_.data() + first_of_step_[step],
                          first_of_step_[step + 1] - first_of_step_[step]);
    still_working();
    read.clear();
    for (const Listed& m : moves) read.push_back(std::exchange(at[m.to], {}));
    for (std::size_t i = 0; i < moves.size(); ++i) join(at[moves[i].from], read[i]);
  }
  std::vector<Place> starts(ends.size(), nowhere);
  for (std::size_t place = 0; place < at.size(); ++place)
    if (begun_[place])
      for (Place end = at[place].first; end != nowhere; end = next[end])
        starts[end] = static_cast<Place>(place);
  return starts;
}

void ListProof::begin(const ScheduleHeader& header) {
  header_ = header;
  registers_ = kind_of(header.machine).steps == MachineKind::Steps::slots;
  processors_ = static_cast<Word>(processors(header.machine));
  if (!is_listed(header))
    return give_up(
        "lists are proved on machines of up to 2^{} registers or slots of all processors and as "
        "many links, products of matrices up to 2^{}; this one has {} links and {} places",
        limits::proof_listed_places_log2_max, limits::proof_product_places_log2_max,
        to_string(links_of(header.machine)), to_string(Count{processors_} * header.slots));
  check_room(header, *this);
  if (registers_) check_goal(header, *this);  // it says what begins where
  if (tracking() && !is_product()) fill();
}

void ListProof::give_up_lists() {
  give_up("lists of at most 2^{} moves are proved", limits::proof_listed_moves_log2_max);
}

std::string ListProof::words(Place place) const {
  return fmt::format("{} {} of processor {}", registers_ ? "register" : "slot",
                     place % header_.slots, place / header_.slots);
}

void ListProof::fill() {
  trace_ = Backtrace(static_cast<std::size_t>(processors_ * header_.slots));
  const auto* moves = std::get_if<MovesGoal>(&header_.goal);
  const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal);
  if (moves != nullptr && registers_) {
    for (const Move& m : moves->moves) trace_.begins(place(m.from_processor, m.from_slot));
    return;
  }
  for (Word p = 0; p < processors_; ++p)
    if (broadcast != nullptr && broadcast->root.value_or(p) == p)
      trace_.begins(place(p, 0));
    else if (broadcast == nullptr)
      for (std::uint64_t e = 0; e < header_.elements; ++e) trace_.begins(place(p, e));
}

// The first of its registers of results.
std::uint64_t ListProof::result_of(Word processor) const {
  if (header_.result.empty()) return 0;
  return header_.result[header_.result.size() == 1 ? 0 : static_cast<std::size_t>(processor)];
}

void ListProof::expect(Word processor, std::uint64_t slot, Place start) {
  ++verdict_.expected;
  const Place began = slot < header_.slots ? starts_[place(processor, slot)] : Backtrace::nowhere;
  if (began == start)
    ++verdict_.delivered;
  else
    breach(registers_ ? "delivery" : "not-delivered",
           {.processor = processor, .slot = static_cast<Slot>(slot)},
           "what ends in {} {} of processor {} began {}, not in {}",
           registers_ ? "register" : "slot", slot, processor,
           began == Backtrace::nowhere ? "nowhere" : "in " + words(began), words(start));
}

// From the register of results on, or in any.
void ListProof::expect(Word processor, const std::vector<Place>& starts, bool in_order) {
  if (in_order) {
    for (std::size_t i = 0; i < starts.size(); ++i)
      expect(processor, result_of(processor) + i, starts[i]);
    return;
  }
  const auto first = starts_.begin() + static_cast<std::ptrdiff_t>(place(processor, 0));
  const std::set<Place> there(first, first + static_cast<std::ptrdiff_t>(header_.slots));
  for (const Place start : starts) {
    ++verdict_.expected;
    if (there.contains(start))
      ++verdict_.delivered;
    else
      breach("delivery", {.processor = processor}, "what begins in {} does not end in {}",
             words(start), processor);
  }
}

void ListProof::deliver(const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const bool stays = goal.map.width() == 0;
  const BitMap back = stays ? goal.map : goal.map.inverse();
  const auto began = [&](Word q, std::uint64_t s) {
    if (stays || !goal.cut) return place(stays ? q : back(q), s);
    const Word start = back(q << memory | s);
    return place(start >> memory, start & low_mask(memory));
  };
  std::vector<Place> starts(static_cast<std::size_t>(header_.elements));
  for (Word q = 0; q < processors_; ++q) {
    for (std::uint64_t s = 0; s < starts.size(); ++s) starts[s] = began(q, s);
    expect(q, starts, !registers_ || !header_.result.empty());
  }
}

void ListProof::deliver(const MovesGoal& goal) {
  for (const Move& m : goal.moves)
    expect(m.to_processor, m.to_slot, place(m.from_processor, m.from_slot));
}

void ListProof::deliver(const BroadcastGoal& goal) {
  std::vector<Place> starts;
  for (Word p = 0; p < processors_; ++p)
    if (goal.root.value_or(p) == p) starts.push_back(place(p, 0));
  for (Word q = 0; q < processors_; ++q)
    expect(q, starts, goal.root.has_value() && !header_.result.empty());
}

void ListProof::finish() {
  if (verdict_.answer == Verdict::Answer::unprovable) return;
  if (tracking() && !registers_) check_goal(header_, *this);
  if (tracking()) {
    if (!is_product()) {
      std::vector<Place> ends(static_cast<std::size_t>(processors_ * header_.slots));
      std::iota(ends.begin(), ends.end(), Place{0});
      starts_ = trace_.starts_of(ends);
    }
    std::visit([this](const auto& goal) { deliver(goal); }, header_.goal);
  }
  // Of slots after a breach not all is counted.
  if (tracking() || !registers_) judge_claims();
}

}  // namespace faro::inline v1
