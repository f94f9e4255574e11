// Loops whose moves are listed, proved from the end back: what lies in a run of places at the end
// was written there by some move in some lap, was read by it elsewhere, and so on to the beginning.
// Work grows with the moves that a body lists and not with laps or elements; nor with how many laps
// an element is on its way, all of which the runs of loop_runs.hpp would have to be performed.
//
//   slots 0, 1, ... 999 of processor 5 at the end: written by move [4, 2, 5, 0] in laps 7, 8, ...
//   it reads slot 2 of 4, which [3, 999, 4, 2] wrote one lap before: 6, 7, ...; and so on
//
// Laps and slots are linear in the number of the place; where another move is the last one from
// some number on, the run is cut there. Links are asked for each step alone, collisions of writes
// are solved for the lap, and every read has to find something that was written before it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/working.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/judge.hpp"
#include "machines/loop_items.hpp"
#include "machines/loop_proof.hpp"
#include "schedules/loops.hpp"

namespace faro::inline v1::loop_proofs {
namespace {

// Moves and steps that are kept, and questions to single moves: some seconds.
constexpr std::size_t kept_max = std::size_t{1} << 22U;
constexpr std::uint64_t questions_max = std::uint64_t{1} << 28U;
constexpr std::size_t open_max = std::size_t{1} << 20U;  // places of one home, some tens of MB
constexpr std::uint64_t followed_slots_max = std::uint64_t{1} << 48U;
constexpr std::int64_t ever = std::numeric_limits<std::int64_t>::max();

// A move, by where it writes.
struct Write {
  std::uint32_t entry = 0;
  std::uint32_t step = 0;  // of the body
  Word home = 0;           // where it reads
  Linear from;             // by lap
  Linear to;
};

// Of i = 0 to count-1 the slots of a processor, each before a step of a lap.
struct Places {
  Word home = 0;
  Linear slot;
  std::uint32_t entry = 0;
  Linear lap;
  std::uint32_t step = 0;
  std::int64_t count = 0;
  std::int64_t element = 0;  // of i = 0: where it has to come from
};

struct Found {
  const Write* write = nullptr;  // nothing: what was there at the beginning
  Linear lap;
  std::int64_t count = 0;  // for so many places, the first ones
};

Linear onward(Linear x, std::int64_t by) {
  return {x.base + x.slope * by, x.slope};
}

// The first i > 0 at which x >= 0 is answered otherwise than at 0.
std::int64_t change(Linear x) {
  if (x.slope == 0 || (x.base >= 0) == (x.slope > 0)) return ever;
  return x.base >= 0 ? x.base / -x.slope + 1 : (-x.base + x.slope - 1) / x.slope;
}

class Follower {
 public:
  explicit Follower(const ScheduleHeader& header)
      : header_(header), elements_(static_cast<std::int64_t>(header.elements)) {
    const auto& goal = std::get<MapGoal>(header.goal);
    back_ = goal.map.inverse();
    memory_bits_ = goal.cut ? goal.memory_bits : 0;
    writes_.resize(static_cast<std::size_t>(processors(header.machine)));
  }

  // Throws NoClaim for what is wrong, but for links, or not answered here.
  void add(std::uint64_t laps, std::vector<std::vector<Item>> body);
  void check_reads();
  Count delivered();

 private:
  Found last_write(const Places& places);
  void latest(const Write& write, const Places& places, Linear last_lap, Found& found);
  Count right(const Places& origin, Word home) const;
  void ask() {
    if (++asked_ > questions_max) throw NoClaim{"too many questions to moves"};
  }

