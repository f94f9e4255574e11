// The three-fifths algorithm.   [faro]
//   applies:  Gray <-> binary on one field of n >= 3 processor bits, all ports
//   cost:     n-3 + g(K), g(K+5) = g(K)+3, at most ceil((3K+1)/5) + n-1
//   bound:    ceil((3K+1)/5)
//
// Slots: S - K is the largest occupancy of a node above K, the same for every policy that opens a
// new slot only when none is free; at most min(n/3, K/5) + 2 for the closed form, n <= 60, K <=
// 100.
#include "planners/cube/codes/three_fifths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/codes/field_tokens.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
using three_fifths::Entry;
using three_fifths::Program;

StepSource three_fifths_steps(const Program& program, const CodeField& field,
                              std::uint64_t elements) {
  FieldTokens tokens(field, program.source_bits, elements);
  std::vector<CubeStep> steps(program.steps + 1);
  auto entry = program.entries.begin();
  for (std::uint64_t t = 0; t < program.steps; ++t) {
    const auto end =
        std::find_if(entry, program.entries.end(), [t](const Entry& e) { return e.step != t; });
    const auto count = static_cast<std::size_t>(end - entry);
    tokens.step({program.entries.data() + (entry - program.entries.begin()), count}, steps[t]);
    entry = end;
  }
  FARO_CHECK(entry == program.entries.end());
  tokens.settle(0, elements, steps.back());
  return kept_steps(tokens.slots(), std::move(steps));
}

Node closed_form_node(const CodeField& field, std::uint64_t elements) {
  return {three_fifths::closed_form_cost(field.length, elements),
          std::string(three_fifths_closed_form.name()), [field, elements] {
            return three_fifths_steps(three_fifths::closed_form_program(field.length, elements),
                                      field, elements);
          }};
}

std::optional<std::string> three_fifths_refusal(const CodeField& field, std::uint64_t elements) {
  const auto entries = static_cast<Count>(field.length + 8) * 4 * elements;
  if (entries > limits::three_fifths_entries_max)
    return fmt::format("its program of about {} entries is too large to keep", to_string(entries));
  return {};
}

namespace {

std::optional<std::string> refusal_closed(const Request& request) {
  if (auto why = one_field_refusal(request, 3)) return why;
  return three_fifths_refusal(field_of(request), request.elements());
}

Offer offer_closed(const Request& request) {
  return conversion_offer(request, three_fifths_closed_form.name(),
                          closed_form_node(field_of(request), request.elements()),
                          "n-3 + g(K), g(K+5) = g(K)+3");
}

}  // namespace

const PlannerEntry three_fifths_closed_form({
    .name = "three-fifths",
    .machine = "cube",
    .title = "code conversion at the best rate, five elements in three steps",
    .needs = "Gray <-> binary code on one field of three processor bits or more, all ports",
    .cost = "n-3 + g(K) steps, g(K+5) = g(K)+3, about 3K/5 + n-2",
    .citation = "faro",
    .refusal = refusal_closed,
    .offer = offer_closed,
});

}  // namespace faro::inline v1
