// Inter-processor code conversion.   [Johnsson, Ho 1990: sections 3.1.2, 3.2, 4; Theorems 2, 3, 4]
//
//   applies:  Gray code, most significant bit first, K >= 2
//   cost:     K + n - 2 cyclic, K + n - 1 consecutive or whole code  (tested n <= 8, K <= 32)
//   bound:    max(n, K/2) cyclic, max(n, K) consecutive
//
// One control bit c. With new rows c at the top and the output form of bit j+1 below it for row j,
// e_j = Q_j ^ new_j says who crosses dimension j; everybody else crosses j-1, which leaves
// Q_{j-1} = P_{j-1} ^ e_j ^ 1 there. Two elements of a pair share the two dimensions, pairs follow
// each other every second step.
#include <fmt/format.h>

#include <algorithm>

#include "planners/cube/butterfly/chains.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/planners.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

bool consecutive(const ButterflyNetwork& request) {
  return request.allocation == Allocation::consecutive;
}

std::optional<std::string> refusal_inter_processor(const ButterflyNetwork& request) {
  if (request.finish == Finish::restored) return "it leaves the dimensions in another order";
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (!coded(request)) return "binary code needs no conversion";
  if (!most_significant_first(request)) return "least significant bit first needs no conversion";
  if (request.memory_bits() < 1) return "it needs two elements in a processor";
  if (consecutive(request) && request.output == Output::gray_through) {
    return "a Gray code through memory bits whose stages are still to come would keep them from it";
  }
  return std::nullopt;
}

Estimate estimate_inter_processor(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count k = request.elements();
  Estimate estimate;
  if (consecutive(request)) {
    estimate.cost = n == 1 ? Formula{k, "K"} : Formula{k + n - 1, "K + n - 1"};
    estimate.paper =
        PaperCount{"Johnsson, Ho 1990, Theorem 3", {k / 2 + std::max(n, k), "K/2 + max(n, K)"}};
  } else if (whole_cyclic(request)) {
    estimate.cost = {k + n - 1, "K + n - 1"};
    estimate.paper = PaperCount{"Johnsson, Ho 1990, Theorem 4", {k + n - 1, "K + n - 1"}};
  } else {
    estimate.cost = n == 1 ? Formula{k / 2, "K/2"} : Formula{k + n - 2, "K + n - 2"};
    estimate.paper = PaperCount{"Johnsson, Ho 1990, Theorem 2", {k + n - 2, "K + n - 2"}};
  }
  return estimate;
}

void build_inter_processor(const ButterflyNetwork& request, CompiledSink& sink) {
  const int n = request.processor_bits;
  const bool whole = whole_cyclic(request);
  std::vector<int> memory = memory_index_bits(request);
  // In the code of the whole index the top processor row holds b_n: it must be the control.
  const int control_bit = whole ? memory.front() : memory.back();
  const Form control = bit_form(control_bit);
  Chains chains = network_chains(request, inter_processor_conversion.name());
  chains.inner = control;
  for (const int b : memory) {
    if (b != control_bit) chains.job_forms.push_back(bit_form(b));
  }
  std::vector<Form> forms = output_forms(request);
  if (request.output == Output::gray_through) forms.back() = sum(forms.back(), control);
  std::vector<Form> next(forms.begin() + 1, forms.end());  // new row of dimension j: of bit j+1
  next.push_back(control);

  for (Word x = 0; x < chains.jobs(); ++x) {
    std::vector<Form> rows = start_rows(request);
    Word step = n == 1 && !whole && !consecutive(request) ? x : 2 * x;
    if (whole) {
      rows.back() = bit_form(n - 1);
      chains.add(step++, {.job = x, .dimension = n - 1, .row = rows.back()});
    }
    for (int d = n - 1; d > 0; --d) {
      const auto at = static_cast<std::size_t>(d);
      const Form e = sum(rows[at], next[at]);
      chains.add(step++, {.kind = Event::Kind::cross, .job = x, .dimension = d, .row = e});
      rows[at - 1] = sum(rows[at - 1], {e.mask, e.value ^ 1U});
    }
    chains.add(step++, {.job = x, .dimension = 0, .row = next[0]});
    if (consecutive(request)) {
      // The control goes back down. With an even number of dimensions its link is taken at once by
      // the pair behind.
      const bool taken = n % 2 == 0 && request.memory_bits() > 1;
      chains.add(taken ? step + 1 : step, {.job = x, .dimension = n - 1, .row = forms[0]});
    }
  }
  emit(chains, sink);
}

}  // namespace

const PlannerEntry inter_processor_conversion({
    .name = "butterfly-inter",
    .machine = networks,
    .title = "bi-sectioning with code conversion between the processors",
    .needs = "Gray code, most significant bit first, K >= 2; not restored",
    .cost = "K + n - 2 cyclic, K + n - 1 consecutive or with the whole index coded",
    .citation = "Johnsson, Ho 1990, Theorems 2 to 4",
    .refusal = refused<refusal_inter_processor>,
    .offer = offered<estimate_inter_processor, build_inter_processor>,
    .computes = true,
});

}  // namespace faro::inline v1
