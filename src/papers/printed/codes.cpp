// Exchanges in a pipeline, what the paper compares its algorithms with.   [Johnsson, Ho 1991
// (codes), section 6]
//   applies:  Gray <-> binary on any fields of processor bits; all ports
//   cost:     K + n - d - 1, d fields: each element one step behind the one before, in place; the
//             shortest paths take max(K, n - d)
#include "papers/printed/printed.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"

namespace faro::inline v1 {
namespace {

StepSource pipelined(const Request& request) {
  const std::vector<CodeField> fields = conversion_of(request).working_fields();
  const std::vector<Exchange> exchanges = exchanges_of(fields, descending_order(request));
  const std::uint64_t elements = request.elements();
  const auto make = [exchanges, elements](std::uint64_t t, CubeStep& out) {
    for (std::uint64_t k = 0; k < exchanges.size() && k <= t; ++k)
      if (t - k < elements) out.rules.push_back(exchanges[k].of(static_cast<Slot>(t - k)));
  };
  const std::uint64_t steps = exchanges.empty() ? 0 : elements + exchanges.size() - 1;
  return {.slots = elements, .steps = steps, .make = make};
}

}  // namespace

const PlannerEntry exchange_pipeline({
    .name = "exchange-pipeline",
    .machine = "cube",
    .title = "code conversion by exchanges in a pipeline, the algorithm that others are held to",
    .needs = "Gray <-> binary code on fields of processor bits, all ports",
    .cost = "K+n-d-1 steps, d fields",
    .citation = "Johnsson, Ho 1991 (codes), section 6",
    .refusal =
        [](const Request& request) { return conversion_refusal(request, Hypercube::Ports::all); },
    .offer =
        [](const Request& request) {
          return conversion_offer(request, exchange_pipeline.name(),
                                  node_of(exchange_pipeline.name(), pipelined(request)), "K+n-d-1");
        },
});

}  // namespace faro::inline v1
