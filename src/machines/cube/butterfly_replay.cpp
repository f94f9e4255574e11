// Replay of a butterfly network on a cube: every element is a token (index, stages done) that the
// moves carry and the butterflies advance. Some 12 bytes for each slot of each processor.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/moving_replay.hpp"
#include "machines/cube/parity_blocks.hpp"
#include "machines/cube/verifiers.hpp"
#include "schedules/butterfly_stages.hpp"

namespace faro::inline v1 {
namespace {

using Result = ButterflyRule::Result;

// A result on its way: its index, and how many stages it has done.
struct Token {
  static constexpr std::uint16_t nothing = 0xFFFF;  // in an empty slot

  std::uint32_t index = 0;
  std::uint16_t done = nothing;
};

Word gray(Word i) {
  return i ^ (i >> 1U);
}

struct Place {
  Word processor;
  Word slot;
};

// Table 1 of the paper (corrected): where element i starts. Written from the integers, not from
// rows, so that a mistake in the rows of a planner does not meet itself here.
Place start_of(Word i, const ButterflyGoal& goal) {
  const int n = goal.processor_bits;
  const int m = goal.index_bits - n;
  const int low_width = goal.allocation == Allocation::consecutive ? m : n;
  Word high = i >> low_width;
  Word low = i & low_mask(low_width);
  switch (goal.encoding) {
    case Encoding::binary:
      break;
    case Encoding::gray: {
      const Word whole = gray(i);
      high = whole >> low_width;
      low = whole & low_mask(low_width);
      break;
    }
    case Encoding::gray_gray:
      high = gray(high);
      low = gray(low);
      break;
    case Encoding::binary_gray:
      (goal.allocation == Allocation::consecutive ? high : low) =
          gray(goal.allocation == Allocation::consecutive ? high : low);
      break;
  }
  if (goal.allocation == Allocation::consecutive) return {high, low};
  return {low, high};
}

// Bits of a place from its rows, most significant row first.
Word place_from(const std::vector<Word>& rows, Word index) {
  Word place = 0;
  for (const Word row : rows) place = (place << 1U) | parity(row & index);
  return place;
}

class ButterflyReplay : public MovingReplay<Token> {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;

 private:
  bool goal_makes_sense();
  void butterfly(const Butterfly& butterfly);
  bool operands_fit(const Butterfly& b, const Token& low, const Token& high);
  void count(const Butterfly& b, const Token& low);

