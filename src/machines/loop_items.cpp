// Translates steps into items, and judges the end. Links and ports are judged by the machine's own
// proof: it gets the step with slots of its own for every item, all of them full, so that only
// links and ports can be wrong.
#include "machines/loop_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "faro/base/limits.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/list_proof.hpp"
#include "machines/loop_proof.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/proof_reading.hpp"
#include "machines/ranks/model.hpp"
#include "schedules/loops.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

bool has_loop_proof(const ScheduleHeader& header) {
  if (header.entries != ScheduleHeader::Entries::loops) return false;
  const bool map = std::holds_alternative<MapGoal>(header.goal);
  const bool list = std::holds_alternative<MovesGoal>(header.goal);
  if (const auto* mesh = std::get_if<Mesh>(&header.machine))
    return mesh->links == Mesh::Links::all && (map || list);
  if (const auto* pops = std::get_if<Pops>(&header.machine))
    return map && pops::has_address_bits(*pops) && header.result.size() == 1 &&
           !pops->multi_receive;
  if (const auto* ranks = std::get_if<Crossbar>(&header.machine))
    return map && header.result.size() == 1 && ranks->tiers.empty();
  return map || list;
}

namespace loop_proofs {
namespace {

constexpr Word homes_max = Word{1} << 17U;

// Slots of processors, all steps together: some seconds.
constexpr std::uint64_t judged_max = std::uint64_t{1} << 28U;

// Each residue of slots has runs of its own.
constexpr int low_bits_max = 10;

int width_of(const Machine& machine) {
  const auto bits = address_bits(machine);
  return std::holds_alternative<Mesh>(machine) || !bits ? 0 : *bits;
}

Item item_of(Slot from, Slot to, Advance advance, std::size_t entry) {
  Item item;
  item.from = from;
  item.from_by = advance.from;
  item.to = to;
  item.to_by = advance.to;
  item.entry = entry;
  return item;
}

// How a proof is asked for a step alone: nothing is claimed, and everybody's slots are full.
ScheduleHeader alone_of(const ScheduleHeader& header, int bits, std::uint64_t slots) {
  ScheduleHeader alone;
  alone.machine = std::holds_alternative<Crossbar>(header.machine) ? ranks::as_star(header).machine
                                                                   : header.machine;
  alone.goal = MapGoal{BitMap::identity(bits)};
  alone.elements = alone.slots = std::max<std::uint64_t>(slots, 1);
  alone.result = {0};
  return alone;
}

// Throws what the machine's proof found.
template <class Step>
void check(std::unique_ptr<Verifier> judge, const ScheduleHeader& header, const Step& step) {
  judge->begin(header);
  judge->step(step);
  const Verdict verdict = judge->verdict();
  if (!verdict.violations.empty()) {
    const Violation& first = verdict.violations.front();
    Breach breach{first.rule, first.message, first.at};
    breach.at.slot.reset();
    throw breach;
  }
  if (!verdict.limit.empty()) throw NoClaim{verdict.limit};
}

}  // namespace

bool LoopItems::pops() const {
  return has_registers(header_.machine);
}

Names LoopItems::names() const {
  if (pops()) return {"R7", "R5", "R3"};
  return {"slot-range", "reads-empty", "two-writes"};
}

LoopItems::LoopItems(const ScheduleHeader& header)
    : header_(header), contents_(width_of(header.machine)) {
  bits_ = address_bits(header.machine).value_or(0);
  if (pops()) result_ = header.result.at(0);
  const bool links = std::holds_alternative<Mesh>(header.machine);
  if (links) {
    if (processors(header.machine) > homes_max)
      throw NoClaim{
          fmt::format("the proof of loops with listed moves follows at most {} "
                      "processors",
                      homes_max)};
    homes_ = static_cast<Word>(processors(header.machine));
  }
  if (header.elements == 0 || header.slots < header.elements || result_ >= header.slots)
    throw Breach{links ? "machine" : names().slot_range,
                 fmt::format("{} slots for {} elements of a processor; at least as many slots are "
                             "wanted, and one element",
                             header.slots, header.elements),
                 {}};
  if (const auto* goal = std::get_if<MapGoal>(&header.goal)) {
    const int memory = goal->cut ? goal->memory_bits : 0;
    if (goal->map.width() != bits_ + memory || memory >= word_bits ||
        (goal->cut && header.elements != bit(memory)))
      throw Breach{"goal",
                   fmt::format("a map of {} bits, {} of them memory, for 2^{} processors with {} "
                               "elements each",
                               goal->map.width(), memory, bits_, header.elements),
                   {}};
    low_ = moving_bits(*goal);
    if (low_ > low_bits_max)
      throw NoClaim{fmt::format("a map that mixes {} memory bits; loops are proved for {}", low_,
                                low_bits_max)};
  }
}

std::vector<Run> LoopItems::beginning() {
  std::vector<Run> runs;
  const SpaceId where = everybody();
  const std::uint64_t grid = bit(low_);
  for (Word home = 0; home < std::max<Word>(homes_, 1); ++home)
    for (std::uint64_t r = 0; r < std::min(grid, header_.elements); ++r) {
      std::vector<Parity> rows;
      for (int b = 0; b < low_; ++b) rows.push_back({0, has_bit(r, b) ? 1U : 0U});
      for (int b = 0; b < bits_; ++b)
        rows.push_back(listed() ? Parity{0, has_bit(home, b) ? 1U : 0U} : Parity{bit(b), 0});
      const auto count = static_cast<std::int64_t>((header_.elements - r + grid - 1) / grid);
      const Run run{home,
                    static_cast<std::int64_t>(grid),
                    {static_cast<std::int64_t>(r), 0},
                    {count, 0},
                    {{contents_.of(where, std::move(rows)), {0, 0}, 1}}};
      runs.push_back(part(run, {}, run.count));
    }
  return runs;
}

bool LoopItems::fits(const CubeStep& step) const {
  return std::all_of(step.rules.begin(), step.rules.end(),
                     [this](const Rule& rule) { return misfit(rule.where, bits_) == nullptr; });
}

bool LoopItems::fits(const PopsSlot& slot) const {
  return std::all_of(slot.rules.begin(), slot.rules.end(),
                     [this](const PopsRule& rule) { return faro::fits(rule, bits_); });
}

std::vector<Item> LoopItems::of(const CubeStep& step, const std::vector<Advance>& advances) {
  CubeStep alone = step;
  std::map<Word, std::uint64_t> reads;
  std::map<Word, std::uint64_t> writes;
  std::uint64_t most = 0;
  const auto own = [&](Word from, Slot& slot_from, Word to, Slot& slot_to) {
    slot_from = static_cast<Slot>(reads[listed() ? from : 0]++);
    slot_to = static_cast<Slot>(writes[listed() ? to : 0]++);
    most = std::max<std::uint64_t>({most, slot_from + 1U, slot_to + 1U});
  };
  for (Rule& rule : alone.rules) own(0, rule.from, 0, rule.to);
  for (Move& move : alone.moves)
    own(move.from_processor, move.from_slot, move.to_processor, move.to_slot);
  judged_ += homes_ * std::max<std::uint64_t>(most, 1);
  if (judged_ > judged_max)
    throw NoClaim{"its steps are too many to be judged one by one on so many processors"};
  check(listed() ? list_proof() : subspace_proof(), alone_of(header_, bits_, most), alone);
  std::vector<Item> items;
  Spaces& spaces = contents_.spaces();
  for (std::size_t i = 0; i < step.rules.size(); ++i) {
    const Rule& rule = step.rules[i];
    Item item = item_of(rule.from, rule.to, advances[i], i);
    item.where = spaces.of(rule.where);
    if (spaces.at(item.where).empty()) continue;
    if (rule.across != inside) item.way = contents_.flip(rule.across);
    item.region = contents_.landing(item.where, item.way);
    items.push_back(item);
  }
  for (std::size_t i = 0; i < step.moves.size(); ++i) {
    const Move& move = step.moves[i];
    Item item = item_of(move.from_slot, move.to_slot, advances[step.rules.size() + i], i);
    if (listed()) {
      item.home = move.from_processor;
      item.home_to = move.to_processor;
      item.where = item.region = everybody();
    } else {
      item.where = spaces.point(move.from_processor);
      if (move.from_processor != move.to_processor)
        item.way = contents_.flip(log2_exact(move.from_processor ^ move.to_processor));
      item.region = contents_.landing(item.where, item.way);
    }
    items.push_back(item);
  }
  return items;
}

std::vector<Item> LoopItems::of(const PopsSlot& slot, const std::vector<Advance>& advances) {
  PopsSlot alone = slot;
  Slot number = 0;
  for (PopsRule& rule : alone.rules) rule.reg = rule.into = number++;
  check(pops_subspace_proof(), alone_of(header_, bits_, number), alone);
  std::vector<Item> items;
  Spaces& spaces = contents_.spaces();
  for (std::size_t i = 0; i < slot.rules.size(); ++i) {
    const PopsRule& rule = slot.rules[i];
    Item item = item_of(rule.reg, rule.into, advances[i], i);
    item.where = spaces.of(rule.where);
    if (spaces.at(item.where).empty()) continue;
    item.way = contents_.along(rule.to);
    item.region = contents_.landing(item.where, item.way);
    items.push_back(item);
  }
  return items;
}

Count LoopItems::expected() const {
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) return moves->moves.size();
  return processors(header_.machine) * header_.elements;
}

