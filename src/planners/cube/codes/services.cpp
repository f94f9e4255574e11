#include "planners/cube/codes/services.hpp"

#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "planners/cube/codes/services_ring.hpp"
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

}  // namespace

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
