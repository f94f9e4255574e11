// Local code conversion.   [Johnsson, Ho 1990: sections 3.1.1, 3.2, 4; Theorems 1, 3, 4]
//
//   applies:  K >= 2 in binary code or least significant bit first, K >= 4 in Gray code most
//             significant bit first; binary or Gray output most significant bit first, binary
//             output least significant bit first
//   cost:     memory first K/2 + n - 1; processor first K/2 + max(n, K/2), most significant Gray
//             bit first K/2 + max(n + 1, K/2), n = 2: K             (tested n <= 8, K <= 32)
//   bound:    max(n, K/2) memory first, max(n, K) processor first
//
// The rows of the processors become memory bits first (one or two controls), then the finished
// index bits in stage order: every exchange brings one index bit down into memory, where its stage
// is done and its code is changed, and takes a finished one up. The least significant bit first
// needs no conversion at all: row j-1 of the Gray code is already replaced when bit j comes.
#include <fmt/format.h>

#include <algorithm>

#include "planners/cube/butterfly/chains.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/paper_count.hpp"
#include "planners/cube/butterfly/planners.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

// The memory bits that go up first, and the job forms.
struct Controls {
  Form first;   // c_a
  Form second;  // c_b, with two controls
  std::vector<int> others;
};

Controls controls_of(const ButterflyNetwork& request) {
  std::vector<int> bits = memory_index_bits(request);
  Controls controls;
  controls.first = bit_form(bits.back());
  bits.pop_back();
  if (!one_control(request)) {
    // In the code of the whole index the top processor row holds b_n; it must be the second
    // control.
    const auto second = whole_cyclic(request) ? bits.begin() : std::prev(bits.end());
    controls.second = bit_form(*second);
    bits.erase(second);
  }
  controls.others = bits;
  return controls;
}

// Output forms in stage order.
std::vector<Form> forms_by_stage(const ButterflyNetwork& request) {
  const std::vector<Form> by_bit = output_forms(request);
  std::vector<Form> forms;
  for (const int d : stage_dimensions(request))
    forms.push_back(by_bit[static_cast<std::size_t>(d)]);
  return forms;
}

enum class First { memory, processor };

std::optional<std::string> refusal_common(const ButterflyNetwork& request, First first) {
  if (request.finish == Finish::restored) return "it leaves the dimensions in another order";
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (memory_first(request) != (first == First::memory)) {
    return first == First::memory ? "the processor stages come first here"
                                  : "the memory stages come first here";
  }
  const int needed = one_control(request) ? 1 : 2;
  if (request.memory_bits() < needed) {
    return fmt::format("it needs {} elements in a processor", bit(needed));
  }
  if (!most_significant_first(request) && request.output != Output::binary &&
      request.processor_bits > 1) {
    return "least significant bit first it ends in binary code";
  }
  return std::nullopt;
}

// The rows that the dimensions take in stage order, first pass.
std::vector<Form> first_rows(const ButterflyNetwork& request, const Controls& controls) {
  std::vector<Form> forms = forms_by_stage(request);
  std::vector<Form> rows{controls.first};
  if (!one_control(request)) rows.push_back(controls.second);
  if (request.output == Output::gray_through) {
    if (rows.size() == 2) rows[1] = sum(rows[1], controls.first);
    forms[0] = sum(forms[0], rows.size() == 2 ? controls.second : controls.first);
  }
  rows.insert(rows.end(), forms.begin(), forms.end());
  rows.resize(static_cast<std::size_t>(request.processor_bits));
  return rows;
}

std::vector<Form> spectators(const Controls& controls) {
  std::vector<Form> forms;
  for (const int b : controls.others) forms.push_back(bit_form(b));
  return forms;
}

Word half(const ButterflyNetwork& request) {
  return bit(request.memory_bits() - 1);
}

// ---- memory first ----

std::optional<std::string> refusal_memory(const ButterflyNetwork& request) {
  return refusal_common(request, First::memory);
}

Estimate estimate_memory(const ButterflyNetwork& request) {
  const Count n = static_cast<Count>(request.processor_bits);
  const Count k = request.elements();
  return {{k / 2 + n - 1, "K/2 + n - 1"}, paper_count(request)};
}

void build_memory(const ButterflyNetwork& request, CompiledSink& sink) {
  const Controls controls = controls_of(request);
  const std::vector<int> dimensions = stage_dimensions(request);
  const std::vector<Form> rows = first_rows(request, controls);
  Chains chains = network_chains(request, local_memory_first.name());
  chains.inner = controls.first;
  chains.job_forms = spectators(controls);
  if (!one_control(request)) {
    // One element of each job crosses in every exchange: the code's bit 0 tells the two apart.
    Form low = bit_form(0);
    if (!whole_cyclic(request)) low = sum(low, controls.second);
    chains.job_forms.insert(chains.job_forms.begin(), low);
  }
  for (Word x = 0; x < chains.jobs(); ++x) {
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      chains.add(x + k, {.job = x, .dimension = dimensions[k], .row = rows[k]});
    }
  }
  emit(chains, sink);
}

