// Both planners make a program of walks and services, which is written as rules like those of
// three-fifths.
#include "planners/cube/codes/services.hpp"

#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "planners/cube/codes/services_ring.hpp"
#include "planners/cube/codes/services_tables.hpp"
#include "planners/cube/codes/three_fifths.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

using three_fifths::Program;

std::optional<std::string> refusal_ring(const Request& request) {
  if (auto why = one_field_refusal(request, 4)) return why;
  const auto entries = static_cast<Count>(field_of(request).length + 8) * 4 * request.elements();
  if (entries > limits::three_fifths_entries_max)
    return fmt::format("its program of about {} entries is too large to keep", to_string(entries));
  return {};
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

std::optional<std::string> refusal_services_table(const Request& request) {
  if (auto why = one_field_refusal(request, 4)) return why;
  const CodeField field = field_of(request);
  if (!three_fifths::services_table_holds(field.length, request.elements()))
    return fmt::format("no table for {} bits and {} elements", field.length, request.elements());
  return {};
}

Offer offer_services_table(const Request& request) {
  return conversion_offer(request, services_table.name(),
                          *services_table_node(field_of(request), request.elements()),
                          "those of the table that holds as many elements");
}

}  // namespace

std::optional<Node> services_table_node(const CodeField& field, std::uint64_t elements) {
  auto found = three_fifths::services_table_program(field.length, elements);
  if (!found) return {};
  const auto program = std::make_shared<const Program>(std::move(*found));
  return Node{busy_steps(*program), std::string(services_table.name()),
              [program, field, elements] { return three_fifths_steps(*program, field, elements); }};
}

const PlannerEntry services_table({
    .name = "services-table",
    .machine = "cube",
    .title =
        "code conversion of few elements by exact tables, at the lower bound or one step above",
    .needs = "Gray <-> binary code on one field of 5..8 processor bits with a table for K, all "
             "ports",
    .cost = "steps of the table that holds K elements or more",
    .citation = "faro",
    .refusal = refusal_services_table,
    .offer = offer_services_table,
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
