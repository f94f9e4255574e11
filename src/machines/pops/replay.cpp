#include "machines/pops/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/claims.hpp"
#include "machines/pops/executor.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

// C differs from the product by no more than this times N times the sum of |terms|.
constexpr double real_tolerance = 1e-13;

class PopsReplay : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

 private:
  void bad(const char* rule, std::string message, Violation::Place at = {}) {
    verdict_.add({slots_, rule, std::move(message), std::move(at)});
    broken_ = true;
  }
  void check_header();
  void check_map(const MapGoal& goal);
  void check_moves(const MovesGoal& goal);
  void check_matmul(const MatmulGoal& goal);
  void fill();
  void deliver_map(const MapGoal& goal);
  void deliver_moves(const MovesGoal& goal);
  void deliver_matmul(const MatmulGoal& goal);
  void deliver_broadcast(const BroadcastGoal& goal);
  void expect(Word processor, std::optional<Slot> reg, Word token);
  std::optional<Slot> result_of(Word processor) const;
  Word destination(const MapGoal& goal, Word address) const {
    return goal.cut ? goal.map(address)
                    : goal.map(address / header_.elements) * header_.elements +
                          address % header_.elements;
  }

  ScheduleHeader header_;
  Pops machine_;
  std::uint64_t n_ = 0;
  std::optional<PopsExecutor> network_;
  std::vector<std::int64_t> a_;
  std::vector<std::int64_t> b_;
  Verdict verdict_;
  bool broken_ = false;
  Count slots_ = 0;  // seen
};

void PopsReplay::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.by = "replay";
  machine_ = std::get<Pops>(header.machine);
  n_ = pops::processors(machine_);
  const bool numbers = std::holds_alternative<MatmulGoal>(header.goal);
  network_.emplace(machine_, PopsExecutor::Options{.registers = header.slots,
                                                   .data = numbers ? PopsExecutor::Data::numbers
                                                                   : PopsExecutor::Data::tokens});
  check_header();
  if (!broken_) fill();
}

void PopsReplay::check_header() {
  if (header_.elements == 0 || header_.slots < header_.elements)
    bad("R7",
        fmt::format("{} elements in {} registers of a processor", header_.elements, header_.slots));
  if (header_.result.size() > 1 && header_.result.size() != n_)
    bad("result", fmt::format("{} result registers: one for all or one for each of {} processors",
                              header_.result.size(), n_));
  for (const Slot r : header_.result)
    if (r >= header_.slots) {
      bad("R7", fmt::format("result register {} of {}", r, header_.slots));
      break;
    }
  if (const auto* map = std::get_if<MapGoal>(&header_.goal)) check_map(*map);
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) check_moves(*moves);
  if (const auto* product = std::get_if<MatmulGoal>(&header_.goal)) check_matmul(*product);
  if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal))
    if (broadcast->root && *broadcast->root >= n_)
      bad("R8", fmt::format("the root {} of {} processors", *broadcast->root, n_));
  if (std::holds_alternative<ButterflyGoal>(header_.goal))
    bad("goal", "a POPS network emulates no butterfly");
}

void PopsReplay::check_map(const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const int bits = goal.map.width() - memory;
  if (bits < 0 || bits >= word_bits || bit(bits) != n_)
    bad("goal", fmt::format("a map on {} processor bits for {} processors", bits, n_));
  else if (goal.cut && (memory >= word_bits || bit(memory) != header_.elements))
    bad("goal", fmt::format("a map with {} memory bits for {} elements a processor", memory,
                            header_.elements));
  else if (Count{n_} * header_.elements > limits::pops_cells_max)
    throw Error(ErrorCode::limit, fmt::format("{} elements: replay holds at most 2^28 registers",
                                              to_string(Count{n_} * header_.elements)));
}

void PopsReplay::check_moves(const MovesGoal& goal) {
  std::vector<std::pair<Word, Slot>> from;
  std::vector<std::pair<Word, Slot>> to;
  for (const Move& m : goal.moves) {
    if (m.from_processor >= n_ || m.to_processor >= n_ || m.from_slot >= header_.slots ||
        m.to_slot >= header_.slots) {
      bad("goal",
          fmt::format("the goal [{}, {}, {}, {}] lies outside the machine", m.from_processor,
                      m.from_slot, m.to_processor, m.to_slot),
          {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
      return;
    }
    from.emplace_back(m.from_processor, m.from_slot);
    to.emplace_back(m.to_processor, m.to_slot);
  }
  for (auto* places : {&from, &to}) {
    std::sort(places->begin(), places->end());
    const auto twice = std::adjacent_find(places->begin(), places->end());
    if (twice != places->end())
      bad("goal",
          fmt::format("the goal names register {} of processor {} twice", twice->second,
                      twice->first),
          {.processor = twice->first, .slot = twice->second});
  }
}

void PopsReplay::check_matmul(const MatmulGoal& goal) {
  if (goal.order == 0 || goal.order > bit(limits::replay_elements_log2_max / 2) ||
      goal.order * goal.order > n_)
    bad("goal", fmt::format("matrices of order {} on {} processors", goal.order, n_));
  if (goal.a == goal.b) bad("goal", fmt::format("A and B share register {}", goal.a));
  for (const Slot r : {goal.a, goal.b, goal.c})
    if (r >= header_.slots) bad("R7", fmt::format("register {} of {}", r, header_.slots));
}

void PopsReplay::fill() {
  if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) {
    for (std::size_t i = 0; i < moves->moves.size(); ++i)
      network_->put(moves->moves[i].from_processor, moves->moves[i].from_slot, i);
  } else if (const auto* product = std::get_if<MatmulGoal>(&header_.goal)) {
    Random random(12345);
    const auto draw = [&] {
      return static_cast<std::int64_t>(random.below(2'000'001)) - 1'000'000;
    };
    for (Word p = 0; p < product->order * product->order; ++p) {
      a_.push_back(draw());
      b_.push_back(draw());
      network_->put(p, product->a, static_cast<Word>(a_[p]), static_cast<double>(a_[p]) / 3);
      network_->put(p, product->b, static_cast<Word>(b_[p]), static_cast<double>(b_[p]) / 7);
    }
  } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header_.goal)) {
    for (Word p = 0; p < n_; ++p)
      if (!broadcast->root || *broadcast->root == p) network_->put(p, 0, p);
  } else {
    for (Word p = 0; p < n_; ++p)
      for (std::uint64_t s = 0; s < header_.elements; ++s)
        network_->put(p, static_cast<Slot>(s), p * header_.elements + s);
  }
}