// ---- processor first ----

std::optional<std::string> refusal_processor(const ButterflyNetwork& request) {
  if (request.output == Output::gray_through) {
    return "a Gray code through memory bits whose stages are still to come would keep them from it";
  }
  return refusal_common(request, First::processor);
}

// When the second pass begins.
Word second_pass(const ButterflyNetwork& request) {
  const Word n = static_cast<Word>(request.processor_bits);
  if (one_control(request)) return std::max(n, half(request));
  return n == 2 ? half(request) : std::max(n + 1, half(request));
}

Estimate estimate_processor(const ButterflyNetwork& request) {
  Estimate estimate{{half(request) + second_pass(request), ""}, paper_count(request)};
  if (one_control(request)) {
    estimate.cost.text = "K/2 + max(n, K/2)";
  } else {
    estimate.cost.text = request.processor_bits == 2 ? "K" : "K/2 + max(n + 1, K/2)";
  }
  return estimate;
}

void build_one_control(const ButterflyNetwork& request, Chains& chains) {
  const Controls controls = controls_of(request);
  const std::vector<int> dimensions = stage_dimensions(request);
  const std::vector<Form> rows = first_rows(request, controls);
  chains.job_forms = spectators(controls);
  for (Word x = 0; x < chains.jobs(); ++x) {
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      chains.add(x + k, {.job = x, .dimension = dimensions[k], .row = rows[k]});
    }
    chains.add(x + second_pass(request),
               {.job = x, .dimension = dimensions[0], .row = forms_by_stage(request).back()});
  }
}

// Jobs in groups of two take the first two dimensions crosswise, in both passes: the partner of the
// last processor stage is in the neighbouring job and must keep pace.
void build_two_controls(const ButterflyNetwork& request, Chains& chains) {
  const Controls controls = controls_of(request);
  const std::vector<int> dimensions = stage_dimensions(request);
  const std::vector<Form> rows = first_rows(request, controls);
  const std::vector<Form> forms = forms_by_stage(request);
  const std::size_t n = dimensions.size();
  const int base = base_of(request);
  const Form low = sum(sum(controls.first, controls.second), bit_form(base));
  chains.job_forms = spectators(controls);
  chains.regrouped_forms = chains.job_forms;
  chains.job_forms.insert(chains.job_forms.begin(), low);
  const bool regroup = request.output == Output::binary;
  if (regroup) {
    chains.regrouped_forms.insert(chains.regrouped_forms.begin(), sum(low, bit_form(base + 1)));
  }
  const Word later = second_pass(request);
  for (Word x = 0; x < chains.jobs(); ++x) {
    const Word even = x & ~Word{1};
    const std::size_t e = x & 1U;
    chains.add(even, {.job = x, .dimension = dimensions[e], .row = rows[e]});
    chains.add(even + 1, {.job = x, .dimension = dimensions[1 - e], .row = rows[1 - e]});
    for (std::size_t k = 2; k < n; ++k) {
      chains.add(x + k, {.job = x, .dimension = dimensions[k], .row = rows[k]});
    }
    if (regroup && e == 0) chains.add(later + even, {.kind = Event::Kind::regroup, .job = x});
    const Form last[2] = {forms[n - 2], forms[n - 1]};
    chains.add(later + even, {.job = x, .dimension = dimensions[e], .row = last[e]});
    chains.add(later + even + 1, {.job = x, .dimension = dimensions[1 - e], .row = last[1 - e]});
  }
}

void build_processor(const ButterflyNetwork& request, CompiledSink& sink) {
  Chains chains = network_chains(request, local_processor_first.name());
  chains.inner = controls_of(request).first;
  if (one_control(request)) {
    build_one_control(request, chains);
  } else {
    build_two_controls(request, chains);
  }
  emit(chains, sink);
}

}  // namespace

const PlannerEntry local_memory_first({
    .name = "butterfly-local",
    .machine = networks,
    .title = "bi-sectioning with local code conversion, memory stages first",
    .needs = "K >= 2, in Gray code most significant bit first K >= 4; not restored",
    .cost = "K/2 + n - 1",
    .citation = "Johnsson, Ho 1990, Theorems 1 and 4",
    .refusal = refused<refusal_memory>,
    .offer = offered<estimate_memory, build_memory>,
    .computes = true,
});

const PlannerEntry local_processor_first({
    .name = "butterfly-local-twice",
    .machine = networks,
    .title = "bi-sectioning with local code conversion, processor stages first",
    .needs = "K >= 2, in Gray code most significant bit first K >= 4; not restored",
    .cost = "K/2 + max(n, K/2), in Gray code most significant bit first K/2 + max(n + 1, K/2)",
    .citation = "Johnsson, Ho 1990, Theorem 3",
    .refusal = refused<refusal_processor>,
    .offer = offered<estimate_processor, build_processor>,
    .computes = true,
});

}  // namespace faro::inline v1
