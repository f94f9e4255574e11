// One element at a time, with replication.   [Johnsson, Ho 1990: section 5, Theorem 5]
//
//   applies:  most significant bit first any output, least significant bit first output in the code
//             of the input; with one element in another code too, by a conversion of n - 1 steps
//             behind
//   cost:     K + n - 1 binary, 2K + n - 2 Gray, n = 1: K; in the code of the whole index, cyclic,
//             K/2 more for a conversion first                    (tested n <= 8, K <= 32)
//   bound:    max(n, K/2) memory first, max(n, K) processor first
//
// A stage in Gray code: every processor sends its value across j and j-1, so that each has both
// operands from its neighbours; delta_j says which neighbour's result it forms, and the rows of j
// and j-1 follow. In binary code, and at bit 0, one exchange does: both ends know both operands.
#include "planners/cube/butterfly/replication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/paper_count.hpp"
#include "planners/cube/butterfly/places.hpp"
#include "planners/cube/butterfly/planners.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;
using Result = ButterflyRule::Result;

// n = 1 has one code, whatever it is called.
bool gray(const ButterflyNetwork& request) {
  return coded(request) && request.processor_bits > 1;
}

// Whether the stages end in another code than the one that is wanted.
bool recodes(const ButterflyNetwork& request) {
  return !most_significant_first(request) && request.processor_bits > 1 &&
         (request.output != Output::binary) != coded(request);
}

std::optional<std::string> refusal_replication(const ButterflyNetwork& request) {
  if (request.output == Output::gray_through) return "it has no control bits";
  if (recodes(request) && request.memory_bits() > 0) {
    return "least significant bit first it ends in the code it began with";
  }
  return std::nullopt;
}

// Whether the top processor row holds a memory bit, which a conversion of K/2 steps takes out
// first.
bool tied(const ButterflyNetwork& request) {
  return whole_cyclic(request) && request.processor_bits > 0;
}

// Steps before the first stage.
Count conversion_steps(const ButterflyNetwork& request) {
  return tied(request) ? request.elements() / 2 : 0;
}

class Replicator {
 public:
  Replicator(const ButterflyNetwork& request, StageRange range, CompiledSink& sink);
  void run();
  Word steps() const;

 private:
  void plan_stages();
  void relabel_memory();
  void convert();
  void memory_stages();
  void recode();
  void value_step(Word step);
  void receive(Word slot, int dimension);
  void combine(Word slot, std::size_t stage);
  bool in_range(int index_bit) const {
    return index_bit <= range_.highest && index_bit >= range_.lowest;
  }

  // A processor stage: the dimension, who forms which result, and the rows after it.
  struct Stage {
    int dimension = 0;
    Form delta;
    std::vector<Form> rows;
  };

  const ButterflyNetwork& request_;
  ButterflyNetwork by_field_;  // the layout that the stages see: a code of each field
  StageRange range_;
  CompiledSink& sink_;
  int base_;
  Word elements_;
  Word inboxes_ = 0;
  Word pace_ = 1;  // steps between the starts of two slots
  std::vector<Form> memory_;
  std::vector<Stage> stages_;
  std::vector<Places> places_;  // after each stage
  CompiledStep now_;
};

Replicator::Replicator(const ButterflyNetwork& request, StageRange range, CompiledSink& sink)
    : request_(request),
      by_field_(request),
      range_(range),
      sink_(sink),
      base_(base_of(request)),
      elements_(bit(request.memory_bits())) {
  const Word n = static_cast<Word>(request.processor_bits);
  inboxes_ = std::min(elements_, gray(request) ? (n + 1) / 2 : n);
  // In the code of the whole index one field depends on a bit of the other. Consecutive, a free
  // step to the code of each field goes first; cyclic, K/2 steps.
  if (request.encoding == Encoding::gray) by_field_.encoding = Encoding::gray_gray;
  memory_ = start_memory_rows(by_field_);
  plan_stages();
}