void PopsReplay::step(const PopsSlot& slot) {
  if (broken_) {
    verdict_.cost.slots += !slot.sends.empty() || !slot.rules.empty() ? 1U : 0U;
  } else {
    const PopsExecutor::Work work =
        network_->perform(slot, [this](const char* rule, std::string message, Violation::Place at) {
          bad(rule, std::move(message), std::move(at));
        });
    verdict_.cost.slots += work.sends ? 1U : 0U;
    verdict_.cost.compute_rounds += work.busiest;
  }
  ++slots_;
}

std::optional<Slot> PopsReplay::result_of(Word processor) const {
  if (header_.result.empty()) return std::nullopt;
  return header_.result.size() == 1 ? header_.result[0] : header_.result[processor];
}

// Without a register the datum may be in any of the processor's.
void PopsReplay::expect(Word processor, std::optional<Slot> reg, Word token) {
  ++verdict_.expected;
  bool there = reg && network_->holds(processor, *reg) && network_->token(processor, *reg) == token;
  if (!reg)
    for (std::size_t r = 0; r < network_->banks() && !there; ++r)
      there = network_->holds(processor, static_cast<Slot>(r)) &&
              network_->token(processor, static_cast<Slot>(r)) == token;
  if (there)
    ++verdict_.delivered;
  else if (reg)
    bad("delivery",
        fmt::format("register {} of processor {} does not hold element {}", *reg, processor, token),
        {.processor = processor, .slot = *reg});
  else
    bad("delivery", fmt::format("element {} did not reach processor {}", token, processor),
        {.processor = processor});
}

void PopsReplay::deliver_map(const MapGoal& goal) {
  const std::uint64_t k = header_.elements;
  for (Word address = 0; address < n_ * k; ++address) {
    const Word to = destination(goal, address);
    std::optional<Slot> reg = result_of(to / k);
    if (reg) *reg += static_cast<Slot>(to % k);
    expect(to / k, reg, address);
  }
}

void PopsReplay::deliver_moves(const MovesGoal& goal) {
  for (std::size_t i = 0; i < goal.moves.size(); ++i)
    expect(goal.moves[i].to_processor, goal.moves[i].to_slot, i);
}

void PopsReplay::deliver_broadcast(const BroadcastGoal& goal) {
  for (Word q = 0; q < n_; ++q) {
    if (goal.root) {
      expect(q, result_of(q), *goal.root);
      continue;
    }
    for (Word p = 0; p < n_; ++p) expect(q, std::nullopt, p);
  }
}

void PopsReplay::deliver_matmul(const MatmulGoal& goal) {
  const std::uint64_t n = goal.order;
  std::vector<Word> row(n);
  std::vector<double> real(n);
  std::vector<double> size(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    still_working();
    std::fill(row.begin(), row.end(), 0);
    std::fill(real.begin(), real.end(), 0);
    std::fill(size.begin(), size.end(), 0);
    for (std::uint64_t q = 0; q < n; ++q)
      for (std::uint64_t j = 0; j < n; ++j) {
        const std::int64_t a = a_[i * n + q];
        const std::int64_t b = b_[q * n + j];
        const double term = (static_cast<double>(a) / 3) * (static_cast<double>(b) / 7);
        row[j] += static_cast<Word>(a) * static_cast<Word>(b);
        real[j] += term;
        size[j] += std::fabs(term);
      }
    for (std::uint64_t j = 0; j < n; ++j) {
      const Word p = i * n + j;
      ++verdict_.expected;
      const double slack = real_tolerance * static_cast<double>(n) * size[j];
      if (network_->holds(p, goal.c) && network_->token(p, goal.c) == row[j] &&
          std::fabs(network_->real(p, goal.c) - real[j]) <= slack)
        ++verdict_.delivered;
      else
        bad("delivery", fmt::format("C[{},{}] is wrong", i, j), {.processor = p, .slot = goal.c});
    }
  }
}

void PopsReplay::finish() {
  if (!broken_) {
    if (const auto* map = std::get_if<MapGoal>(&header_.goal)) deliver_map(*map);
    if (const auto* moves = std::get_if<MovesGoal>(&header_.goal)) deliver_moves(*moves);
    if (const auto* product = std::get_if<MatmulGoal>(&header_.goal)) deliver_matmul(*product);
    if (const auto* cast = std::get_if<BroadcastGoal>(&header_.goal)) deliver_broadcast(*cast);
    if (!broken_) judge_claims(verdict_, header_, slots_);
  }
  verdict_.answer = verdict_.violation_count == 0 ? Verdict::Answer::yes : Verdict::Answer::no;
}

}  // namespace

std::unique_ptr<Verifier> pops_replay() {
  return std::make_unique<PopsReplay>();
}

}  // namespace faro::inline v1