Count LoopItems::delivered(Runs& runs, Breach& wrong) {
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal))
    return delivered(*moves, runs, wrong);
  return delivered(std::get<MapGoal>(header_.goal), runs, wrong);
}

// At how many processors of a filling, whose rows are these or are what rows of a home say.
Count LoopItems::agreeing(const Filling& filling, Word home, const std::vector<Parity>& rows) {
  const AffineSpace& space = contents_.spaces().at(contents_.where(filling.what));
  const std::vector<Parity>& there = contents_.rows(filling.what);
  AffineSpace same = space;
  for (std::size_t i = 0; i < rows.size() && !same.empty(); ++i) {
    const Parity wanted =
        listed() ? Parity{0, parity(rows[i].mask & home) ^ rows[i].value} : space.reduced(rows[i]);
    if (wanted != there[i])
      same = same.meet(Parity{wanted.mask ^ there[i].mask, wanted.value ^ there[i].value});
  }
  return same.empty() ? Count{0} : Count{1} << static_cast<unsigned>(same.dimension());
}

Count LoopItems::delivered(const MapGoal& goal, Runs& runs, Breach& wrong) {
  const BitMap back = goal.map.inverse();
  const int memory = goal.cut ? goal.memory_bits : 0;
  const auto elements = static_cast<std::int64_t>(header_.elements);
  Count right = 0;
  std::optional<std::int64_t> astray;
  for (const Run& run : runs.runs()) {
    const std::int64_t grid = run.single() ? 1 : run.grid;
    const std::int64_t start = run.start.base - static_cast<std::int64_t>(result_);
    // Of the slots start + grid i those that the goal speaks of.
    const std::int64_t first = start >= 0 ? 0 : (-start + grid - 1) / grid;
    const std::int64_t last =
        start >= elements ? 0 : std::min(run.count.base, (elements - start + grid - 1) / grid);
    if (first >= last) continue;
    const std::int64_t low = (start + grid * first) & (least() - 1);
    std::vector<Parity> rows;
    for (int b = 0; b < back.width(); ++b)
      if (b < low_ || b >= memory) {
        const Word row = back.matrix().row(b);
        rows.push_back({row >> memory, parity(row & static_cast<Word>(low)) ^
                                           (has_bit(back.complement(), b) ? 1U : 0U)});
      }
    Count here = 0;
    for (const Filling& filling : run.fillings) {
      runs.spend(1);
      // number + stride i = (start + grid i) / least for how many i?
      const auto stride = static_cast<std::int64_t>(filling.stride);
      const std::int64_t number = static_cast<std::int64_t>(filling.first.base) + stride * first;
      const std::int64_t apart = (start + grid * first) / least() - number;
      const std::int64_t pace = run.single() ? 0 : stride - grid / least();
      std::int64_t count = 0;
      if (pace == 0)
        count = apart == 0 ? last - first : 0;
      else
        count = apart % pace == 0 && apart / pace >= 0 && apart / pace < last - first ? 1 : 0;
      if (count != 0) here += agreeing(filling, run.home, rows) * static_cast<std::uint64_t>(count);
    }
    const Count all = (listed() ? Count{1} : processors(header_.machine)) *
                      static_cast<std::uint64_t>(last - first);
    if (here != all && (!astray || start < *astray)) astray = start + grid * first;
    right += here;
  }
  wrong = {pops() ? "delivery" : "not-delivered",
           fmt::format("{} of {} elements are where the map says{}", to_string(right),
                       to_string(expected()),
                       astray ? fmt::format(", not all of slots {} and on", *astray) : ""),
           {}};
  return right;
}