void Replicator::plan_stages() {
  std::vector<Form> rows = start_rows(by_field_);
  const std::vector<Form> wanted = recodes(request_) ? rows : output_forms(request_);
  const bool msb = most_significant_first(request_);
  const int top = request_.processor_bits - 1;
  Form above;  // delta of the stage before, ^ 1
  for (const int j : stage_dimensions(request_)) {
    if (!in_range(base_ + j)) continue;
    const auto at = static_cast<std::size_t>(j);
    Form delta;
    if (!gray(request_)) {
      delta = sum(rows[at], wanted[at]);
    } else if (msb) {
      delta = sum(above, sum(start_rows(by_field_)[at], wanted[at]));
    } else {
      delta = {0, static_cast<unsigned>(top - j) & 1U};
    }
    FARO_CHECK(!has_bit(delta.mask, base_ + j));
    above = {delta.mask, delta.value ^ 1U};
    rows[at] = sum(rows[at], delta);
    if (gray(request_) && j > 0) {
      rows[at - 1] = sum(rows[at - 1], above);
      pace_ = 2;  // this stage takes two dimensions, the next slot must wait for one of them
    }
    stages_.push_back({j, delta, rows});
    places_.emplace_back(masks_of(rows), masks_of(memory_));
  }
}

// The last slot starts last and has all stages still to come.
Word Replicator::steps() const {
  return stages_.empty() ? 0 : (pace_ * (elements_ - 1)) + stages_.size();
}

// Cyclic code of the whole index: elements with b_n = 1 are on the wrong side of the top dimension.
// b_n is a form of the slot, so a slot goes as a whole.
void Replicator::convert() {
  if (!tied(request_)) return;
  const int top = request_.processor_bits - 1;
  const Places places(masks_of(start_rows(by_field_)), masks_of(memory_));
  const Word of_slot = places.read(bit_form(request_.processor_bits), 0).slot;
  for (Word s = 0; s < elements_; ++s) {
    if (parity(s & of_slot) == 0) continue;
    now_.step.rules.push_back({{}, static_cast<Slot>(s), top, static_cast<Slot>(s)});
    sink_.step(now_);
    now_.clear();
  }
}

void Replicator::relabel_memory() {
  if (tied(request_)) return;  // the slots are those of the code of each field
  relabel(start_rows(request_), start_memory_rows(request_), memory_, sink_);
}

void Replicator::memory_stages() {
  const bool before = memory_first(request_);
  // The rows that stand in the processors while the memory stages are done.
  const std::vector<Form> rows =
      before || stages_.empty() ? start_rows(by_field_) : stages_.back().rows;
  std::vector<int> bits;
  for (const int b : memory_index_bits(request_))
    if (in_range(b)) bits.push_back(b);
  local_stages(request_.index_bits, rows, memory_, in_stage_order(request_, bits), sink_);
}

// The conversion of one element a processor: bit k ^= bit k+1, from the top for Gray code to binary
// code, else from below.   [section 2]
void Replicator::recode() {
  const int n = request_.processor_bits;
  for (int i = 0; i < n - 1; ++i) {
    const int k = coded(request_) ? n - 2 - i : i;
    now_.step.rules.push_back({{{bit(k + 1), 1}}, 0, k, 0});
    sink_.step(now_);
    now_.clear();
  }
}

void Replicator::receive(Word slot, int dimension) {
  const auto own = static_cast<Slot>(slot);
  const auto inbox = static_cast<Slot>(elements_ + (slot % inboxes_));
  if (gray(request_) && dimension > 0) {
    // The value itself has just been sent: its slot takes one operand, the inbox the other.
    now_.step.rules.push_back({{}, own, dimension, own});
    now_.step.rules.push_back({{}, own, dimension - 1, inbox});
  } else {
    now_.step.rules.push_back({{}, own, dimension, inbox});
  }
}