  ButterflyGoal goal_;
  ButterflyStages stages_;
  bool broken_ = false;          // the goal makes no sense; steps are not looked at
  std::vector<bool> performed_;  // in place: stages done before, and pair
  Count performed_count_ = 0;
};

bool ButterflyReplay::goal_makes_sense() {
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  if (n != dimensions_ || p < n || n < 0 || p > word_bits)
    return refuse("goal", {},
                  "the problem has {} processor bits of {} index bits; the machine has {} "
                  "dimensions",
                  n, p, dimensions_);
  const auto rows_fit = [&](const std::vector<Word>& rows, int count) {
    return rows.size() == static_cast<std::size_t>(count) &&
           std::all_of(rows.begin(), rows.end(), [&](Word r) { return (r & ~low_mask(p)) == 0; });
  };
  if (!rows_fit(goal_.final_processor_rows, n) ||
      (goal_.final_memory_rows && !rows_fit(*goal_.final_memory_rows, p - n)))
    return refuse("goal", {},
                  "the final rows must be {} for the processor and {} for the slot, each a "
                  "mask of {} bits",
                  n, p - n, p);
  return true;
}

void ButterflyReplay::begin(const ScheduleHeader& header) {
  goal_ = std::get<ButterflyGoal>(header.goal);
  stages_ = ButterflyStages(goal_);
  const int limit = limits::replay_elements_log2_max;
  const Count places = processors(header.machine) * header.slots;
  if (goal_.index_bits > limit || places > Count{1} << limits::replay_places_log2_max)
    throw Error(
        ErrorCode::limit,
        fmt::format("replay spells out at most 2^{} elements and 2^{} places; this schedule "
                    "has 2^{} elements and {} places. Proof has no such limit.",
                    limit, limits::replay_places_log2_max, goal_.index_bits, to_string(places)));
  prepare(header);
  broken_ = !goal_makes_sense();
  if (broken_) return;
  verdict_.expected = Count{1} << static_cast<unsigned>(goal_.index_bits);
  const Word elements = bit(goal_.index_bits - goal_.processor_bits);
  if (header.slots < elements) {
    breach("goal", {}, "{} slots do not hold the {} elements of a processor", header.slots,
           elements);
    broken_ = true;
    return;
  }
  for (Word i = 0; i < bit(goal_.index_bits); ++i) {
    const Place place = start_of(i, goal_);
    put(place.processor, static_cast<Slot>(place.slot), {static_cast<std::uint32_t>(i), 0});
  }
  if (goal_.in_place && goal_.index_bits > 0)
    performed_.assign(static_cast<Word>(stages_.count()) << (goal_.index_bits - 1), false);
}

bool ButterflyReplay::operands_fit(const Butterfly& b, const Token& low, const Token& high) {
  const int index_bit = goal_.index_bits - 1 - b.stage;
  if (low.done != high.done || low.done >= stages_.count() ||
      stages_.index_bit(low.done) != index_bit)
    return refuse("stage", {.processor = b.processor, .slot = b.low},
                  "stage {} at processor {}: the operands have done {} and {} stages, "
                  "which it does not follow",
                  b.stage, b.processor, low.done, high.done);
  if (has_bit(low.index, index_bit) || (low.index ^ high.index) != bit(index_bit))
    return refuse("pair", {.processor = b.processor, .slot = b.low},
                  "stage {} at processor {}: indices {} and {} are no pair (low, high) of "
                  "bit {}",
                  b.stage, b.processor, low.index, high.index, index_bit);
  return true;
}

void ButterflyReplay::count(const Butterfly& b, const Token& low) {
  performed_count_ += 1;
  if (!goal_.in_place) return;
  if (b.result != Result::both) {
    breach("in-place", {.processor = b.processor, .slot = b.low},
           "stage {} at processor {} is done by halves", b.stage, b.processor);
    return;
  }
  const int index_bit = goal_.index_bits - 1 - b.stage;
  const Word pair =
      ((low.index >> (index_bit + 1)) << index_bit) | (low.index & low_mask(index_bit));
  const Word key = (static_cast<Word>(low.done) << (goal_.index_bits - 1)) | pair;
  if (performed_[key]) {
    breach("in-place", {.processor = b.processor, .slot = b.low},
           "stage {} is done twice for index {}", b.stage, low.index);
  }
  performed_[key] = true;
}

void ButterflyReplay::butterfly(const Butterfly& b) {
  const bool whole = b.result == Result::both;
  if (b.processor >= processors_ || b.low >= header_.slots || b.high >= header_.slots ||
      b.low == b.high || b.stage < 0 || b.stage >= goal_.index_bits ||
      (!whole && b.to >= header_.slots)) {
    breach("butterfly-range", {.processor = b.processor, .slot = b.low},
           "butterfly of stage {} at processor {} on slots {} and {}: no such place", b.stage,
           b.processor, b.low, b.high);
    return;
  }
  const Token* const reads_low = held(b.processor, b.low);
  const Token* const reads_high = held(b.processor, b.high);
  if (reads_low == nullptr || reads_high == nullptr) {
    breach("reads-empty", {.processor = b.processor, .slot = reads_low == nullptr ? b.low : b.high},
           "stage {} at processor {} reads slots {} and {}, one of them empty", b.stage,
           b.processor, b.low, b.high);
    return;
  }
  Token low = *reads_low;
  Token high = *reads_high;
  if (!operands_fit(b, low, high)) return;
  count(b, low);
  low.done += 1;
  high.done += 1;
  if (!whole) return put(b.processor, b.to, b.result == Result::top ? low : high);
  put(b.processor, b.low, low);
  put(b.processor, b.high, high);
}

void ButterflyReplay::step(const CubeStep& step) {
  if (broken_) return;
  move(step);
  each_of("butterflies", step.butterflies, [this](const Butterfly& b) { butterfly(b); });
  each_of("butterfly_rules", step.butterfly_rules, [this](const ButterflyRule& rule) {
    if (!fits(rule.where)) return;
    for_each_meeting(dimensions_, rule.where, [&](Word p) {
      butterfly({p, rule.low, rule.high, rule.stage, rule.result, rule.to});
    });
  });
  ++step_;
}

void ButterflyReplay::finish() {
  if (!broken_) {
    std::vector<bool> arrived(bit(goal_.index_bits), false);
    for (Slot s = 0; s < header_.slots; ++s) {
      for (Word q = 0; q < processors_; ++q) {
        const Token* token = held(q, s);
        if (token == nullptr || token->done != stages_.count() || arrived[token->index]) continue;
        if (place_from(goal_.final_processor_rows, token->index) != q) continue;
        if (goal_.final_memory_rows && place_from(*goal_.final_memory_rows, token->index) != s)
          continue;
        arrived[token->index] = true;
        verdict_.delivered += 1;
      }
    }
    if (verdict_.delivered != verdict_.expected) {
      const auto lost = std::find(arrived.begin(), arrived.end(), false) - arrived.begin();
      breach("not-delivered",
             {.processor = place_from(goal_.final_processor_rows, static_cast<Word>(lost))},
             "{} of {} results are at their final place; index {} is not at "
             "processor {}",
             to_string(verdict_.delivered), to_string(verdict_.expected), lost,
             place_from(goal_.final_processor_rows, static_cast<Word>(lost)));
    }
    const Count wanted = Count(performed_.size());
    if (goal_.in_place && performed_count_ != wanted) {
      breach("in-place", {}, "{} butterflies were done, wanted {}", to_string(performed_count_),
             to_string(wanted));
    }
    judge_claims();
  }
}

}  // namespace

std::unique_ptr<Verifier> butterfly_replay() {
  return std::make_unique<ButterflyReplay>();
}

}  // namespace faro::inline v1
