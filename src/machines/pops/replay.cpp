// Replay of a POPS schedule: every datum is a token, every slot is held against the rules R1 to R9
// of machines/pops/model.hpp, rules over address bits are spelled out processor by processor.
//
// A matrix product is executed on integers modulo 2^64 (every product compared exactly) and on
// reals beside them. After the first slot with a breach the state means nothing any more: the rest
// of the schedule is only counted.
//
// Limits: replay_elements_log2_max processors, pops_cells_max registers in use; beyond them
// Error(limit).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/executor.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/replay_goal.hpp"

namespace faro::inline v1 {
namespace {

// C differs from the product by no more than this times N times the sum of |terms|.
constexpr double real_tolerance = 1e-13;

class PopsReplay : public PopsExecutor {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override;

 private:
  void check_header();
  void check_matmul(const MatmulGoal& goal);
  void fill();
  void deliver();
  void deliver_matmul(const MatmulGoal& goal);
  void expect(Word processor, std::optional<Slot> reg, Word token);
  std::optional<Slot> result_of(Word processor) const;
  // Registers that replay knows have numbers below this.
  static Word token_of(Word processor, Slot reg) {
    return processor * limits::replay_registers_max + reg;
  }

  std::vector<std::int64_t> a_;
  std::vector<std::int64_t> b_;
};

void PopsReplay::begin(const ScheduleHeader& header) {
  prepare(header);
  check_header();
  if (clean()) fill();
}

void PopsReplay::check_header() {
  if (header_.elements == 0 || header_.slots < header_.elements)
    breach("R7", {}, "{} elements in {} registers of a processor", header_.elements, header_.slots);
  if (header_.result.size() > 1 && header_.result.size() != processors_)
    breach("result", {}, "{} result registers: one for all or one for each of {} processors",
           header_.result.size(), processors_);
  for (const Slot r : header_.result)
    if (r >= header_.slots) {
      breach("R7", {}, "result register {} of {}", r, header_.slots);
      break;
    }
  if (const auto* product = std::get_if<MatmulGoal>(&header_.goal)) return check_matmul(*product);
  replay_goal::legal(header_, *this);
  if (clean() && std::holds_alternative<MapGoal>(header_.goal) &&
      Count{processors_} * header_.elements > limits::pops_cells_max)
    throw Error(ErrorCode::limit, fmt::format("{} elements: replay holds at most 2^28 registers",
                                              to_string(Count{processors_} * header_.elements)));
}

void PopsReplay::check_matmul(const MatmulGoal& goal) {
  if (goal.order == 0 || goal.order > bit(limits::replay_elements_log2_max / 2) ||
      goal.order * goal.order > processors_)
    breach("goal", {}, "matrices of order {} on {} processors", goal.order, processors_);
  if (goal.a == goal.b) breach("goal", {}, "A and B share register {}", goal.a);
  for (const Slot r : {goal.a, goal.b, goal.c})
    if (r >= header_.slots) breach("R7", {}, "register {} of {}", r, header_.slots);
}

void PopsReplay::fill() {
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
    for (const Move& m : moves->moves)
      put(m.from_processor, m.from_slot, token_of(m.from_processor, m.from_slot));
  } else if (const auto* product = std::get_if<MatmulGoal>(&header_.goal)) {
    Random random(12345);
    const auto draw = [&] {
      return static_cast<std::int64_t>(random.below(2'000'001)) - 1'000'000;
    };
    for (Word p = 0; p < product->order * product->order; ++p) {
      a_.push_back(draw());
      b_.push_back(draw());
      put(p, product->a, static_cast<Word>(a_[p]), static_cast<double>(a_[p]) / 3);
      put(p, product->b, static_cast<Word>(b_[p]), static_cast<double>(b_[p]) / 7);
    }
  } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
    for (Word p = 0; p < processors_; ++p)
      if (!broadcast->root || *broadcast->root == p) put(p, 0, token_of(p, 0));
  } else {
    for (Word p = 0; p < processors_; ++p)
      for (std::uint64_t s = 0; s < header_.elements; ++s)
        put(p, static_cast<Slot>(s), token_of(p, static_cast<Slot>(s)));
  }
}