void Replicator::combine(Word slot, std::size_t stage) {
  const auto& [dimension, delta, rows] = stages_[stage];
  const Places& places = places_[stage];
  const Word constants = constants_of(rows, {});
  const int index_bit = base_ + dimension;
  const auto own = static_cast<Slot>(slot);
  const auto inbox = static_cast<Slot>(elements_ + (slot % inboxes_));
  const auto at_slot = [&](const Form& form) {
    Reading reading = places.read(form, constants);
    reading.constant ^= parity(reading.slot & slot);
    return reading;
  };
  const Reading index = at_slot(bit_form(index_bit));
  const Reading choice = at_slot(delta);
  const bool two_sided = gray(request_) && dimension > 0;
  for (unsigned high = 0; high < 2; ++high) {
    for (unsigned chosen = 0; chosen < 2; ++chosen) {
      std::vector<Parity> where;
      if (!also(where, index, high) || !also(where, choice, chosen)) continue;
      // Across the dimension came an element that delta = 1 makes mine; otherwise mine is the
      // other.
      const bool mine_in_own = two_sided ? chosen == 1 : chosen == 0;
      const Slot mine = mine_in_own ? own : inbox;
      const Slot partner = mine_in_own ? inbox : own;
      IndexMap low = places.indices(slot, constants);
      if (high != 0) low.base ^= bit(index_bit);
      now_.step.butterfly_rules.push_back({.where = std::move(where),
                                           .low = high == 0 ? mine : partner,
                                           .high = high == 0 ? partner : mine,
                                           .stage = request_.index_bits - 1 - index_bit,
                                           .result = high == 0 ? Result::top : Result::bottom,
                                           .to = own});
      now_.rule_indices.push_back(std::move(low));
    }
  }
}

void Replicator::value_step(Word step) {
  const Word count = stages_.size();
  // Slots s with 0 <= step - pace·s < count.
  const Word first = step < count ? 0 : ((step - count) / pace_) + 1;
  const Word last = std::min(elements_ - 1, step / pace_);
  for (Word s = first; s <= last; ++s) {
    receive(s, stages_[step - (pace_ * s)].dimension);
  }
  for (Word s = first; s <= last; ++s) combine(s, step - (pace_ * s));
  sink_.step(now_);
  now_.clear();
}

void Replicator::run() {
  const std::vector<Form> rows = stages_.empty() ? start_rows(by_field_) : stages_.back().rows;
  sink_.begin(header_of(request_, replication.name(),
                        {.processor = recodes(request_) ? output_forms(request_) : rows,
                         .memory = memory_,
                         .slots = elements_ + inboxes_}));
  relabel_memory();
  convert();
  if (memory_first(request_)) memory_stages();
  for (Word step = 0; step < steps(); ++step) value_step(step);
  if (!memory_first(request_)) memory_stages();
  if (recodes(request_)) recode();
  sink_.finish();
}

Estimate estimate_replication(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count k = request.elements();
  Estimate estimate;
  if (n == 0) {
    estimate.cost = {0, "0: one processor"};
  } else if (gray(request)) {
    estimate.cost = k == 1 ? Formula{n, "n"} : Formula{2 * k + n - 2, "2K + n - 2"};
  } else {
    estimate.cost = k == 1 ? Formula{n, "n"} : Formula{k + n - 1, "K + n - 1"};
  }
  if (recodes(request)) estimate.cost = {2 * n - 1, "n + n - 1"};
  if (tied(request)) {
    estimate.cost.value += conversion_steps(request);
    estimate.cost.text = "K/2 + " + estimate.cost.text;
  }
  // Every index bit stays at its place, asked for or not.
  ButterflyNetwork restored = request;
  restored.finish = Finish::restored;
  estimate.paper = paper_count(restored);
  return estimate;
}

void build_replication(const ButterflyNetwork& request, CompiledSink& sink) {
  Replicator(request, {request.index_bits - 1, 0}, sink).run();
}

}  // namespace

const PlannerEntry replication({
    .name = "butterfly-replication",
    .machine = networks,
    .title = "every processor forms one output of each butterfly; natural order out",
    .needs = "least significant bit first, K >= 2: output in the code of the input",
    .cost = "K + n - 1 in binary code, 2K + n - 2 in Gray code, n for K = 1; cyclic gray K/2 more",
    .citation = "Johnsson, Ho 1990, Theorem 5",
    .refusal = refused<refusal_replication>,
    .offer = offered<estimate_replication, build_replication>,
    .computes = true,
});

namespace butterfly {

void build_stages(const ButterflyNetwork& request, StageRange range, CompiledSink& sink) {
  Replicator(request, range, sink).run();
}

}  // namespace butterfly
}  // namespace faro::inline v1