  const ScheduleHeader& header_;
  std::int64_t elements_;
  BitMap back_;
  int memory_bits_ = 0;
  std::vector<std::int64_t> laps_;          // by entry
  std::vector<std::vector<Write>> writes_;  // by the processor that is written, in order
  std::uint64_t asked_ = 0;
};

void Follower::add(std::uint64_t laps, std::vector<std::vector<Item>> body) {
  const auto entry = static_cast<std::uint32_t>(laps_.size());
  const auto last = static_cast<std::int64_t>(laps) - 1;
  laps_.push_back(last + 1);
  const auto slots = static_cast<std::int64_t>(header_.slots);
  const auto in_range = [&](std::int64_t slot, std::int64_t by) {
    const std::int64_t room = by < 0 ? slot : slots - 1 - slot;
    const std::int64_t pace = by < 0 ? -by : by;
    return slot < slots && (pace == 0 || room / pace >= last);
  };
  for (std::uint32_t s = 0; s < body.size(); ++s) {
    still_working();
    std::map<Word, std::vector<Linear>> here;
    for (Item& item : body[s]) {
      if (last == 0) item.from_by = item.to_by = 0;
      if (!in_range(item.from, item.from_by) || !in_range(item.to, item.to_by))
        throw NoClaim{"slots out of range"};
      const Linear to{item.to, item.to_by};
      for (const Linear& other : here[item.home_to]) {
        ask();
        const std::int64_t apart = other.base - to.base;
        const std::int64_t pace = to.slope - other.slope;
        if (pace == 0 ? apart == 0 : apart % pace == 0 && apart / pace >= 0 && apart / pace <= last)
          throw NoClaim{"two writes"};
      }
      here[item.home_to].push_back(to);
      writes_[item.home_to].push_back({entry, s, item.home, {item.from, item.from_by}, to});
    }
  }
}

// Whether this move wrote the first places, in laps up to the last one given, and for how many of
// them the answer is the same.
void Follower::latest(const Write& write, const Places& places, Linear last_lap, Found& found) {
  ask();
  const Linear apart{places.slot.base - write.to.base, places.slot.slope};
  Linear lap = last_lap;
  if (write.to.slope == 0) {
    if (apart.base != 0 && apart.slope != 0 && apart.base % apart.slope == 0 &&
        -apart.base / apart.slope > 0)
      found.count = std::min(found.count, -apart.base / apart.slope);
    if (apart.base != 0) return;
    if (apart.slope != 0) found.count = 1;
  } else {
    if (places.count > 1 && apart.slope % write.to.slope != 0)
      throw NoClaim{"slots and moves go on out of step"};
    if (apart.base % write.to.slope != 0) return;
    lap = {apart.base / write.to.slope, apart.slope / write.to.slope};
  }
  const Linear room{last_lap.base - lap.base, last_lap.slope - lap.slope};
  found.count = std::min({found.count, change(lap), change(room)});
  if (lap.base < 0 || room.base < 0) return;
  if (found.write != nullptr) {
    const Linear ahead{found.lap.base - lap.base, found.lap.slope - lap.slope};
    if (ahead.base == 0 && ahead.slope != 0) found.count = 1;
    if (ahead.base != 0) {
      // Until they are as late as one another.
      const std::int64_t sign = ahead.base > 0 ? 1 : -1;
      found.count = std::min(found.count, change({sign * ahead.base - 1, sign * ahead.slope}));
    }
    const bool first_is_later = ahead.base != 0 ? ahead.base > 0 : found.write->step > write.step;
    if (first_is_later) return;
  }
  found.write = &write;
  found.lap = lap;
}

Found Follower::last_write(const Places& places) {
  Found found{nullptr, {}, places.count};
  const std::vector<Write>& writes = writes_[places.home];
  auto end =
      std::upper_bound(writes.begin(), writes.end(), places.entry,
                       [](std::uint32_t entry, const Write& write) { return entry < write.entry; });
  while (end != writes.begin() && found.write == nullptr) {
    const std::uint32_t entry = std::prev(end)->entry;
    const bool same = entry == places.entry;
    while (end != writes.begin() && std::prev(end)->entry == entry) {
      const Write& write = *--end;
      Linear last_lap = same ? places.lap : Linear{laps_[entry], 0};
      if (!same || write.step >= places.step) --last_lap.base;
      latest(write, places, last_lap, found);
    }
  }
  if (found.write == nullptr) {
    const Linear room{elements_ - 1 - places.slot.base, -places.slot.slope};
    if (places.slot.base < 0 || room.base < 0) throw NoClaim{"nothing was written there"};
    found.count = std::min({found.count, change(places.slot), change(room)});
  }
  if (found.count == 1) found.lap.slope = 0;
  return found;
}

// The places from the i-th on.
Places rest(const Places& places, std::int64_t i) {
  Places left = places;
  left.slot = onward(places.slot, i);
  left.lap = onward(places.lap, i);
  left.count -= i;
  left.element += i;
  if (left.count == 1) left.slot.slope = left.lap.slope = 0;
  return left;
}

// Each move finds something where it reads, in each lap.
void Follower::check_reads() {
  for (const std::vector<Write>& writes : writes_)
    for (const Write& write : writes) {
      const std::int64_t laps = laps_[write.entry];
      if (std::max(write.from.base, onward(write.from, laps - 1).base) < elements_) continue;
      Places places{write.home, write.from, write.entry, {0, laps > 1 ? 1 : 0}, write.step,
                    laps,       0};
      for (;;) {
        const Found found = last_write(places);
        if (found.count >= places.count) break;
        places = rest(places, found.count);
      }
    }
}

// Of elements that began there, those that the goal wants where they were followed from.
Count Follower::right(const Places& origin, Word home) const {
  if (origin.home != (back_(home << memory_bits_) >> memory_bits_)) return 0;
  const std::int64_t apart = origin.element - origin.slot.base;
  const std::int64_t pace = origin.slot.slope - 1;
  if (origin.count == 1 || pace == 0)
    return apart == 0 ? static_cast<std::uint64_t>(origin.count) : 0;
  return apart % pace == 0 && apart / pace >= 0 && apart / pace < origin.count ? 1 : 0;
}

Count Follower::delivered() {
  Count all = 0;
  for (Word home = 0; home < writes_.size(); ++home) {
    still_working();
    std::vector<Places> open{{.home = home,
                              .slot = {0, elements_ > 1 ? 1 : 0},
                              .entry = static_cast<std::uint32_t>(laps_.size()),
                              .lap = {},
                              .step = 0,
                              .count = elements_,
                              .element = 0}};
    while (!open.empty()) {
      const Places places = open.back();
      open.pop_back();
      if (open.size() > open_max) throw NoClaim{"elements that began in too many places"};
      still_working();
      const Found found = last_write(places);
      if (found.count < places.count) open.push_back(rest(places, found.count));
      Places before = places;
      before.count = found.count;
      if (found.write == nullptr) {
        all += right(before, home);
        continue;
      }
      const Write& write = *found.write;
      before.home = write.home;
      before.slot = {write.from.base + write.from.slope * found.lap.base,
                     write.from.slope * found.lap.slope};
      before.entry = write.entry;
      before.lap = found.lap;
      before.step = write.step;
      open.push_back(before);
    }
  }
  return all;
}

class FollowFirst : public Judge {
 public:
  explicit FollowFirst(std::unique_ptr<Verifier> other)
      : Judge("proof"), other_(std::move(other)) {}
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    if (!std::holds_alternative<Mesh>(header.machine) ||
        !std::holds_alternative<MapGoal>(header.goal) || header.slots > followed_slots_max)
      leave();
  }
  void step(const CubeStep& step) override {
    if (left_) return other_->step(step);
    take({{1, {{step, std::vector<Advance>(items_of(step))}}}, true});
  }
  void loop(const CubeLoop& loop) override {
    if (left_) return other_->loop(loop);
    take({loop, false});
  }
  void step(const PopsSlot& slot) override {
    leave();
    other_->step(slot);
  }
  void loop(const PopsLoop& loop) override {
    leave();
    other_->loop(loop);
  }
  void finish() override {
    if (!left_ && followed()) return;
    leave();
    other_->finish();
    verdict_ = other_->verdict();
  }

