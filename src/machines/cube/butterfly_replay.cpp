#include "machines/cube/butterfly_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "machines/cube/ports.hpp"
#include "schedules/butterfly_stages.hpp"

namespace faro::inline v1 {
namespace {

using Result = ButterflyRule::Result;

constexpr std::uint16_t nothing = 0xFFFF;  // stages done, of an empty slot

struct Token {
  Word index = 0;
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

class ButterflyReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  void bad(const char* rule, std::string message, Violation::Place at = {}) {
    at.list = list_;
    at.entry = entry_;
    verdict_.add({step_, rule, std::move(message), std::move(at)});
  }
  bool goal_makes_sense();
  void fill();
  std::size_t cell(Word processor, Slot slot) const { return slot * processors_ + processor; }
  bool mask_fits(const std::vector<Parity>& where);
  template <class Visit>
  void at_each(const std::vector<Parity>& where, Visit&& visit) const;
  void move(const Move& move);
  void send(Word from, int dimension);
  void use_port(Word processor, int dimension);
  void butterfly(const Butterfly& butterfly);
  bool operands_fit(const Butterfly& b, const Token& low, const Token& high);
  void count(const Butterfly& b, const Token& low);

  Hypercube cube_;
  ButterflyGoal goal_;
  ButterflyStages stages_;
  ScheduleHeader header_;
  Word processors_ = 0;
  Word slots_ = 0;
  bool broken_ = false;  // the goal makes no sense; steps are not looked at
  Count step_ = 0;
  const char* list_ = "";  // the entry of the step that is looked at
  std::size_t entry_ = 0;
  std::uint32_t stamp_ = 0;  // of this step, from 1
  bool remote_ = false;
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> written_;  // stamp of the last write, for each cell
  std::vector<std::uint32_t> linked_;   // stamp of the last use, for each processor and dimension
  std::vector<std::pair<std::uint32_t, Word>> ports_;  // stamp and dimensions of each processor
  std::vector<std::pair<std::size_t, Token>> writes_;
  std::vector<bool> performed_;  // in place: stages done before, and pair
  Count performed_count_ = 0;
  Verdict verdict_;
};

bool ButterflyReplay::goal_makes_sense() {
  const int n = goal_.processor_bits;
  const int p = goal_.index_bits;
  if (n != cube_.dimensions || p < n || n < 0 || p > word_bits) {
    bad("goal",
        fmt::format("the problem has {} processor bits of {} index bits; the machine has {} "
                    "dimensions",
                    n, p, cube_.dimensions));
    return false;
  }
  const auto rows_fit = [&](const std::vector<Word>& rows, int count) {
    return rows.size() == static_cast<std::size_t>(count) &&
           std::all_of(rows.begin(), rows.end(), [&](Word r) { return (r & ~low_mask(p)) == 0; });
  };
  if (!rows_fit(goal_.final_processor_rows, n) ||
      (goal_.final_memory_rows && !rows_fit(*goal_.final_memory_rows, p - n))) {
    bad("goal",
        fmt::format("the final rows must be {} for the processor and {} for the slot, each a "
                    "mask of {} bits",
                    n, p - n, p));
    return false;
  }
  return true;
}

void ButterflyReplay::begin(const ScheduleHeader& header) {
  verdict_ = {};
  verdict_.by = "replay";
  goal_ = std::get<ButterflyGoal>(header.goal);
  stages_ = ButterflyStages(goal_);
  cube_ = std::get<Hypercube>(header.machine);
  header_ = header;
  slots_ = header.slots;
  broken_ = !goal_makes_sense();
  if (broken_) return;
  const int limit = limits::replay_elements_log2_max;
  const Count places = Count{header.slots} * (Count{1} << cube_.dimensions);
  if (goal_.index_bits > limit || places > Count{1} << limits::replay_places_log2_max) {
    throw Error(
        ErrorCode::limit,
        fmt::format("replay spells out at most 2^{} elements and 2^{} places; this schedule "
                    "has 2^{} elements and {} places. Proof has no such limit.",
                    limit, limits::replay_places_log2_max, goal_.index_bits, to_string(places)));
  }
  processors_ = bit(cube_.dimensions);
  verdict_.expected = Count{1} << static_cast<unsigned>(goal_.index_bits);
  if (slots_ < bit(goal_.index_bits - goal_.processor_bits)) {
    bad("goal", fmt::format("{} slots do not hold the {} elements of a processor", slots_,
                            bit(goal_.index_bits - goal_.processor_bits)));
    broken_ = true;
    return;
  }
  fill();
}

void ButterflyReplay::fill() {
  tokens_.assign(processors_ * slots_, Token{});
  written_.assign(tokens_.size(), 0);
  linked_.assign(processors_ * static_cast<Word>(cube_.dimensions), 0);
  ports_.assign(cube_.ports != Hypercube::Ports::all ? processors_ : 0, {0, 0});
  for (Word i = 0; i < bit(goal_.index_bits); ++i) {
    const Place place = start_of(i, goal_);
    tokens_[cell(place.processor, static_cast<Slot>(place.slot))] = {i, 0};
  }
  if (goal_.in_place && goal_.index_bits > 0) {
    performed_.assign(static_cast<Word>(stages_.count()) << (goal_.index_bits - 1), false);
  }
}

bool ButterflyReplay::mask_fits(const std::vector<Parity>& where) {
  for (const Parity& condition : where) {
    if ((condition.mask & ~low_mask(cube_.dimensions)) != 0 || condition.value > 1) {
      bad("mask-range", fmt::format("the condition [{:#x}, {}] is beyond the {} processor bits",
                                    condition.mask, condition.value, cube_.dimensions));
      return false;
    }
  }
  return true;
}

template <class Visit>
void ButterflyReplay::at_each(const std::vector<Parity>& where, Visit&& visit) const {
  for (Word q = 0; q < processors_; ++q) {
    bool meets = true;
    for (const Parity& condition : where) {
      if (parity(q & condition.mask) != condition.value) {
        meets = false;
        break;
      }
    }
    if (meets) visit(q);
  }
}

void ButterflyReplay::use_port(Word processor, int dimension) {
  auto& [stamp, used] = ports_[processor];
  if (stamp != stamp_) used = 0;
  stamp = stamp_;
  if (has_bit(used, dimension)) return;
  used |= bit(dimension);
  const int ports = ports_of(cube_);
  if (std::popcount(used) > ports)
    bad(ports == 1 ? "one-port" : "ports",
        fmt::format("processor {} uses dimension {} and {} more, it has {} port{}", processor,
                    dimension, std::popcount(used) - 1, ports, ports == 1 ? "" : "s"),
        {.processor = processor, .dimension = dimension});
}

void ButterflyReplay::send(Word from, int dimension) {
  remote_ = true;
  verdict_.cost.remote_moves += 1;
  std::uint32_t& last =
      linked_[from * static_cast<Word>(cube_.dimensions) + static_cast<Word>(dimension)];
  if (last == stamp_) {
    bad("link-twice", fmt::format("two elements on the link from {} across {}", from, dimension),
        {.processor = from, .to = from ^ bit(dimension), .dimension = dimension});
  }
  last = stamp_;
  if (cube_.ports != Hypercube::Ports::all) {
    use_port(from, dimension);
    use_port(from ^ bit(dimension), dimension);
  }
}

void ButterflyReplay::move(const Move& m) {
  Violation::Place at{.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot};
  if (m.from_processor >= processors_ || m.to_processor >= processors_) {
    bad("proc-range",
        fmt::format("the move from processor {} to {} leaves the machine", m.from_processor,
                    m.to_processor),
        at);
    return;
  }
  if (m.from_slot >= slots_ || m.to_slot >= slots_) {
    bad("slot-range",
        fmt::format("the move from slot {} to {}: there are {}", m.from_slot, m.to_slot, slots_),
        at);
    return;
  }
  const Word crossed = m.from_processor ^ m.to_processor;
  if (crossed != 0) {
    if (!is_power_of_two(crossed)) {
      bad("not-a-link",
          fmt::format("processors {} and {} are no neighbours", m.from_processor, m.to_processor),
          at);
      return;
    }
    at.dimension = log2_exact(crossed);
    send(m.from_processor, log2_exact(crossed));
  }
  const Token& token = tokens_[cell(m.from_processor, m.from_slot)];
  if (token.done == nothing) {
    bad("reads-empty",
        fmt::format("slot {} of processor {} is moved, but nothing wrote it", m.from_slot,
                    m.from_processor),
        at);
    return;
  }
  const std::size_t to = cell(m.to_processor, m.to_slot);
  if (written_[to] == stamp_) {
    bad("two-writes",
        fmt::format("two writes to slot {} of processor {}", m.to_slot, m.to_processor), at);
  }
  written_[to] = stamp_;
  writes_.emplace_back(to, token);
}

bool ButterflyReplay::operands_fit(const Butterfly& b, const Token& low, const Token& high) {
  const int index_bit = goal_.index_bits - 1 - b.stage;
  if (low.done != high.done || low.done >= stages_.count() ||
      stages_.index_bit(low.done) != index_bit) {
    bad("stage",
        fmt::format("stage {} at processor {}: the operands have done {} and {} stages, "
                    "which it does not follow",
                    b.stage, b.processor, low.done, high.done),
        {.processor = b.processor, .slot = b.low});
    return false;
  }
  if (has_bit(low.index, index_bit) || (low.index ^ high.index) != bit(index_bit)) {
    bad("pair",
        fmt::format("stage {} at processor {}: indices {} and {} are no pair (low, high) of "
                    "bit {}",
                    b.stage, b.processor, low.index, high.index, index_bit),
        {.processor = b.processor, .slot = b.low});
    return false;
  }
  return true;
}

void ButterflyReplay::count(const Butterfly& b, const Token& low) {
  performed_count_ += 1;
  if (!goal_.in_place) return;
  if (b.result != Result::both) {
    bad("in-place", fmt::format("stage {} at processor {} is done by halves", b.stage, b.processor),
        {.processor = b.processor, .slot = b.low});
    return;
  }
  const int index_bit = goal_.index_bits - 1 - b.stage;
  const Word pair =
      ((low.index >> (index_bit + 1)) << index_bit) | (low.index & low_mask(index_bit));
  const Word key = (static_cast<Word>(low.done) << (goal_.index_bits - 1)) | pair;
  if (performed_[key]) {
    bad("in-place", fmt::format("stage {} is done twice for index {}", b.stage, low.index),
        {.processor = b.processor, .slot = b.low});
  }
  performed_[key] = true;
}

void ButterflyReplay::butterfly(const Butterfly& b) {
  const bool whole = b.result == Result::both;
  if (b.processor >= processors_ || b.low >= slots_ || b.high >= slots_ || b.low == b.high ||
      b.stage < 0 || b.stage >= goal_.index_bits || (!whole && b.to >= slots_)) {
    bad("butterfly-range",
        fmt::format("butterfly of stage {} at processor {} on slots {} and {}: no such place",
                    b.stage, b.processor, b.low, b.high),
        {.processor = b.processor, .slot = b.low});
    return;
  }
  Token& low = tokens_[cell(b.processor, b.low)];
  Token& high = tokens_[cell(b.processor, b.high)];
  if (low.done == nothing || high.done == nothing) {
    bad("reads-empty",
        fmt::format("stage {} at processor {} reads slots {} and {}, one of them empty", b.stage,
                    b.processor, b.low, b.high),
        {.processor = b.processor, .slot = low.done == nothing ? b.low : b.high});
    return;
  }
  if (!operands_fit(b, low, high)) return;
  count(b, low);
  if (whole) {
    low.done += 1;
    high.done += 1;
    return;
  }
  Token result = b.result == Result::top ? low : high;
  result.done += 1;
  tokens_[cell(b.processor, b.to)] = result;
}

void ButterflyReplay::step(const CubeStep& step) {
  if (broken_) return;
  ++stamp_;
  remote_ = false;
  writes_.clear();
  // Each entry of a list, told of in what is wrong with it.
  const auto each = [this](const char* list, const auto& entries, auto&& look) {
    list_ = list;
    for (entry_ = 0; entry_ < entries.size(); ++entry_) look(entries[entry_]);
    list_ = "";
    entry_ = 0;
  };
  each("moves", step.moves, [this](const Move& m) { move(m); });
  each("rules", step.rules, [this](const Rule& rule) {
    if (!mask_fits(rule.where)) return;
    if (rule.across < inside || rule.across >= cube_.dimensions) {
      bad("dimension-range", fmt::format("there is no dimension {}", rule.across),
          {.dimension = rule.across});
      return;
    }
    const Word crossed = rule.across == inside ? 0 : bit(rule.across);
    at_each(rule.where, [&](Word q) { move({q, rule.from, q ^ crossed, rule.to}); });
  });
  for (const auto& [to, token] : writes_) tokens_[to] = token;
  each("butterflies", step.butterflies, [this](const Butterfly& b) { butterfly(b); });
  each("butterfly_rules", step.butterfly_rules, [this](const ButterflyRule& rule) {
    if (!mask_fits(rule.where)) return;
    at_each(rule.where, [&](Word q) {
      butterfly({q, rule.low, rule.high, rule.stage, rule.result, rule.to});
    });
  });
  if (remote_) ++verdict_.cost.steps;
  ++step_;
}

void ButterflyReplay::finish() {
  if (!broken_) {
    std::vector<bool> arrived(bit(goal_.index_bits), false);
    for (Word s = 0; s < slots_; ++s) {
      for (Word q = 0; q < processors_; ++q) {
        const Token& token = tokens_[cell(q, static_cast<Slot>(s))];
        if (token.done != stages_.count() || arrived[token.index]) continue;
        if (place_from(goal_.final_processor_rows, token.index) != q) continue;
        if (goal_.final_memory_rows && place_from(*goal_.final_memory_rows, token.index) != s)
          continue;
        arrived[token.index] = true;
        verdict_.delivered += 1;
      }
    }
    if (verdict_.delivered != verdict_.expected) {
      const auto lost = std::find(arrived.begin(), arrived.end(), false) - arrived.begin();
      bad("not-delivered",
          fmt::format("{} of {} results are at their final place; index {} is not at "
                      "processor {}",
                      to_string(verdict_.delivered), to_string(verdict_.expected), lost,
                      place_from(goal_.final_processor_rows, static_cast<Word>(lost))),
          {.processor = place_from(goal_.final_processor_rows, static_cast<Word>(lost))});
    }
    const Count wanted = Count(performed_.size());
    if (goal_.in_place && performed_count_ != wanted) {
      bad("in-place", fmt::format("{} butterflies were done, wanted {}",
                                  to_string(performed_count_), to_string(wanted)));
    }
    judge_claims(verdict_, header_, step_);
  }
  verdict_.answer = verdict_.violation_count == 0 ? Verdict::Answer::yes : Verdict::Answer::no;
}

}  // namespace

std::unique_ptr<Verifier> butterfly_replay() {
  return std::make_unique<ButterflyReplay>();
}

}  // namespace faro::inline v1
