// One port: pairs of elements share the steps.   [faro]
//   applies:  Gray <-> binary on any fields of processor bits, one port
//   cost:     sum over fields of K + (length-2)·ceil(K/2)                    (tested n <= 10)
//   bound:    n/2 steps an element is the best flow with all processors on one dimension at a time
//
// The second half B of the slots is moved to the opposite half of the field first. Then, dimension
// by dimension upward, the processors whose bits above are odd exchange a slot of A and the others
// one of B: every processor is busy in every step. The move back and the last dimension are one.
#include "planners/cube/codes/one_port_half.hpp"

#include "base/check.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

Node one_port_half_node(const CodeField& field, std::uint64_t elements) {
  const int top = field.top();
  const int next = top - 1;
  const std::uint64_t half = elements / 2 + elements % 2;  // |A|; B is slots half..elements-1
  const std::uint64_t rest = elements - half;
  const auto exchange = [](Slot slot, int dimension, std::vector<Parity> where) {
    return Rule{.where = std::move(where), .from = slot, .across = dimension, .to = slot};
  };
  const auto node = [elements](std::uint64_t steps, const auto& make) {
    return node_of(one_port_half.name(), {.slots = elements, .steps = steps, .make = make});
  };
  if (field.length == 2)
    return node(elements, [=](std::uint64_t t, CubeStep& out) {
      out.rules.push_back(exchange(static_cast<Slot>(t), field.lo, {{bit(top), 1}}));
    });
  const auto dimensions = static_cast<std::uint64_t>(field.length - 1);
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    if (t < rest) {
      out.rules.push_back(exchange(static_cast<Slot>(half + t), next, {}));
      return;
    }
    const std::uint64_t i = (t - rest) % half;
    const int d = field.lo + static_cast<int>((t - rest) / half);
    const Word above = bits_between(d + 1, top);
    out.rules.push_back(exchange(static_cast<Slot>(i), d, {{above, 1}}));
    if (half + i < elements)
      out.rules.push_back(exchange(static_cast<Slot>(half + i), d, {{above, 0}}));
  };
  return node(rest + dimensions * half, make);
}

namespace {

std::optional<std::string> refusal_one_port_half(const Request& request) {
  return conversion_refusal(request, Hypercube::Ports::one);
}

Offer offer_one_port_half(const Request& request) {
  std::vector<Node> fields;
  for (const CodeField& f : conversion_of(request).working_fields())
    fields.push_back(one_port_half_node(f, request.elements()));
  return conversion_offer(request, one_port_half.name(),
                          one_after_another(request.elements(), std::move(fields)),
                          "sum over fields of K + (length-2)ceil(K/2)");
}

}  // namespace

const PlannerEntry one_port_half({
    .name = "one-port-half",
    .machine = "cube",
    .title = "code conversion with one port, two elements sharing the steps",
    .needs = "Gray <-> binary code on fields of processor bits, one port",
    .cost = "sum over fields of K + (length-2)ceil(K/2) steps",
    .refusal = refusal_one_port_half,
    .offer = offer_one_port_half,
});

}  // namespace faro::inline v1
