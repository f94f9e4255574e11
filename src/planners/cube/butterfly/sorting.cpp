// Bitonic sort in passes of local conversion.   [faro, after Johnsson, Ho 1990: section 3.1.1]
//
//   applies:  any layout; K = 1 by replication
//   cost:     consecutive (n + 1) K/2 + n (n + 1)/2 - 1, cyclic K/2 more, K = 1 n (n + 1)/2,
//             whatever the code                                     (tested n <= 5, K <= 32)
//   bound:    max(n, K)
//
//   n 1, p 2, consecutive, binary: pass 0 is local; one exchange brings bit 1 down into memory, and
//   after its stage another one brings bit 0 down: 2 steps
//
// Pass k goes over the index bits k..0, ascending where index bit k + 1 is clear. Elements end
// where the last pass leaves them. The compiled schedule is begin, for every pass begin_pass and
// its steps, and finish.
//
// While a block fits a processor, passes are local; cyclic data becomes consecutive first, in K/2
// steps. Pass k >= m needs bits k..m-1 in memory one after the other. If bit k is in memory when
// the pass begins, one control bit is enough: bit k goes up in place of bit k-1, that one in place
// of bit k-2, and so on, n steps at most and K/2 - 1 for the pipeline. Behind them the dimension of
// bit k+1, which has been idle, takes the lowest bit up again and brings bit k+1 down for the next
// pass.
#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "planners/cube/butterfly/chains.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/planners.hpp"
#include "planners/cube/butterfly/replication.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

constexpr std::string_view name = "bitonic-sort";

bool cyclic(const ButterflyNetwork& request) {
  return request.allocation == Allocation::cyclic;
}

// The dimensions that turn cyclic into consecutive data: all whose bits are not among the top n.
int moving_dimensions(const ButterflyNetwork& request) {
  return cyclic(request) ? std::min(request.processor_bits, request.memory_bits()) : 0;
}

// The lowest dimensions change places with the top memory bits, all at once: job y of a block of
// 2^(count-1) takes the dimensions in turn, beginning with number y.
Chains consecutive_first(const ButterflyNetwork& request) {
  const int count = moving_dimensions(request);
  const int first = request.index_bits - count;
  Chains chains{.request = request, .planner = name};
  const std::vector<Form> rows = start_rows(request);
  // One element of each job crosses in every exchange: forms that hold what goes up and down alike.
  const Form lowest = sum(rows[0], bit_form(first));
  for (int j = 1; j < count; ++j) {
    const Form other = sum(rows[static_cast<std::size_t>(j)], bit_form(first + j));
    chains.job_forms.push_back(sum(lowest, other));
  }
  for (int b = request.processor_bits; b < first; ++b) chains.job_forms.push_back(bit_form(b));
  chains.inner = bit_form(first);
  const Word length = bit(count - 1);
  for (Word x = 0; x < chains.jobs(); ++x) {
    const Word y = x & (length - 1);
    for (Word t = 0; t < length; ++t) {
      const Word turn = (y + t) % length;
      // A phase of 2^(count-1) steps has room for all; count = 2^(count-1) where count is 1 or 2.
      if (turn >= static_cast<Word>(count)) continue;
      const int d = static_cast<int>(turn);
      chains.add(x - y + t, {.job = x, .dimension = d, .row = bit_form(first + d)});
    }
  }
  return chains;
}

// dimension[i] holds index bit m + i, and above it only higher bits.
std::vector<int> dimensions_by_bit(const ButterflyNetwork& request) {
  const int m = request.memory_bits();
  std::vector<int> dimension(static_cast<std::size_t>(request.processor_bits));
  for (int d = 0; d < request.processor_bits; ++d) {
    const bool moved = d < moving_dimensions(request);
    const int low = moved             ? request.index_bits - moving_dimensions(request)
                    : cyclic(request) ? 0
                                      : m;
    dimension[static_cast<std::size_t>(low + d - m)] = d;
  }
  return dimension;
}

std::vector<std::vector<int>> all_passes(int index_bits) {
  std::vector<std::vector<int>> passes(static_cast<std::size_t>(index_bits));
  for (int k = 0; k < index_bits; ++k) {
    for (int b = k; b >= 0; --b) passes[static_cast<std::size_t>(k)].push_back(b);
  }
  return passes;
}

