// Both planners make a program of walks and services, which is written as rules.
#include "planners/cube/codes/services.hpp"

#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "planners/cube/codes/conversion_tables.hpp"
#include "planners/cube/codes/field_tokens.hpp"
#include "planners/cube/codes/services_ring.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

using three_fifths::Program;

std::optional<std::string> refusal_ring(const Request& request) {
  if (auto why = one_field_refusal(request, 4)) return why;
  return three_fifths_refusal(field_of(request), request.elements());
}

Node ring_node(const CodeField& field, std::uint64_t elements) {
  const auto program =
      std::make_shared<const Program>(three_fifths::ring_program(field.length, elements));
  return {busy_steps(*program), std::string(services_ring.name()),
          [program, field, elements] { return three_fifths_steps(*program, field, elements); }};
}

Offer offer_ring(const Request& request) {
  return conversion_offer(request, services_ring.name(),
                          ring_node(field_of(request), request.elements()),
                          "at most max(n-1, (3K+1)/5, (K+n-1)/2) + 2, list scheduling");
}

std::optional<std::string> refusal_table(const Request& request) {
  if (auto why = one_field_refusal(request, 3)) return why;
  const CodeField field = field_of(request);
  if (!three_fifths::table_cost(field.length, request.elements()))
    return fmt::format("no table for {} bits and {} elements", field.length, request.elements());
  return three_fifths_refusal(field, request.elements());
}

std::optional<Node> table_node(const CodeField& field, std::uint64_t elements) {
  const auto steps = three_fifths::table_cost(field.length, elements);
  if (!steps) return {};
  return Node{*steps, std::string(conversion_table.name()), [field, elements] {
                return three_fifths_steps(three_fifths::table_program(field.length, elements),
                                          field, elements);
              }};
}

Offer offer_table(const Request& request) {
  return conversion_offer(request, conversion_table.name(),
                          *table_node(field_of(request), request.elements()),
                          "those of the table that holds as many elements");
}

// Elements times bits for which a ring is found in some tenths of a second.
constexpr std::uint64_t ring_work_max = 1U << 15U;

}  // namespace

std::optional<Node> services_node(const CodeField& field, std::uint64_t elements) {
  if (three_fifths_refusal(field, elements)) return {};
  if (auto table = table_node(field, elements)) return table;
  if (field.length < 4 || elements * static_cast<std::uint64_t>(field.length) > ring_work_max)
    return {};
  return ring_node(field, elements);
}

const PlannerEntry conversion_table({
    .name = "conversion-table",
    .machine = "cube",
    .title = "code conversion by exact tables, at the lower bound or one step above",
    .needs = "Gray <-> binary code on one field of 3..10 processor bits with a table for K, all "
             "ports",
    .cost = "ceil((3K+1)/5) steps from K = 5n-2 on; for fewer those of the table that holds K",
    .refusal = refusal_table,
    .offer = offer_table,
});

const PlannerEntry services_ring({
    .name = "services-ring",
    .machine = "cube",
    .title = "code conversion at the best rate, services on diagonals that close to a ring",
    .needs = "Gray <-> binary code on one field of four processor bits or more, all ports",
    .cost = "at most max(n-1, ceil((3K+1)/5), floor((K+n-1)/2)) + 2 steps",
    .refusal = refusal_ring,
    .offer = offer_ring,
    .searches = true,
    .of_conversions = true,
});

}  // namespace faro::inline v1
