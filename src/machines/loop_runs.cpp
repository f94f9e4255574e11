// A step on runs: named slots become runs of their own, are read and written; then what goes on
// alike is joined.
#include "machines/loop_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/working.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::loop_proofs {
namespace {

__extension__ typedef __int128 Wide;

// Comparisons take longer than those of fillings: some seconds.
constexpr std::uint64_t work_max = limits::proof_work_max / 4;

Linear plus(Linear a, Linear b) {
  return {a.base + b.base, a.slope + b.slope};
}
Linear minus(Linear a, Linear b) {
  return {a.base - b.base, a.slope - b.slope};
}
Linear times(Linear a, std::int64_t k) {
  return {a.base * k, a.slope * k};
}

std::uint64_t word(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}
Number moved(Number number, Linear by, std::uint64_t stride) {
  return {number.base + word(by.base) * stride, number.slope + word(by.slope) * stride};
}

// Fillings compared by all but their numbers.
int compared(const std::vector<Filling>& a, const std::vector<Filling>& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = std::tie(a[i].what, a[i].stride);
    const auto y = std::tie(b[i].what, b[i].stride);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

// Both as one, where y begins behind the end of x.
std::optional<Run> joined(const Run& x, const Run& y, std::int64_t grid) {
  if (x.fillings.size() != y.fillings.size()) return {};
  Run run{x.home, grid, x.start, plus(x.count, y.count), x.fillings};
  for (std::size_t i = 0; i < x.fillings.size(); ++i) {
    const Filling& a = x.fillings[i];
    const Filling& b = y.fillings[i];
    if (a.what != b.what) return {};
    if (x.single()) {
      run.fillings[i].stride = b.first.base - a.first.base;
      if (b.first.slope != a.first.slope) return {};
      if (!y.single() && b.stride != run.fillings[i].stride) return {};
    } else {
      if (b.first != moved(a.first, x.count, a.stride)) return {};
      if (!y.single() && b.stride != a.stride) return {};
    }
  }
  return run;
}

}  // namespace

Run part(const Run& run, Linear index, Linear count) {
  Run result{run.home, run.grid, plus(run.start, times(index, run.grid)), count, run.fillings};
  for (Filling& filling : result.fillings)
    filling.first = moved(filling.first, index, filling.stride);
  if (result.single()) {
    result.grid = 0;
    for (Filling& filling : result.fillings) filling.stride = 0;
  }
  return result;
}

bool alike(const Run& a, const Run& b) {
  return a.home == b.home && a.grid == b.grid && a.single() == b.single() &&
         compared(a.fillings, b.fillings) == 0;
}

bool before(const Run& a, const Run& b) {
  const bool single_a = a.single();
  const bool single_b = b.single();
  const auto x = std::tie(a.home, a.grid, single_a);
  const auto y = std::tie(b.home, b.grid, single_b);
  if (x != y) return x < y;
  const int fillings = compared(a.fillings, b.fillings);
  if (fillings != 0) return fillings < 0;
  return std::tie(a.start.base, a.start.slope) < std::tie(b.start.base, b.start.slope);
}

void Runs::spend(std::uint64_t work) {
  work_ += work;
  if (work_ > work_max)
    throw NoClaim{fmt::format("more than {} comparisons of runs of slots, of which there are {}",
                              work_max, runs_.size())};
  if (contents_.stored() > limits::proof_states_max * 4)
    throw NoClaim{fmt::format("what slots hold falls into more than {} different fillings",
                              limits::proof_states_max * 4)};
}

std::uint64_t Runs::key(Word home, Linear slot) const {
  const std::int64_t residue = slot.base % modulus_;
  return home * word(modulus_) + word(residue < 0 ? residue + modulus_ : residue);
}

std::size_t Runs::added(Run run) {
  by_residue_[key(run.home, run.start)].push_back(runs_.size());
  runs_.push_back(std::move(run));
  return runs_.size() - 1;
}

void Runs::set(std::vector<Run> runs) {
  spend(runs.size() / 4);
  modulus_ = grid_;
  for (const Run& run : runs)
    if (!run.single()) modulus_ = std::gcd(modulus_, run.grid);
  runs_.clear();
  by_residue_.clear();
  for (Run& run : runs) added(std::move(run));
}

std::vector<Run> Runs::sorted() const {
  std::vector<Run> runs = runs_;
  std::sort(runs.begin(), runs.end(), before);
  return runs;
}

int Runs::sign(Linear x) const {
  const auto of = [](Wide v) { return v > 0 ? 1 : v < 0 ? -1 : 0; };
  const int first = of(x.base);
  if (x.slope == 0 || laps_ == 0) return first;
  if (first == 0) throw Split{1};
  const Wide last = Wide{x.base} + Wide{x.slope} * Wide{laps_};
  if (of(last) == first) return first;
  // The first lap at which it is 0 or beyond.
  const Wide distance = first > 0 ? Wide{x.base} : -Wide{x.base};
  const Wide pace = x.slope > 0 ? Wide{x.slope} : -Wide{x.slope};
  throw Split{static_cast<std::uint64_t>((distance + pace - 1) / pace)};
}

// The index of a slot in a run.
std::optional<Linear> Runs::place(const Run& run, Linear slot) const {
  const Linear distance = minus(slot, run.start);
  if (run.single()) {
    if (sign(distance) == 0) return Linear{};
    return {};
  }
  if (distance.slope % run.grid != 0) throw NoClaim{"slots and runs of slots go on out of step"};
  if (distance.base % run.grid != 0) return {};
  const Linear index{distance.base / run.grid, distance.slope / run.grid};
  if (sign(index) < 0 || sign(minus(index, run.count)) >= 0) return {};
  return index;
}

// The slot as a run of its own; none where nothing was ever written.
std::size_t Runs::alone(Word home, Linear slot) {
  const auto found = by_residue_.find(key(home, slot));
  if (found == by_residue_.end()) return none;
  std::vector<std::size_t>& bucket = found->second;
  spend(1 + bucket.size() / 8);
  for (const std::size_t number : bucket) {
    const auto index = place(runs_[number], slot);
    if (!index) continue;
    if (runs_[number].single()) return number;
    const Run run = std::move(runs_[number]);
    spend(run.fillings.size());
    runs_[number] = part(run, *index, {1, 0});
    const Linear rest = minus(minus(run.count, *index), {1, 0});
    const bool head = sign(*index) > 0;
    const bool tail = sign(rest) > 0;
    if (head) added(part(run, {}, *index));
    if (tail) added(part(run, plus(*index, {1, 0}), rest));
    return number;
  }
  return none;
}

Linear Runs::position(std::int64_t slot, std::int64_t by, std::uint64_t lap,
                      const Item& item) const {
  const Wide there = Wide{slot} + Wide{by} * Wide{lap};
  if (there < 0 || there >= Wide{slots_})
    throw Breach{names_.slot_range,
                 fmt::format("slot {} {} {} x {} of {}", slot, by < 0 ? "-" : "+",
                             by < 0 ? 0 - word(by) : word(by), lap, slots_),
                 {.entry = item.entry}};
  return {static_cast<std::int64_t>(there), laps_ == 0 ? 0 : by};
}

std::vector<Filling> Runs::read(const Item& item, std::size_t run, Linear from) {
  std::vector<Filling> fillings;
  Count found = 0;
  if (run != none) {
    spend(1 + runs_[run].fillings.size() / 4);
    for (const Filling& filling : runs_[run].fillings) {
      const auto part = contents_.inside(filling.what, item.where);
      if (!part) continue;
      found += contents_.size(*part);
      fillings.push_back({contents_.carried(*part, item.way), filling.first, 0});
    }
  }
  if (found != contents_.spaces().size(item.where)) {
    Violation::Place at{.entry = item.entry};
    if (from.base >= 0 && from.base <= Wide{~Slot{0}}) at.slot = static_cast<Slot>(from.base);
    throw Breach{names_.reads_empty,
                 fmt::format("slot {} is read at {} places where nothing wrote it", from.base,
                             to_string(contents_.spaces().size(item.where) - found)),
                 at};
  }
  return fillings;
}

// No two items write one slot of one processor, in any lap.
void Runs::check_writes(const std::vector<Item>& items, const std::vector<Write>& writes) {
  std::map<Word, std::vector<std::size_t>> by_home;
  for (std::size_t i = 0; i < items.size(); ++i) by_home[items[i].home_to].push_back(i);
  for (const auto& [home, here] : by_home)
    for (std::size_t i = 0; i < here.size(); ++i) {
      spend(1 + i / 8);
      for (std::size_t j = 0; j < i; ++j) {
        const Linear apart = minus(writes[here[i]].to, writes[here[j]].to);
        if (apart.slope == 0 && apart.base != 0) continue;
        std::uint64_t work = 0;
        const auto common =
            contents_.spaces().common(items[here[i]].region, items[here[j]].region, work);
        if (!common || sign(apart) != 0) continue;
        const Item& item = items[here[i]];
        throw Breach{names_.two_writes,
                     fmt::format("slot {} is written twice", writes[here[i]].to.base),
                     {.entry = item.entry}};
      }
    }
}

void Runs::perform(const std::vector<Item>& items, std::uint64_t lap) {
  still_working();
  std::vector<Write> writes(items.size());
  std::vector<std::pair<Linear, std::size_t>> reads(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    reads[i].first = position(items[i].from, items[i].from_by, lap, items[i]);
    writes[i].to = position(items[i].to, items[i].to_by, lap, items[i]);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    reads[i].second = alone(items[i].home, reads[i].first);
    writes[i].run = alone(items[i].home_to, writes[i].to);
  }
  // A slot that two forms name in one step is a run of its own by now, whichever found it.
  for (std::size_t i = 0; i < items.size(); ++i)
    writes[i].fillings = read(items[i], reads[i].second, reads[i].first);
  check_writes(items, writes);
  std::set<std::size_t> changed;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Write& write = writes[i];
    if (write.run == none) write.run = alone(items[i].home_to, write.to);
    if (write.run == none) write.run = added({items[i].home_to, 0, write.to, {1, 0}, {}});
    changed.insert(write.run);
    std::vector<Filling> left;
    for (const Filling& filling : runs_[write.run].fillings) {
      if (!contents_.inside(filling.what, items[i].region)) {
        left.push_back(filling);
      } else {
        for (const ContentId outside : contents_.outside(filling.what, items[i].region))
          left.push_back({outside, filling.first, filling.stride});
      }
    }
    left.insert(left.end(), write.fillings.begin(), write.fillings.end());
    spend(1 + left.size() / 4);
    if (left.size() > limits::proof_pieces_of_slot_max)
      throw NoClaim{fmt::format("slot {} falls into more than {} fillings", write.to.base,
                                limits::proof_pieces_of_slot_max)};
    runs_[write.run].fillings = std::move(left);
  }
  for (const std::size_t run : changed) contents_.merge(runs_[run].fillings);
}