Chains sorting_passes(const ButterflyNetwork& request) {
  const int n = request.processor_bits;
  const int m = request.memory_bits();
  const std::vector<int> dimension = dimensions_by_bit(request);
  const auto at = [&](int i) { return dimension[static_cast<std::size_t>(i)]; };
  Chains chains{.request = request, .planner = name};
  chains.inner = bit_form(m - 1);
  for (int b = 0; b < m - 1; ++b) chains.job_forms.push_back(bit_form(b));
  chains.passes = all_passes(request.index_bits);
  Word step = 0;
  const auto exchange = [&](int i, int to_bit) {
    for (Word x = 0; x < chains.jobs(); ++x) {
      chains.add(step + x, {.job = x, .dimension = at(i), .row = bit_form(to_bit)});
    }
  };
  exchange(0, m - 1);  // brings bit m down
  step += chains.jobs();
  for (int e = 1; e <= n; ++e) {
    const int k = m + e - 1;  // dimensions 0..e-1 hold bits m-1..k-1, the last one the lowest
    for (int i = 0; i < e; ++i, ++step) exchange(i, k - i);
    if (e < n) exchange(e, m - 1);
    step += chains.jobs() - (e < n ? 0 : 1);
  }
  return chains;
}

// The passes of a sort under one header.
class Passes : public CompiledSink {
 public:
  explicit Passes(CompiledSink& to) : to_(to) {}
  // What comes next is a whole schedule, this pass of the sort.
  void next_is(int number) { whole_ = number; }
  void begin(const ScheduleHeader& header) override {
    if (!begun_) {
      ScheduleHeader sort = header;
      sort.planner = name;
      std::get<ButterflyGoal>(sort.goal).computation = ButterflyGoal::Computation::sort;
      to_.begin(sort);
    }
    begun_ = true;
    if (whole_) to_.begin_pass(*whole_);
  }
  void begin_pass(int number) override { to_.begin_pass(number); }
  void step(const CompiledStep& step) override { to_.step(step); }
  void finish() override {}
  void finish_all() { to_.finish(); }

 private:
  CompiledSink& to_;
  bool begun_ = false;
  std::optional<int> whole_;
};

// One element a processor: every pass by replication, which leaves all where it is.
void push_replicated(const ButterflyNetwork& request, Passes& passes) {
  for (int k = 0; k < std::max(1, request.index_bits); ++k) {
    passes.next_is(k);
    build_stages(request, {k, 0}, passes);
  }
}

void push_chains(const ButterflyNetwork& request, Passes& passes) {
  std::vector<Chains> parts;
  if (request.processor_bits == 0) {
    parts.push_back({.request = request, .planner = name});
    parts[0].inner = bit_form(0);
    for (int b = 1; b < request.index_bits; ++b) parts[0].job_forms.push_back(bit_form(b));
    parts[0].passes = all_passes(request.index_bits);
  } else {
    if (cyclic(request)) parts.push_back(consecutive_first(request));
    parts.push_back(sorting_passes(request));
  }
  emit(parts, passes);
}

// Most significant bit first, which is the order of every pass.
ButterflyNetwork network_of(const Request& request) {
  ButterflyNetwork network = request.get_if<BitonicSort>()->network;
  network.order = ButterflyGoal::Order::most_significant_first;
  if (network.memory_bits() == 0 && coded(network))
    network.output = Output::gray;  // stays in its code
  return network;
}

Estimate estimate_sorting(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count half = request.elements() / 2;
  if (n == 0) return {{0, "0: one processor"}};
  if (half == 0) return {{n * (n + 1) / 2, "n(n + 1)/2"}};
  const Count steps = (n + 1) * half + n * (n + 1) / 2 - 1;
  if (!cyclic(request)) return {{steps, "(n + 1)K/2 + n(n + 1)/2 - 1"}};
  return {{steps + half, "(n + 2)K/2 + n(n + 1)/2 - 1"}};
}

std::optional<std::string> refusal_sorting(const Request& request) {
  if (request.get_if<BitonicSort>() == nullptr) return "it sorts; this request does not";
  return {};
}

Offer offer(const Request& request) {
  const ButterflyNetwork network = network_of(request);
  return offer_of(estimate_sorting(network), [network](CompiledSink& sink) {
    Passes passes(sink);
    (network.memory_bits() == 0 ? push_replicated : push_chains)(network, passes);
    passes.finish_all();
  });
}

}  // namespace

const PlannerEntry bitonic_sort({
    .name = name,
    .machine = "cube, sorts (faro transform sort)",
    .title = "passes of local conversion, each over one index bit more",
    .needs = "any layout; K = 1 by replication",
    .cost = "(n + 1)K/2 + n(n + 1)/2 - 1 consecutive, K/2 more cyclic, n(n + 1)/2 for K = 1",
    .citation = "Batcher 1968; faro, after Johnsson, Ho 1990",
    .refusal = refusal_sorting,
    .offer = offer,
    .computes = true,
});

}  // namespace faro::inline v1
