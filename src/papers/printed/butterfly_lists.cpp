// Plans of the paper that the list scheduler's search makes.   [Johnsson, Ho 1990]
//
//   butterfly-pairs        the remark to Theorem 1: K + 4 ceil(n/2) - 6
//   butterfly-consecutive  section 3.1.2: memory bits in turn
#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/limits.hpp"
#include "papers/printed/printed.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/gated_chains.hpp"
#include "planners/cube/butterfly/paper_count.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;
using Finish = ButterflyNetwork::Finish;
using Output = ButterflyNetwork::Output;

// All memory bits, or as many as there are dimensions, go up in turn, the highest first.
std::optional<GatedChains> consecutive_chains(const ButterflyNetwork& request) {
  if (request.allocation != Allocation::cyclic || !most_significant_first(request) ||
      request.finish == Finish::restored || whole_cyclic(request))
    return std::nullopt;
  auto chains = gated_chains(request, std::min(request.memory_bits(), request.processor_bits),
                             Coding::at_once);
  if (!chains) return std::nullopt;
  std::vector<Word> held;
  for (const Form& row : chains->final_rows()) held.push_back(row.mask);
  for (int b = request.memory_bits(); b < request.index_bits; ++b)
    if (reduce(bit(b), reduced_basis(held)) != 0) return std::nullopt;
  return chains;
}

std::optional<std::string> refusal_of_consecutive(const ButterflyNetwork& request) {
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (request.index_bits > limits::butterfly_list_log2_max)
    return fmt::format("it searches up to 2^{} elements", limits::butterfly_list_log2_max);
  if (request.memory_bits() < 1 || request.output == Output::gray_through ||
      !consecutive_chains(request))
    return "it is for cyclic data, K >= 2, the most significant bit first, and no code of the "
           "whole index";
  return std::nullopt;
}

Offer found_consecutive(const ButterflyNetwork& request) {
  // As bi-sectioning takes; a longer search seldom finds less.
  const Count enough = request.elements() / 2 + static_cast<Count>(request.processor_bits) - 1;
  return list_search(request, consecutive_output.name(), {{*consecutive_chains(request)}, enough},
                     paper_count(request));
}

Count printed_by_pairs(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  return request.elements() + 4 * ceil_div(n, 2) - 6;
}

std::optional<std::string> refusal_of_pairs(const ButterflyNetwork& request) {
  if (request.index_bits > limits::butterfly_list_log2_max)
    return fmt::format("it searches up to 2^{} elements", limits::butterfly_list_log2_max);
  if (request.output == Output::gray_through || !paired_chains(request))
    return "it is for processors in Gray code by themselves, memory stages and most significant "
           "bits first, n >= 2 and K >= 4";
  return std::nullopt;
}

// Two changes of a row, each by half of the elements.
Count least_by_pairs(const ButterflyNetwork& request) {
  return request.processor_bits > 2 ? request.elements() : request.elements() / 2;
}

Offer found_by_pairs(const ButterflyNetwork& request) {
  const Count printed = printed_by_pairs(request);
  return list_search(
      request, paired_dimensions.name(), {{*paired_chains(request)}, printed},
      PaperCount{"Johnsson, Ho 1990, remark of section 3.1.1", {printed, "K + 4 ceil(n/2) - 6"}});
}

}  // namespace

const PlannerEntry paired_dimensions({
    .name = "butterfly-pairs",
    .machine = networks,
    .title = "dimensions by pairs, the code of the upper one converted between the processors",
    .needs = "processors in Gray code, most significant bits first, K >= 4, at most 2^11 elements",
    .cost = "K + 4 ceil(n/2) - 6, or what the search finds beyond",
    .citation = "Johnsson, Ho 1990, remark of section 3.1.1",
    .refusal = refused<refusal_of_pairs>,
    .offer = found<found_by_pairs>,
    .searches = true,
    .least = found<least_by_pairs>,
    .computes = true,
});

const PlannerEntry consecutive_output({
    .name = "butterfly-consecutive",
    .machine = networks,
    .title = "memory bits in turn, so that the results lie in consecutive allocation",
    .needs = "cyclic, most significant bit first, K >= 2, at most 2^11 elements",
    .cost = "what its search finds, at least max(n, K/2)",
    .citation = "Johnsson, Ho 1990, section 3.1.2",
    .refusal = refused<refusal_of_consecutive>,
    .offer = found<found_consecutive>,
    .searches = true,
    .computes = true,
});

}  // namespace faro::inline v1
