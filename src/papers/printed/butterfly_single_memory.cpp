// A second place in memory, empty at first.   [Johnsson, Ho 1990, section 5]
//
//   applies:  one element a processor in Gray code, most significant bit first, at most 2^11
//   cost:     n + 1
//   bound:    n
#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "papers/printed/printed.hpp"
#include "planners/cube/butterfly/trajectories.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;
using Finish = ButterflyNetwork::Finish;
using Output = ButterflyNetwork::Output;

std::optional<std::string> refusal_single_memory(const ButterflyNetwork& request) {
  if (request.finish == Finish::restored) return "it leaves the dimensions in another order";
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (request.memory_bits() != 0) return "it is for one element in each processor";
  if (!coded(request)) return "binary code needs no conversion";
  if (!most_significant_first(request)) return "it takes the most significant bit first";
  if (request.output == Output::gray_through) return "it ends in binary or Gray code of the field";
  if (request.index_bits > limits::butterfly_list_log2_max)
    return fmt::format("it lists at most 2^{} elements", limits::butterfly_list_log2_max);
  return std::nullopt;
}

// The rows of the processors, and everybody's place after every step.
class Walk {
 public:
  explicit Walk(const ButterflyNetwork& request)
      : plan_{request, single_memory.name(), {}, {}}, rows_(start_rows(request)) {
    note();
  }

  Trajectories run() {
    const std::vector<Form> outputs = output_forms(plan_.request);
    const std::size_t top = rows_.size() - 1;
    split(top, {0, 0});
    for (std::size_t d = top; d-- > 0;) split(d, outputs[d + 1]);
    rows_[top] = outputs[0];
    note();
    plan_.final_rows = rows_;
    return std::move(plan_);
  }

 private:
  // Who has to crosses dimension d, so that its row becomes `row`; the others cross the next one
  // below, which changes the code there.
  void split(std::size_t d, const Form& row) {
    const Form crosses = sum(rows_[d], row);
    rows_[d] = row;
    if (d > 0) rows_[d - 1] = sum(rows_[d - 1], {crosses.mask, crosses.value ^ 1U});
    note();
  }

  void note() {
    std::vector<Word> places(bit(plan_.request.index_bits), 0);
    for (Word v = 0; v < places.size(); ++v)
      for (std::size_t j = 0; j < rows_.size(); ++j)
        if ((parity(v & rows_[j].mask) ^ rows_[j].value) != 0)
          places[v] |= bit(static_cast<int>(j));
    plan_.places.push_back(std::move(places));
  }

  Trajectories plan_;
  std::vector<Form> rows_;
};

Estimate estimate_single_memory(const ButterflyNetwork& request) {
  const Formula steps{static_cast<Count>(request.processor_bits) + 1, "n + 1"};
  return {.cost = steps, .paper = PaperCount{"Johnsson, Ho 1990, section 5", steps}};
}

void build_single_memory(const ButterflyNetwork& request, CompiledSink& sink) {
  emit(Walk(request).run(), sink);
}

}  // namespace

const PlannerEntry single_memory({
    .name = "butterfly-single-memory",
    .machine = networks,
    .title = "one element a processor through half of the cube and back, without copies",
    .needs = "K = 1 in Gray code, most significant bit first, at most 2^11 elements",
    .cost = "n + 1",
    .citation = "Johnsson, Ho 1990, section 5",
    .refusal = refused<refusal_single_memory>,
    .offer = offered<estimate_single_memory, build_single_memory>,
    .computes = true,
});

}  // namespace faro::inline v1