void PopsReplay::step(const PopsSlot& slot) {
  if (!clean()) {
    verdict_.cost.slots += !slot.sends.empty() || !slot.rules.empty() ? 1U : 0U;
  } else {
    const Work work = perform(slot);
    verdict_.cost.slots += work.sends ? 1U : 0U;
    verdict_.cost.compute_rounds += work.busiest;
  }
  ++step_;
}

std::optional<Slot> PopsReplay::result_of(Word processor) const {
  if (header_.result.empty()) return std::nullopt;
  return header_.result.size() == 1 ? header_.result[0] : header_.result[processor];
}

// Without a register the datum may be in any of the processor's.
void PopsReplay::expect(Word processor, std::optional<Slot> reg, Word wanted) {
  ++verdict_.expected;
  bool there = reg && holds(processor, *reg) && token(processor, *reg) == wanted;
  if (!reg)
    for (std::size_t r = 0; r < banks() && !there; ++r)
      there = holds(processor, static_cast<Slot>(r)) &&
              token(processor, static_cast<Slot>(r)) == wanted;
  if (there)
    ++verdict_.delivered;
  else if (reg)
    breach("delivery", {.processor = processor, .slot = *reg},
           "register {} of processor {} does not hold what began in register {} of {}", *reg,
           processor, wanted % limits::replay_registers_max, wanted / limits::replay_registers_max);
  else
    breach("delivery", {.processor = processor},
           "what began in register {} of processor {} did not reach processor {}",
           wanted % limits::replay_registers_max, wanted / limits::replay_registers_max, processor);
}

void PopsReplay::deliver() {
  const bool list = std::holds_alternative<MovesGoal>(header_.goal);
  const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal);
  replay_goal::each(header_, [&](const Move& m) {
    if (broadcast != nullptr && m.from_slot != 0) return;  // one datum is broadcast
    std::optional<Slot> reg = list ? std::optional<Slot>(0) : result_of(m.to_processor);
    if (reg) *reg += m.to_slot;
    expect(m.to_processor, reg, token_of(m.from_processor, m.from_slot));
  });
  if (broadcast == nullptr || broadcast->root) return;
  for (Word q = 0; q < processors_; ++q)
    for (Word p = 0; p < processors_; ++p) expect(q, std::nullopt, token_of(p, 0));
}

void PopsReplay::deliver_matmul(const MatmulGoal& goal) {
  const std::uint64_t n = goal.order;
  std::vector<Word> row(n);
  std::vector<double> sum(n);
  std::vector<double> size(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    still_working();
    std::fill(row.begin(), row.end(), 0);
    std::fill(sum.begin(), sum.end(), 0);
    std::fill(size.begin(), size.end(), 0);
    for (std::uint64_t q = 0; q < n; ++q)
      for (std::uint64_t j = 0; j < n; ++j) {
        const std::int64_t a = a_[i * n + q];
        const std::int64_t b = b_[q * n + j];
        const double term = (static_cast<double>(a) / 3) * (static_cast<double>(b) / 7);
        row[j] += static_cast<Word>(a) * static_cast<Word>(b);
        sum[j] += term;
        size[j] += std::fabs(term);
      }
    for (std::uint64_t j = 0; j < n; ++j) {
      const Word p = i * n + j;
      ++verdict_.expected;
      const double slack = real_tolerance * static_cast<double>(n) * size[j];
      if (holds(p, goal.c) && token(p, goal.c) == row[j] &&
          std::fabs(real(p, goal.c) - sum[j]) <= slack)
        ++verdict_.delivered;
      else
        breach("delivery", {.processor = p, .slot = goal.c}, "C[{},{}] is wrong", i, j);
    }
  }
}

void PopsReplay::finish() {
  if (clean()) {
    if (const auto* product = std::get_if<MatmulGoal>(&header_.goal))
      deliver_matmul(*product);
    else
      deliver();
    if (clean()) judge_claims();
  }
}

}  // namespace

std::unique_ptr<Verifier> pops_replay() {
  return std::make_unique<PopsReplay>();
}

}  // namespace faro::inline v1