 private:
  struct Entry {
    CubeLoop loop;
    bool single;  // a step that stood by itself
  };
  void take(Entry entry) {
    kept_ += entry.single ? 0 : 1;
    for (const auto& one : entry.loop.body) kept_ += 1 + items_of(one.first);
    entries_.push_back(std::move(entry));
    if (kept_ > kept_max) leave();
  }
  void leave();
  bool followed();

  std::unique_ptr<Verifier> other_;
  std::vector<Entry> entries_;
  std::size_t kept_ = 0;
  bool left_ = false;
};

void FollowFirst::leave() {
  if (std::exchange(left_, true)) return;
  other_->begin(header_);
  for (const Entry& entry : entries_)
    entry.single ? other_->step(entry.loop.body[0].first) : other_->loop(entry.loop);
  entries_.clear();
}

bool FollowFirst::followed() {
  try {
    LoopItems items(header_);
    if (items.least() != 1) return false;
    Follower follower(header_);
    CostCounter cost;
    cost.begin(header_);
    for (const Entry& entry : entries_) {
      std::vector<std::vector<Item>> body;
      for (const auto& one : entry.loop.body) {
        if (one.advances.size() != items_of(one.first) || !items.fits(one.first)) return false;
        body.push_back(items.of(one.first, one.advances));
      }
      cost.loop(entry.loop);
      step_ += Count{body.size()} * entry.loop.laps;
      follower.add(entry.loop.laps, std::move(body));
    }
    follower.check_reads();
    verdict_.cost = cost.cost();
    verdict_.expected = items.expected();
    verdict_.delivered = follower.delivered();
    if (verdict_.delivered != verdict_.expected)
      breach("not-delivered", {}, "{} of {} elements are where the map says",
             to_string(verdict_.delivered), to_string(verdict_.expected));
    judge_claims();
    return true;
  } catch (const NoClaim&) {
  } catch (const Breach&) {  // whose place and words are for the other to say
  }
  return false;
}

}  // namespace

std::unique_ptr<Verifier> follow_first(std::unique_ptr<Verifier> other) {
  return std::make_unique<FollowFirst>(std::move(other));
}

}  // namespace faro::inline v1::loop_proofs
