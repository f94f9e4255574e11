// 2^r-sectioning.   [Johnsson, Ho 1990: section 6]
//
//   applies:  memory stages first, rho memory bits; where rho < n output in the code of the input,
//             and not the code of the whole index in cyclic allocation
//   cost:     (K/2^rho + ceil((n - rho)/r)) · max(rho, 2^(rho-1)), K/2 where rho = n >= 2; of the
//             code of the whole index with n memory bits K/2 + 1       (tested n <= 8, K <= 64)
//   bound:    max(n, K/2)
//
// Phase 0 splits over the first rho dimensions, later phases over r each. Inside a block of
// 2^(rho-1) jobs, job y takes the phase's dimensions in turn, beginning with number y mod S, so
// that no link is wanted twice; block B does phase q in steps (B + q)·S and on.
#include <fmt/format.h>

#include <algorithm>

#include "planners/cube/butterfly/chains.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/planners.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

struct Sections {
  enum class Kind { phases, whole_index };
  Kind kind = Kind::phases;
  int r = 0;
  int controls = 0;  // rho
  Count steps_phase = 0;
  Count steps = 0;
};

Sections sections(const ButterflyNetwork& request, int r, int controls) {
  Sections s{.r = r, .controls = std::min(controls, request.processor_bits)};
  s.steps_phase = std::max<Count>(static_cast<Count>(s.controls), bit(s.controls - 1));
  const Count later = static_cast<Count>(request.processor_bits - s.controls);
  const Count blocks = request.elements() >> static_cast<unsigned>(s.controls);
  s.steps = (blocks + ceil_div(later, static_cast<Count>(r))) * s.steps_phase;
  return s;
}

// The number of control bits that r dimensions a phase need. In Gray code a stage between two
// phases would wait for the next row, so one more; least significant bit first the row below has
// gone, and r are enough while n <= 2r - 1.
int controls_for(const ButterflyNetwork& request, int r) {
  if (!coded(request)) return r;
  const bool short_lsb = !most_significant_first(request) && request.processor_bits <= (2 * r) - 1;
  return short_lsb ? r : r + 1;
}

// Whether it matters which code the processors begin and end with: with memory bits for all
// dimensions every processor bit is in memory when its stage comes, and none is left to convert.
bool tied_to_code(const ButterflyNetwork& request) {
  const bool gray_wanted = request.output != Output::binary;
  return whole_cyclic(request) || (request.processor_bits > 1 && gray_wanted != coded(request));
}

// The code of the whole index with as many memory bits as dimensions: all go up, also the lowest,
// whose own stage waits until the top dimension has been crossed.
bool lowest_goes_up(const ButterflyNetwork& request) {
  return whole_cyclic(request) && request.memory_bits() == request.processor_bits;
}

std::optional<Sections> choose(const ButterflyNetwork& request) {
  const int n = request.processor_bits;
  std::optional<Sections> best;
  if (lowest_goes_up(request)) {
    const Count groups = request.elements() / 4;
    if (n < 2 || (n > 2 && groups < static_cast<Count>(n)) || request.section_bits != 0)
      return best;
    return Sections{.kind = Sections::Kind::whole_index,
                    .r = n,
                    .controls = n,
                    .steps = request.elements() / 2 + 1};
  }
  const int r_least = request.section_bits == 0 ? 1 : request.section_bits;
  const int r_most = request.section_bits == 0 ? request.processor_bits : request.section_bits;
  for (int r = r_least; r <= r_most; ++r) {
    const Sections s = sections(request, r, controls_for(request, r));
    if (s.controls > request.memory_bits() || (s.controls < n && tied_to_code(request))) continue;
    if (!best || s.steps < best->steps) best = s;
  }
  return best;
}

std::optional<std::string> refusal_sectioning(const ButterflyNetwork& request) {
  if (request.finish == Finish::restored) return "it leaves the dimensions in another order";
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (!memory_first(request)) return "the processor stages come first here";
  if (request.output == Output::gray_through) return "it ends in binary or Gray code of the field";
  if (!choose(request)) {
    if (tied_to_code(request))
      return "another code, and that of the whole index, need memory bits for all dimensions at "
             "once";
    return fmt::format("{} memory bits are too few control bits", request.memory_bits());
  }
  return std::nullopt;
}

Estimate estimate_sectioning(const ButterflyNetwork& request) {
  const Sections s = *choose(request);
  if (s.kind == Sections::Kind::whole_index) return {{s.steps, "K/2 + 1"}, std::nullopt};
  Estimate estimate{{s.steps, fmt::format("(K/2^{0} + ceil((n - {0})/{1})) * max({0}, 2^{2})",
                                          s.controls, s.r, s.controls - 1)},
                    std::nullopt};
  if (s.r <= request.processor_bits && request.processor_bits % s.r == 0) {
    const Count k = request.elements();
    const Count more = static_cast<Count>(request.processor_bits / s.r - 1);
    estimate.paper = PaperCount{"Johnsson, Ho 1990, section 6",
                                {k / 2 + more * bit(s.r - 1), "K/2 + (n/r - 1) 2^r/2"}};
  }
  return estimate;
}

// lambda_i: control i with the code of its chain of dimensions d_i, d_{i+rho}, ..
Form chain_form(const ButterflyNetwork& request, int i, int controls, const Form& control) {
  const std::vector<Form> rows = start_rows(request);
  const std::vector<int> dimensions = stage_dimensions(request);
  Form form = control;
  for (int k = i; k < request.processor_bits; k += controls) {
    const int d = dimensions[static_cast<std::size_t>(k)];
    form = sum(form, rows[static_cast<std::size_t>(d)]);
  }
  return form;
}