Count LoopItems::delivered(const MovesGoal& goal, Runs& runs, Breach& wrong) {
  std::set<std::pair<Word, Slot>> sources;
  std::set<std::pair<Word, Slot>> targets;
  const Count count = processors(header_.machine);
  Count right = 0;
  bool told = false;
  const auto say = [&](const char* rule, const Move& m) {
    if (std::exchange(told, true)) return;
    wrong = {
        rule,
        fmt::format("[{}, {}, {}, {}]", m.from_processor, m.from_slot, m.to_processor, m.to_slot),
        {.processor = m.to_processor, .slot = m.to_slot}};
  };
  for (const Move& m : goal.moves) {
    const bool in_range = m.from_processor < count && m.to_processor < count &&
                          m.from_slot < header_.elements && m.to_slot < header_.slots;
    if (!in_range || !sources.emplace(m.from_processor, m.from_slot).second ||
        !targets.emplace(m.to_processor, m.to_slot).second) {
      say("goal", m);
      continue;
    }
    bool found = false;
    runs.spend(1 + runs.runs().size() / 4);
    for (const Run& run : runs.runs()) {
      if (listed() && run.home != m.to_processor) continue;
      const std::int64_t distance = std::int64_t{m.to_slot} - run.start.base;
      const std::int64_t grid = run.single() ? 1 : run.grid;
      if (distance < 0 || distance % grid != 0 || distance / grid >= run.count.base) continue;
      for (const Filling& filling : run.fillings) {
        const AffineSpace& space = contents_.spaces().at(contents_.where(filling.what));
        if (!listed() && !space.contains(m.to_processor)) continue;
        Word origin = 0;
        for (int b = 0; b < bits_; ++b) {
          const Parity& row = contents_.rows(filling.what)[static_cast<std::size_t>(b)];
          const Word p = listed() ? 0 : m.to_processor;
          if ((parity(p & row.mask) ^ row.value) != 0) origin |= bit(b);
        }
        found = origin == m.from_processor &&
                filling.first.base + filling.stride * static_cast<std::uint64_t>(distance / grid) ==
                    m.from_slot;
      }
    }
    if (found)
      ++right;
    else
      say("not-delivered", m);
  }
  return right;
}

}  // namespace loop_proofs
}  // namespace faro::inline v1
