// Steps compared one by one; what a rule is but for its slots is a number.
#include "schedules/rolled.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/working.hpp"

namespace faro::inline v1::rolled {
namespace {

constexpr std::size_t period_max = 64;
constexpr std::size_t laps_min = 3;

// A step of so many moves inside processors is rolled up by itself: they are performed one after
// another, and its laps are steps.
constexpr std::size_t settling_min = 12;

// How the second step goes on from the first one; nothing if it does other things.
std::optional<Step> advanced(const Step& a, const Step& b) {
  if (a.size() != b.size()) return {};
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].kind != b[i].kind) return {};
  Step result = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i].from_by = b[i].from - a[i].from;
    result[i].to_by = b[i].to - a[i].to;
  }
  return result;
}

bool goes_on(const Step& first, const Step& a, const Step& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].kind != b[i].kind || b[i].from - a[i].from != first[i].from_by ||
        b[i].to - a[i].to != first[i].to_by)
      return false;
  return true;
}

std::vector<Entry> rolled_steps(const std::vector<Step>& steps) {
  std::vector<Entry> entries;
  for (std::size_t at = 0; at < steps.size();) {
    still_working();
    std::size_t best_saved = 0;
    std::size_t best_end = 0;
    Entry best;
    for (std::size_t period = 1; period <= std::min(period_max, (steps.size() - at) / laps_min);
         ++period) {
      std::vector<Step> body;
      std::size_t weight = 0;
      for (std::size_t i = at; i < at + period; ++i) {
        auto step = advanced(steps[i], steps[i + period]);
        if (!step) break;
        weight += std::max<std::size_t>(step->size(), 1);
        body.push_back(std::move(*step));
      }
      if (body.size() < period) continue;
      std::size_t end = at + period;
      while (end + period < steps.size() &&
             goes_on(body[(end - at) % period], steps[end], steps[end + period]))
        ++end;
      const std::size_t laps = (end - at) / period + 1;
      if (laps < laps_min) continue;
      const std::size_t saved = weight * (laps - 2);
      if (saved <= best_saved) continue;
      best_saved = saved;
      best = {laps, std::move(body)};
      best_end = at + period * laps;
    }
    if (best_saved == 0) {
      entries.push_back({1, {steps[at]}});
      ++at;
    } else {
      entries.push_back(std::move(best));
      at = best_end;
    }
  }
  return entries;
}

}  // namespace

std::uint32_t Kinds::number(std::vector<Word> words, bool stays) {
  const auto [at, fresh] =
      known_.emplace(std::move(words), static_cast<std::uint32_t>(words_.size()));
  if (fresh) {
    words_.push_back(at->first);
    stays_.push_back(stays);
  }
  return at->second;
}

namespace {

enum Form : Word { of_rule, of_move, of_pops };

void append(std::vector<Word>& words, const std::vector<Parity>& parities) {
  words.push_back(parities.size());
  for (const Parity& p : parities) {
    words.push_back(p.mask);
    words.push_back(p.value);
  }
}

std::vector<Parity> parities_of(const std::vector<Word>& words, std::size_t& at) {
  std::vector<Parity> parities(static_cast<std::size_t>(words[at++]));
  for (Parity& p : parities) {
    p.mask = words[at++];
    p.value = static_cast<unsigned>(words[at++]);
  }
  return parities;
}

}  // namespace

std::uint32_t Kinds::of(const Rule& rule) {
  std::vector<Word> words = {of_rule, static_cast<Word>(rule.across + 1)};
  append(words, rule.where);
  return number(std::move(words), rule.across == inside);
}
std::uint32_t Kinds::of(const Move& move) {
  return number({of_move, move.from_processor, move.to_processor},
                move.from_processor == move.to_processor);
}
std::uint32_t Kinds::of(const PopsRule& rule) {
  std::vector<Word> words = {of_pops};
  append(words, rule.where);
  append(words, rule.to);
  return number(std::move(words), false);
}

bool Kinds::listed(std::uint32_t kind) const {
  return words_[kind][0] == of_move;
}

bool Kinds::meet(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return true;
  if (listed(a) && listed(b)) return words_[a][1] == words_[b][1];
  const auto space = [this](std::uint32_t kind) {
    const std::vector<Word>& words = words_[kind];
    std::size_t at = 2;
    std::vector<Parity> where;
    if (words[0] == of_rule)
      where = parities_of(words, at);
    else
      for (int i = 0; i < word_bits; ++i) where.push_back({bit(i), has_bit(words[1], i) ? 1U : 0U});
    return AffineSpace::where(word_bits, where);
  };
  return !space(a).disjoint(space(b));
}

void Kinds::add(const Item& item, CubeStep& step) const {
  const std::vector<Word>& words = words_[item.kind];
  const auto from = static_cast<Slot>(item.from);
  const auto to = static_cast<Slot>(item.to);
  if (words[0] == of_move) {
    step.moves.push_back({words[1], from, words[2], to});
    return;
  }
  std::size_t at = 2;
  step.rules.push_back({parities_of(words, at), from, static_cast<int>(words[1]) - 1, to});
}

void Kinds::add(const Item& item, PopsSlot& slot) const {
  const std::vector<Word>& words = words_[item.kind];
  std::size_t at = 1;
  PopsRule rule;
  rule.where = parities_of(words, at);
  rule.to = parities_of(words, at);
  rule.reg = static_cast<Slot>(item.from);
  rule.into = static_cast<Slot>(item.to);
  slot.rules.push_back(std::move(rule));
}