void Runs::tidy() {
  spend(1 + runs_.size() / 4);
  std::vector<Run> runs = std::move(runs_);
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.home, a.start.base, a.start.slope) <
           std::tie(b.home, b.start.base, b.start.slope);
  });
  const auto found = [&](Word home, Linear start) {
    const auto at =
        std::lower_bound(runs.begin(), runs.end(), std::tuple(home, start.base, start.slope),
                         [](const Run& run, const auto& key) {
                           return std::tie(run.home, run.start.base, run.start.slope) < key;
                         });
    const bool there = at != runs.end() && at->home == home && at->start == start;
    return there ? static_cast<std::size_t>(at - runs.begin()) : none;
  };
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].home == runs[i - 1].home && runs[i].start == runs[i - 1].start)
      throw NoClaim{"two runs of slots begin at one slot"};
  std::vector<bool> gone(runs.size());
  std::vector<Run> whole;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (gone[i]) continue;
    gone[i] = true;
    Run run = std::move(runs[i]);
    for (;;) {
      const std::int64_t grid = run.single() ? grid_ : run.grid;
      const std::size_t next = found(run.home, plus(run.start, times(run.count, grid)));
      if (next == none || gone[next]) break;
      if (!runs[next].single() && runs[next].grid != grid) break;
      auto both = joined(run, runs[next], grid);
      if (!both) break;
      if (run.single() && runs[next].single()) {
        // Any two go on alike somehow; a third one says whether they do.
        const std::size_t third = found(run.home, plus(runs[next].start, {grid, 0}));
        if (third == none || gone[third]) break;
        if (!runs[third].single() && runs[third].grid != grid) break;
        if (!joined(*both, runs[third], grid)) break;
      }
      gone[next] = true;
      run = std::move(*both);
    }
    whole.push_back(std::move(run));
  }
  set(std::move(whole));
}

}  // namespace faro::inline v1::loop_proofs
