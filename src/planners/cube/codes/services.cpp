// Both planners make a program of walks and services, which is written as rules like those of
// three-fifths.
#include "planners/cube/codes/services.hpp"

#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "planners/cube/codes/conversion_tables.hpp"
#include "planners/cube/codes/services_ring.hpp"
#include "planners/cube/codes/three_fifths.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

using three_fifths::Program;

std::optional<std::string> refusal_ring(const Request& request) {
  if (auto why = one_field_refusal(request, 4)) return why;
  return three_fifths_refusal(field_of(request), request.elements());
}

Offer offer_ring(const Request& request) {
  const auto program = std::make_shared<const Program>(
      three_fifths::ring_program(field_of(request).length, request.elements()));
  const CodeField field = field_of(request);
  const auto steps = [program, field, k = request.elements()] {
    return three_fifths_steps(*program, field, k);
  };
  return conversion_offer(request, services_ring.name(),
                          {busy_steps(*program), std::string(services_ring.name()), steps},
                          "at most max(n-1, (3K+1)/5, (K+n-1)/2) + 2, list scheduling");
}

std::optional<std::string> refusal_table(const Request& request) {
  if (auto why = one_field_refusal(request, 3)) return why;
  const CodeField field = field_of(request);
  if (!three_fifths::table_cost(field.length, request.elements()))
    return fmt::format("no table for {} bits and {} elements", field.length, request.elements());
  return three_fifths_refusal(field, request.elements());
}

Offer offer_table(const Request& request) {
  return conversion_offer(request, conversion_table.name(),
                          *conversion_table_node(field_of(request), request.elements()),
                          "those of the table that holds as many elements");
}

}  // namespace

std::optional<Node> conversion_table_node(const CodeField& field, std::uint64_t elements) {
  const auto steps = three_fifths::table_cost(field.length, elements);
  if (!steps) return {};
  return Node{*steps, std::string(conversion_table.name()), [field, elements] {
                return three_fifths_steps(three_fifths::table_program(field.length, elements),
                                          field, elements);
              }};
}

const PlannerEntry conversion_table({
    .name = "conversion-table",
    .machine = "cube",
    .title = "code conversion by exact tables, at the lower bound or one step above",
    .needs = "Gray <-> binary code on one field of 3..10 processor bits with a table for K, all "
             "ports",
    .cost = "ceil((3K+1)/5) steps from K = 5n-2 on; for fewer those of the table that holds K",
    .citation = "faro",
    .refusal = refusal_table,
    .offer = offer_table,
});

const PlannerEntry services_ring({
    .name = "services-ring",
    .machine = "cube",
    .title = "code conversion at the best rate, services on diagonals that close to a ring",
    .needs = "Gray <-> binary code on one field of four processor bits or more, all ports",
    .cost = "at most max(n-1, ceil((3K+1)/5), floor((K+n-1)/2)) + 2 steps",
    .citation = "faro",
    .refusal = refusal_ring,
    .offer = offer_ring,
    .searches = true,
});

}  // namespace faro::inline v1
