// Exchange sequences.   [Johnsson, Ho 1991 (codes): Lemma 2, Theorem 1, figures 2 and 3]
//   applies:  Gray <-> binary on any fields of processor bits; one port
//   cost:     (n-d)K steps, d fields                                        (tested n <= 10)
//   bound:    the best flow with one port, machines/bounds
#include "planners/cube/codes/exchange_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

Word exchange_mask(const CodeField& field, int dimension, Word done) {
  const Word above = done & bits_between(dimension + 1, field.top());
  const int x = above == 0 ? field.top() : lowest_bit(above);
  return bits_between(dimension + 1, x);
}

std::vector<int> descending_order(const CodeField& field) {
  std::vector<int> order;
  for (int d = field.top() - 1; d >= field.lo; --d) order.push_back(d);
  return order;
}

std::vector<int> ascending_order(const CodeField& field) {
  std::vector<int> order = descending_order(field);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<int> cyclic_order(const CodeField& field, int first) {
  std::vector<int> order = descending_order(field);
  const auto place = std::find(order.begin(), order.end(), first);
  FARO_CHECK(place != order.end());
  std::rotate(order.begin(), place, order.end());
  return order;
}

std::vector<Exchange> exchanges_of(std::span<const CodeField> fields, std::span<const int> order) {
  std::vector<Exchange> exchanges;
  Word done = 0;
  for (const int d : order) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [d](const CodeField& f) { return f.lo <= d && d < f.top(); });
    FARO_CHECK(field != fields.end() && !has_bit(done, d));
    exchanges.push_back({d, exchange_mask(*field, d, done)});
    done |= bit(d);
  }
  return exchanges;
}

StepSource exchange_steps(std::span<const CodeField> fields, std::span<const int> order,
                          std::uint64_t elements) {
  const std::vector<Exchange> exchanges = exchanges_of(fields, order);
  const auto make = [exchanges, elements](std::uint64_t t, CubeStep& out) {
    out.rules.push_back(exchanges[t / elements].of(static_cast<Slot>(t % elements)));
  };
  return {.slots = elements, .steps = exchanges.size() * elements, .make = make};
}

std::vector<int> descending_order(const Request& request) {
  std::vector<int> order;
  for (const CodeField& f : conversion_of(request).working_fields())
    for (const int d : descending_order(f)) order.push_back(d);
  return order;
}

namespace {

std::optional<std::string> refusal_exchange_sequence(const Request& request) {
  return conversion_refusal(request, Hypercube::Ports::one);
}

Offer offer_in(const std::vector<int>& order, const Request& request, std::string_view name) {
  const std::vector<CodeField> fields = conversion_of(request).working_fields();
  const Node node = node_of(name, exchange_steps(fields, order, request.elements()));
  return conversion_offer(request, name, node, "(n-d)K");
}

Offer offer_exchange_sequence(const Request& request) {
  return offer_in(descending_order(request), request, exchange_sequence.name());
}

}  // namespace

const PlannerEntry exchange_sequence({
    .name = "exchange-sequence",
    .machine = "cube",
    .title = "code conversion by exchanges, dimension after dimension",
    .needs = "Gray <-> binary code on fields of processor bits, one port",
    .cost = "(n-d)K steps, d fields",
    .citation = "Johnsson, Ho 1991 (codes), Lemma 2 and Theorem 1",
    .refusal = refusal_exchange_sequence,
    .offer = offer_exchange_sequence,
});

const About& ExchangeInOrder::about() const {
  static constexpr About about{.name = "exchange-order",
                               .machine = "cube",
                               .title = "code conversion by exchanges in a given order",
                               .needs = "Gray <-> binary code on fields of processor bits",
                               .cost = "(n-d)K steps, d fields",
                               .citation = "Johnsson, Ho 1991 (codes), Lemma 2 and Theorem 1"};
  return about;
}

std::optional<std::string> ExchangeInOrder::refusal(const Request& request) const {
  const auto* cube = std::get_if<Hypercube>(&request.machine());
  if (auto why = conversion_refusal(request, cube == nullptr ? Hypercube::Ports::all : cube->ports))
    return why;
  const std::vector<int> wanted = descending_order(request);
  if (wanted.size() == order_.size() &&
      std::is_permutation(wanted.begin(), wanted.end(), order_.begin()))
    return {};
  return fmt::format("the order of dimensions names each of {} once, not {}",
                     fmt::join(wanted, ","), fmt::join(order_, ","));
}

// The inverse of a conversion runs backwards, so its order does.
Offer ExchangeInOrder::offer(const Request& request) const {
  std::vector<int> order = order_;
  if (conversion_of(request).direction == Direction::inverse)
    std::reverse(order.begin(), order.end());
  return offer_in(order, request, about().name);
}

}  // namespace faro::inline v1