// Dimensions in which a job crosses: the top one takes `held`, then the lowest takes b_n, whose
// stage has been done between; the others take the other memory bits, all before or all after.
//
//   step            0   1   2   3   4   ..        jobs 2i and 2i + 1, i = 0
//   top             2i  2i+1
//   lowest              2i  2i+1
//   another, s = 2                  2i  2i+1      others at s = 3, 4, ..; group i begins 2i later,
//                                                 round the end, which is before the top one
//
// One element of each job crosses: with L_k what dimension k held ^ what it takes, the job is
// told by b_{n-1} and the L_k ^ held before the two, by b_{n-1} and the L_k ^ what the lowest
// dimension held after them. The elements of jobs 2i and 2i + 1 are the same in both.
void build_whole_index(const ButterflyNetwork& request, CompiledSink& sink) {
  const int n = request.processor_bits;
  const int top = n - 1;
  const std::vector<Form> start = start_rows(request);
  std::vector<int> memory = memory_index_bits(request);
  const Form lowest = bit_form(memory.front());
  const Form held = bit_form(memory.back());
  Chains chains = network_chains(request, sectioning.name());
  chains.inner = held;
  std::vector<Form> taken(start.size());
  std::vector<Form> ties;
  for (int d = 1; d < top; ++d) {
    const auto at = static_cast<std::size_t>(d);
    taken[at] = bit_form(memory[at]);
    ties.push_back(sum(start[at], taken[at]));
  }
  if (!ties.empty()) {
    chains.job_forms.push_back(sum(ties[0], held));
    for (std::size_t k = 1; k < ties.size(); ++k) chains.job_forms.push_back(sum(ties[0], ties[k]));
  }
  chains.job_forms.push_back(bit_form(base_of(request) + top));
  chains.regrouped_forms = chains.job_forms;
  if (!ties.empty()) chains.regrouped_forms[0] = sum(ties[0], start[0]);

  const Word groups = chains.jobs() / 2;
  for (Word i = 0; i < groups; ++i) {
    if (!ties.empty()) chains.add(2 * i + 3, {.kind = Event::Kind::regroup, .job = 2 * i});
    for (Word e = 0; e < 2; ++e) {
      const Word x = 2 * i + e;
      chains.add(x, {.job = x, .dimension = top, .row = held});
      chains.add(x + 1, {.job = x, .dimension = 0, .row = lowest});
      for (int d = 1; d < top; ++d) {
        const Word turn = (i + 1 + static_cast<Word>(d)) % groups;
        chains.add(2 * turn + e,
                   {.job = x, .dimension = d, .row = taken[static_cast<std::size_t>(d)]});
      }
    }
  }
  emit(chains, sink);
}

void build_sectioning(const ButterflyNetwork& request, CompiledSink& sink) {
  const Sections s = *choose(request);
  if (s.kind == Sections::Kind::whole_index) return build_whole_index(request, sink);
  const int n = request.processor_bits;
  const std::vector<int> dimensions = stage_dimensions(request);
  const std::vector<Form> start = start_rows(request);
  std::vector<int> memory = memory_index_bits(request);
  std::vector<Form> rows;  // by stage: the controls, then the raw code in stage order
  for (int i = 0; i < s.controls; ++i) {
    rows.push_back(bit_form(memory.back()));
    memory.pop_back();
  }
  for (int k = s.controls; k < n; ++k) {
    const int d = dimensions[static_cast<std::size_t>(k - s.controls)];
    rows.push_back(start[static_cast<std::size_t>(d)]);
  }
  Chains chains = network_chains(request, sectioning.name());
  chains.inner = rows[0];
  const Form first = chain_form(request, 0, s.controls, rows[0]);
  for (int i = 1; i < s.controls; ++i) {
    chains.job_forms.push_back(
        sum(first, chain_form(request, i, s.controls, rows[static_cast<std::size_t>(i)])));
  }
  for (const int b : memory) chains.job_forms.push_back(bit_form(b));

  const Word length = static_cast<Word>(s.steps_phase);
  for (Word x = 0; x < chains.jobs(); ++x) {
    const Word block = x >> (s.controls - 1);
    const Word y = x & low_mask(s.controls - 1);
    Word phase = 0;
    for (int from = 0; from < n; ++phase) {
      const int count = std::min(phase == 0 ? s.controls : s.r, n - from);
      for (Word t = 0; t < length; ++t) {
        const Word turn = (y + t) % length;
        if (turn >= static_cast<Word>(count)) continue;
        const auto k = static_cast<std::size_t>(from) + turn;
        chains.add(((block + phase) * length) + t,
                   {.job = x, .dimension = dimensions[k], .row = rows[k]});
      }
      from += count;
    }
  }
  emit(chains, sink);
}

}  // namespace

const PlannerEntry sectioning({
    .name = "butterfly-sectioning",
    .machine = networks,
    .title = "2^r-sectioning: blocks split over r dimensions at once",
    .needs = "memory stages first, rho memory bits; where rho < n output in the code of the input, "
             "and not cyclic gray; not restored",
    .cost = "(K/2^rho + ceil((n - rho)/r)) max(rho, 2^(rho-1)), rho = min(r [+1 in Gray code], n); "
            "cyclic gray with n memory bits K/2 + 1",
    .citation = "Johnsson, Ho 1990, section 6",
    .refusal = refused<refusal_sectioning>,
    .offer = offered<estimate_sectioning, build_sectioning>,
    .computes = true,
});

}  // namespace faro::inline v1
