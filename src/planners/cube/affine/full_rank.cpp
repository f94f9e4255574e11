// The exchange itself is the offer of all-to-all; the two orders of memory are put around its
// steps.
#include "planners/cube/affine/full_rank.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/check.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {
namespace {

// p | q r -> q | p r, q as long as p.
Request exchange_of_all(const Request& request) {
  const int n = processor_bits(request);
  const int m = request.map().memory_bits;
  std::vector<int> place(static_cast<std::size_t>(n + m));
  std::iota(place.begin(), place.end(), 0);
  for (int j = 0; j < n; ++j) {
    place[static_cast<std::size_t>(m + j)] = m - n + j;
    place[static_cast<std::size_t>(m - n + j)] = m + j;
  }
  const MapGoal all{.map = BitMap::from_places(place), .cut = true, .memory_bits = m};
  if (n < cube_of(request)->dimensions) return Request::on_subcube(*cube_of(request), all);
  return Request::of(request.machine(), all);
}

// Puts free steps before and after those of a schedule.
class Between : public ScheduleSink {
 public:
  Between(ScheduleHeader header, SplitMap before, SplitMap after, ScheduleSink& sink)
      : header_(std::move(header)),
        before_(std::move(before)),
        after_(std::move(after)),
        sink_(sink) {}
  void begin(const ScheduleHeader& inner) override {
    header_.slots = inner.slots;
    sink_.begin(header_);
    push_slots(before_, header_.elements, sink_);
  }
  void step(const CubeStep& step) override { sink_.step(step); }
  void finish() override {
    push_slots(after_, header_.elements, sink_);
    sink_.finish();
  }

 private:
  ScheduleHeader header_;
  SplitMap before_;
  SplitMap after_;
  ScheduleSink& sink_;
};

std::vector<Word> rows_of(const BitMatrix& matrix) {
  std::vector<Word> rows;
  for (int i = 0; i < matrix.rows(); ++i) rows.push_back(matrix.row(i));
  return rows;
}

}  // namespace

std::optional<std::string> full_rank_refusal(const Request& request) {
  if (!request.map().cut || request.map().memory_bits < processor_bits(request))
    return "there are fewer memory bits than processor bits";
  const int n = processor_bits(request);
  const int m = request.map().memory_bits;
  const int rank = request.map().map.matrix().block(m, n, 0, m).rank();
  if (rank < n) return fmt::format("its block of memory bits has rank {} of {}", rank, n);
  return all_to_all.refusal(exchange_of_all(request));
}

Estimate full_rank_estimate(const Request& request) {
  return {.cost = {all_to_all.offer(exchange_of_all(request)).estimate.cost.value, "max(n, K/2)"}};
}

void push_full_rank(const Request& request, std::string_view planner, ScheduleSink& sink) {
  const int n = processor_bits(request);
  const int m = request.map().memory_bits;
  const BitMatrix& a = request.map().map.matrix();
  const Word constant = request.map().map.complement();
  // Slot w = (q, C·s): C unit rows that complete B.
  std::vector<Word> b = rows_of(a.block(m, n, 0, m));
  std::vector<Word> rows;
  for (int i = 0; i < m; ++i) {
    std::vector<Word> with = b;
    with.push_back(bit(i));
    with.insert(with.end(), rows.begin(), rows.end());
    if (reduced_basis(with).size() == with.size()) rows.push_back(bit(i));
  }
  const int low = m - n;
  FARO_CHECK(rows.size() == static_cast<std::size_t>(low));
  rows.insert(rows.end(), b.begin(), b.end());
  const BitMatrix order = BitMatrix::from_rows(m, rows);
  const Word q_constant = (constant >> m) << low;
  const BitMatrix ap = a.block(m, n, m, n);
  std::vector<Word> flips(static_cast<std::size_t>(low), 0);
  for (const Word row : rows_of(ap)) flips.push_back(row);

  // Now at q, slot (p, r): s = order^-1·(q ^ A·p ^ c, r), and the goal's memory is D·p ^ E·s ^
  // e.
  const std::optional<BitMatrix> back = order.inverse();
  FARO_CHECK(back.has_value());
  const BitMatrix d = a.block(0, m, m, n);
  const BitMatrix memory = then(*back, a.block(0, m, 0, m));  // of (q ^ A·p ^ c, r)
  BitMatrix slots(m, m);
  for (int i = 0; i < low; ++i) slots.set_column(i, memory.column(i));
  for (int j = 0; j < n; ++j)
    slots.set_column(low + j, d.column(j) ^ memory.apply(ap.column(j) << low));
  std::vector<Word> after(static_cast<std::size_t>(m), 0);
  for (int j = 0; j < n; ++j)
    for (Word rest = memory.column(low + j); rest != 0; rest &= rest - 1)
      after[static_cast<std::size_t>(lowest_bit(rest))] |= bit(j);
  Between whole(
      cube_header(request, planner, request.elements()),
      {.processors = {}, .slots = BitMap::from_matrix(order, q_constant), .after = flips},
      {.processors = {},
       .slots = BitMap::from_matrix(slots, memory.apply(q_constant) ^ (constant & low_mask(m))),
       .after = after},
      sink);
  all_to_all.offer(exchange_of_all(request)).push(whole);
}

}  // namespace faro::inline v1
