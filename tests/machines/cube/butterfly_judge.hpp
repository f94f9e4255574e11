// A judge of butterfly schedules that shares nothing with the verifiers.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "machines/cube/reference.hpp"
#include "planners/cube/butterfly/planned.hpp"

namespace faro::testing {

// As naive as can be: values are hashes of what was computed from what, so a result
// is right exactly if it was formed from the right results by the right butterflies.
class Naive {
 public:
  explicit Naive(const RecordingSink& schedule)
      : goal_(std::get<ButterflyGoal>(schedule.header.goal)),
        processors_(bit(goal_.processor_bits)),
        slots_(schedule.header.slots) {
    right_ = starts(schedule.cube_steps) && ends();
  }
  bool right() const { return right_; }

 private:
  using Place = std::pair<Word, Slot>;

  static Word mix(Word a) { return Random(a).next(); }
  static Word combined(int stage, Word low, Word high, int which) {
    return mix(mix(mix(low) + 3 * high) + static_cast<Word>(2 * stage + which));
  }
  // The value of index i after all stages in order, by the definition of the network.
  std::vector<Word> wanted() const {
    const int p = goal_.index_bits;
    std::vector<Word> values;
    for (Word i = 0; i < bit(p); ++i) values.push_back(mix(i + 1));
    for (int k = 0; k < p; ++k) {
      const int stage = goal_.order == Order::most_significant_first ? k : p - 1 - k;
      std::vector<Word> next = values;
      for (Word i = 0; i < bit(p); ++i) {
        const Word low = i & ~bit(p - 1 - stage);
        const Word high = i | bit(p - 1 - stage);
        next[i] = combined(stage, values[low], values[high], i == low ? 0 : 1);
      }
      values = next;
    }
    return values;
  }
  // Table 1 by counting: the processor and slot codes of element i.
  Place start_of(Word i) const {
    const auto gray = [](Word x) { return x ^ (x / 2); };
    const bool cyclic = goal_.allocation == Allocation::cyclic;
    const Word split = cyclic ? processors_ : bit(goal_.index_bits) / processors_;
    Word high = i / split;
    Word low = i % split;
    if (goal_.encoding == Encoding::gray) {
      high = gray(i) / split;
      low = gray(i) % split;
    }
    Word& processor = cyclic ? low : high;
    Word& slot = cyclic ? high : low;
    if (goal_.encoding == Encoding::gray_gray) slot = gray(slot);
    if (goal_.encoding == Encoding::gray_gray || goal_.encoding == Encoding::binary_gray) {
      processor = gray(processor);
    }
    return {processor, static_cast<Slot>(slot)};
  }
  static bool meets(Word q, const std::vector<Parity>& where) {
    return std::all_of(where.begin(), where.end(), [&](const Parity& c) { return c.holds(q); });
  }
  bool starts(const std::vector<CubeStep>& steps) {
    for (Word i = 0; i < bit(goal_.index_bits); ++i) {
      const Place at = start_of(i);
      if (at.second >= slots_) return false;
      values_[at] = mix(i + 1);
    }
    return std::all_of(steps.begin(), steps.end(), [&](const CubeStep& s) { return step(s); });
  }
  bool step(const CubeStep& s) {
    const auto moves = moves_of(s, goal_.processor_bits);
    if (!moves) return false;
    std::map<Place, Word> writes;
    std::set<std::pair<Word, Word>> links;
    for (const Move& m : *moves) {
      const auto from = values_.find({m.from_processor, m.from_slot});
      if (from == values_.end() || m.to_slot >= slots_) return false;
      if (!writes.emplace(Place{m.to_processor, m.to_slot}, from->second).second) return false;
      if (m.from_processor != m.to_processor &&
          !links.emplace(m.from_processor, m.to_processor).second) {
        return false;
      }
    }
    for (const auto& [place, value] : writes) values_[place] = value;
    for (const Butterfly& b : s.butterflies) {
      if (!compute({{}, b.low, b.high, b.stage, b.result, b.to}, b.processor)) return false;
    }
    for (const ButterflyRule& r : s.butterfly_rules) {
      for (Word q = 0; q < processors_; ++q) {
        if (meets(q, r.where) && !compute(r, q)) return false;
      }
    }
    return true;
  }
  bool compute(const ButterflyRule& r, Word q) {
    const auto low = values_.find({q, r.low});
    const auto high = values_.find({q, r.high});
    const bool whole = r.result == ButterflyRule::Result::both;
    if (low == values_.end() || high == values_.end() || r.low == r.high ||
        (!whole && r.to >= slots_))
      return false;
    if (r.stage < 0 || r.stage >= goal_.index_bits) return false;
    ++butterflies_;
    const Word a = combined(r.stage, low->second, high->second, 0);
    const Word b = combined(r.stage, low->second, high->second, 1);
    if (whole) {
      low->second = a;
      high->second = b;
    } else {
      values_[{q, r.to}] = r.result == ButterflyRule::Result::top ? a : b;
    }
    return true;
  }
  bool ends() const {
    const std::vector<Word> results = wanted();
    for (Word i = 0; i < results.size(); ++i) {
      Word processor = 0;
      for (const Word row : goal_.final_processor_rows) processor = 2 * processor + parity(row & i);
      Word slot = 0;
      for (const Word row : *goal_.final_memory_rows) slot = 2 * slot + parity(row & i);
      const auto there = values_.find({processor, static_cast<Slot>(slot)});
      if (there == values_.end() || there->second != results[i]) return false;
    }
    const Word wanted_count = static_cast<Word>(goal_.index_bits) << (goal_.index_bits - 1);
    return !goal_.in_place || butterflies_ == wanted_count;
  }

  ButterflyGoal goal_;
  Word processors_;
  Word slots_;
  std::map<Place, Word> values_;
  Word butterflies_ = 0;
  bool right_ = false;
};

}  // namespace faro::testing
