// Code conversion along shortest paths.   [Johnsson, Ho 1991 (codes), section 4.2 and Theorem 6]
//   applies:  Gray <-> binary on any fields of processor bits, all ports, any K
//   cost:     max(K, n-d) steps, d fields (idle dimensions count as fields)    (tested n <= 10)
//   bound:    max(K, n-d) for any algorithm that keeps to shortest paths
//
// The n-d working dimensions stand on a ring, each field's from its top down, with dummies up to
// length P = max(K, n-d). Element k walks the ring from place k; the exchange rule allows every
// order that this produces, and no two elements meet on a dimension. One construction for the
// paper's cases 1 to 3. In place.
#include "planners/cube/codes/minimum_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

Node minimum_path_node(const std::vector<CodeField>& fields, std::uint64_t elements) {
  struct Place {
    CodeField field;
    int dimension;
  };
  std::vector<Place> ring;
  for (const CodeField& f : fields)
    for (int d = f.top() - 1; d >= f.lo; --d) ring.push_back({f, d});
  const auto work = static_cast<std::uint64_t>(ring.size());
  const std::uint64_t length = std::max(elements, work);
  const auto make = [ring, elements, length](std::uint64_t t, CubeStep& out) {
    for (std::uint64_t place = 0; place < ring.size(); ++place) {
      // Element k stands at (k + t) mod length; the ring is walked backwards to list places.
      const std::uint64_t k = (place + length - t) % length;
      if (k >= elements) continue;
      const auto [field, dimension] = ring[place];
      Word done = 0;  // what k has crossed: the places from k on, before this one
      for (std::uint64_t p = k; p != place; p = p + 1 == length ? 0 : p + 1)
        if (p < ring.size())
          done |= bit(ring[p].dimension);
        else
          p = length - 1;  // dummies cross nothing
      const auto slot = static_cast<Slot>(k);
      out.rules.push_back({.where = {{exchange_mask(field, dimension, done), 1}},
                           .from = slot,
                           .across = dimension,
                           .to = slot});
    }
  };
  return node_of(minimum_path.name(),
                 {.slots = elements, .steps = work == 0 ? 0 : length, .make = make});
}

namespace {

std::optional<std::string> refusal_minimum_path(const Request& request) {
  return conversion_refusal(request, Hypercube::Ports::all);
}

Offer offer_minimum_path(const Request& request) {
  const Node node = minimum_path_node(conversion_of(request).fields, request.elements());
  return conversion_offer(
      request, minimum_path.name(), node, "max(K, n-d)",
      PaperCount{"Johnsson, Ho 1991 (codes), Theorem 6", {node.cost, "max(K, n-d)"}});
}

}  // namespace

const PlannerEntry minimum_path({
    .name = "minimum-path",
    .machine = "cube",
    .title = "code conversion along shortest paths",
    .needs = "Gray <-> binary code on fields of processor bits, all ports",
    .cost = "max(K, n-d) steps, d fields",
    .citation = "Johnsson, Ho 1991 (codes), section 4.2 and Theorem 6",
    .refusal = refusal_minimum_path,
    .offer = offer_minimum_path,
});

}  // namespace faro::inline v1
