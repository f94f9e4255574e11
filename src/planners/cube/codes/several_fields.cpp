// Several fields.   [Johnsson, Ho 1991 (codes), section 5.2]
//   applies:  Gray <-> binary on two fields or more of two processor bits and more, all ports
//   cost:     sum over phases of the slowest part
//   bound:    the largest of the fields' own                   (tested to 6 bits, and 60 by proof)
//
// Links of different fields are different dimensions, and a field's conditions use its own bits
// only, so parts never meet.
#include "planners/cube/codes/several_fields.hpp"

#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/services.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

// The cheapest for one field, the simple ones first.
Node field_node(const CodeField& field, std::uint64_t elements) {
  std::vector<Node> ways{minimum_path_node({field}, elements)};
  if (field.length == 2) ways.push_back(two_bits_node(field, elements));
  ways.push_back(non_minimum_path_node(field, elements));
  if (field.length >= 3)
    if (auto services = services_node(field, elements)) ways.push_back(std::move(*services));
  return cheapest(std::move(ways));
}

std::optional<std::string> refusal_several_fields(const Request& request) {
  if (auto why = conversion_refusal(request, Hypercube::Ports::all)) return why;
  const auto fields = conversion_of(request).working_fields();
  if (fields.size() < 2) return "it converts two fields or more at once";
  return {};
}

Offer offer_phases(const Request& request) {
  const auto fields = conversion_of(request).working_fields();
  const Work work = [&](std::size_t f, std::uint64_t elements) {
    return field_node(fields[f], elements);
  };
  return conversion_offer(request, fields_by_phases.name(),
                          phases(request.elements(), fields.size(), work),
                          "sum over phases of the slowest part's steps");
}

}  // namespace

const PlannerEntry fields_by_phases({
    .name = "fields-by-phases",
    .machine = "cube",
    .title = "code conversion of several fields, each part of the elements on another field",
    .needs = "Gray <-> binary code on two fields or more of processor bits, all ports",
    .cost = "sum over phases of the slowest part's steps",
    .citation = "Johnsson, Ho 1991 (codes), section 5.2, with the best plan for each field",
    .refusal = refusal_several_fields,
    .offer = offer_phases,
});

}  // namespace faro::inline v1