void Recorded::begin(const ScheduleHeader& h) {
  header = h;
}

void Recorded::take(Step step) {
  if (step.size() > left_) rollable = false;
  if (!rollable) return;
  left_ -= step.size();
  std::sort(step.begin(), step.end());
  steps.push_back(std::move(step));
}

void Recorded::step(const CubeStep& s) {
  if (!s.butterflies.empty() || !s.butterfly_rules.empty()) rollable = false;
  Step step;
  for (const Rule& rule : s.rules) step.push_back({kinds_.of(rule), rule.from, rule.to});
  for (const Move& move : s.moves) step.push_back({kinds_.of(move), move.from_slot, move.to_slot});
  take(std::move(step));
}

void Recorded::step(const PopsSlot& s) {
  if (!s.sends.empty() || !s.receives.empty() || !s.operations.empty()) rollable = false;
  Step step;
  for (const PopsRule& rule : s.rules) step.push_back({kinds_.of(rule), rule.reg, rule.into});
  take(std::move(step));
}

void Recorded::step(const MeshInstruction&) {
  rollable = false;
}
void Recorded::loop(const CubeLoop&) {
  rollable = false;
}
void Recorded::loop(const PopsLoop&) {
  rollable = false;
}

namespace {

// The items that would read what an earlier one has overwritten, if they were performed one after
// another in this order; these would not write.
std::vector<bool> late_of(const Step& items, const Kinds& kinds) {
  std::map<std::int64_t, std::vector<std::uint32_t>> written;
  std::vector<bool> late(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (const auto there = written.find(item.from); there != written.end())
      late[i] = std::any_of(there->second.begin(), there->second.end(),
                            [&](std::uint32_t kind) { return kinds.meet(kind, item.kind); });
    if (!late[i]) written[item.to].push_back(item.kind);
  }
  return late;
}

// The items of a step inside processors, in an order in which they may be performed: those that
// would be late go by way of slots of their own, first of all and last of all.
Step one_after_another(const Step& step, const Kinds& kinds, std::uint64_t& slots) {
  Step items = step;
  std::vector<bool> late = late_of(items, kinds);
  Step backwards = step;
  std::sort(backwards.begin(), backwards.end(), [](const Item& a, const Item& b) {
    return std::tie(a.kind, b.from, b.to) < std::tie(b.kind, a.from, a.to);
  });
  const std::vector<bool> late_backwards = late_of(backwards, kinds);
  const auto number = [](const std::vector<bool>& all) {
    return std::count(all.begin(), all.end(), true);
  };
  if (number(late_backwards) < number(late)) {
    items = std::move(backwards);
    late = late_backwards;
  }
  std::int64_t least = 0;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (late[i]) {
      least = most < 0 ? items[i].from : std::min(least, items[i].from);
      most = std::max(most, items[i].from);
    }
  const std::int64_t away = static_cast<std::int64_t>(slots) - least;
  Step first;
  Step between;
  Step last;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (!late[i]) {
      between.push_back(item);
      continue;
    }
    first.push_back({item.kind, item.from, item.from + away});
    last.push_back({item.kind, item.from + away, item.to});
  }
  if (most >= 0) slots = static_cast<std::uint64_t>(most + away + 1);
  first.insert(first.end(), between.begin(), between.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

}  // namespace

std::vector<Entry> roll(const std::vector<Step>& steps, const Kinds& kinds, std::uint64_t& slots) {
  std::vector<Entry> entries;
  std::vector<Step> before;
  const auto flush = [&] {
    for (Entry& entry : rolled_steps(before)) entries.push_back(std::move(entry));
    before.clear();
  };
  for (const Step& step : steps) {
    const bool settles =
        step.size() >= settling_min &&
        std::all_of(step.begin(), step.end(), [&](const Item& i) { return kinds.stays(i.kind); });
    if (!settles) {
      before.push_back(step);
      continue;
    }
    flush();
    for (const Item& item : one_after_another(step, kinds, slots)) before.push_back({item});
    flush();
  }
  flush();
  return entries;
}

namespace {

template <class Target>
void push_entries(const std::vector<Entry>& entries, const Kinds& kinds, ScheduleSink& sink) {
  for (const Entry& entry : entries) {
    Loop<Target> loop;
    loop.laps = entry.laps;
    for (const Step& step : entry.body) {
      typename Loop<Target>::Entry one;
      for (const bool listed : {false, true})  // the order of advances
        for (const Item& item : step) {
          if (kinds.listed(item.kind) != listed) continue;
          kinds.add(item, one.first);
          one.advances.push_back({item.from_by, item.to_by});
        }
      loop.body.push_back(std::move(one));
    }
    if (loop.laps > 1) {
      sink.loop(loop);
    } else {
      for (const auto& one : loop.body) sink.step(one.first);
    }
  }
}

}  // namespace

void push(const std::vector<Entry>& entries, const Kinds& kinds, bool pops, ScheduleSink& sink) {
  if (pops)
    push_entries<PopsSlot>(entries, kinds, sink);
  else
    push_entries<CubeStep>(entries, kinds, sink);
}

}  // namespace faro::inline v1::rolled
