// The GAMMA scheduler.   [faro]
//   applies:  any permutation, given as a map or as destinations, up to 2^8 processors, 2^9 of
//             short sides
//   cost:     the bound where the search succeeds, which it did for every BPC map tried
//   bound:    fewest routes up and down for each dimension's distances
#include "planners/mesh/gamma.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/carries.hpp"
#include "planners/mesh/gamma_search.hpp"
#include "planners/mesh/permute.hpp"

namespace faro::inline v1::mesh {
namespace {

// Orders tried with two registers and with three, and rounds of negotiation for each: an order that
// works settles soon. On 64 processors the hardest of some thousand maps took 130 orders, half a
// second; on 256 processors one order costs a fifth of a second.
struct Effort {
  int orders_two_registers;
  int orders_three_registers;
  int rounds;
};
constexpr Effort effort_bits = {400, 100, 12};
// Destinations without structure are soon settled or want the third register.
constexpr Effort effort_others = {30, 100, 20};
constexpr Effort effort_large = {8, 8, 16};
constexpr Effort effort_largest = {6, 4, 16};
constexpr std::size_t processors_small_max = 64;
constexpr int extra_routes_max = 6;

std::vector<MeshRoute> routes_needed(const MeshGeometry& geometry,
                                     std::span<const Word> destinations) {
  std::vector<MeshRoute> routes;
  const auto add = [&routes](int k, const Rides& rides) {
    for (std::int64_t i = 0; i < rides.plus; ++i) routes.push_back({k, 1});
    for (std::int64_t i = 0; i < rides.minus; ++i) routes.push_back({k, -1});
  };
  if (geometry.wrap() == Mesh::Wrap::propagating) {
    std::vector<Word> shifts;
    for (Word m = 0; m < destinations.size(); ++m)
      shifts.push_back((destinations[m] - m) & low_mask(geometry.bits()));
    const auto choice = routes_with_carries(geometry, std::move(shifts), 0).choice;
    for (int k = 0; 2 * static_cast<std::size_t>(k) < choice.size(); ++k)
      add(k,
          {choice[2 * static_cast<std::size_t>(k)], choice[2 * static_cast<std::size_t>(k) + 1]});
    if (!choice.empty()) return routes;
  }
  for (int k = 0; k < geometry.dimensions(); ++k) {
    std::vector<std::int64_t> distances;
    for (Word m = 0; m < destinations.size(); ++m)
      distances.push_back(geometry.coordinate(destinations[m], k) - geometry.coordinate(m, k));
    const Rides rides = geometry.wrap() == Mesh::Wrap::none
                            ? rides_on_line(distances)
                            : rides_on_ring(distances, geometry.side(k));
    add(k, rides);
  }
  return routes;
}

// One more pair of routes, there and back, for some dimension that moves at all.
void lengthen(std::vector<MeshRoute>& routes, int extra, Random& random) {
  for (int i = 0; i < extra; i += 2) {
    const MeshRoute like = routes[random.below(routes.size())];
    routes.push_back({like.dimension, 1});
    routes.push_back({like.dimension, -1});
  }
}

std::optional<RidePlan> search(const MeshGeometry& geometry, std::span<const Word> destinations,
                               int extra_max) {
  const std::vector<MeshRoute> needed = routes_needed(geometry, destinations);
  const Effort effort = geometry.bits() > limits::mesh_gamma_log2_max ? effort_largest
                        : destinations.size() > processors_small_max  ? effort_large
                        : extra_max == 0                              ? effort_bits
                                                                      : effort_others;
  Random random(1980);
  for (int extra = 0; extra <= extra_max; extra += 2)
    for (const int resters : {1, 2}) {
      const int orders = resters == 1 ? effort.orders_two_registers : effort.orders_three_registers;
      for (int order = 0; order < orders; ++order) {
        std::vector<MeshRoute> routes = needed;
        if (!needed.empty()) lengthen(routes, extra, random);
        random.mix(routes);
        if (auto plan = negotiate(geometry, destinations, routes, resters, effort.rounds))
          return plan;
      }
    }
  return {};
}

// With carries the routes that are needed are found by trying all processors.
bool few_processors(const MeshGeometry& geometry) {
  std::uint64_t routes = 0;
  for (int k = 0; k < geometry.dimensions(); ++k)
    routes += 2 * (static_cast<std::uint64_t>(geometry.side(k)) - 1);
  return geometry.bits() <= limits::mesh_gamma_log2_max ||
         (geometry.bits() == limits::mesh_gamma_log2_max + 1 &&
          geometry.wrap() != Mesh::Wrap::propagating &&
          routes << static_cast<unsigned>(2 * geometry.bits()) <= limits::mesh_gamma_looked_at_max);
}

}  // namespace

std::optional<MeshProgram> schedule_gamma(const MeshGeometry& geometry,
                                          std::span<const Word> destinations, int extra_max) {
  FARO_CHECK(few_processors(geometry));
  FARO_CHECK(destinations.size() == geometry.processors());
  const auto plan = search(geometry, destinations, extra_max);
  if (!plan) return {};
  return write_rides(geometry, AddressBits(low_mask(geometry.bits())), destinations, *plan);
}

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {
namespace {

std::optional<BpcVector> bits_of(const Request& request) {
  if (!request.destinations().empty()) return {};
  return BpcVector::from(*mesh::processor_map(request));
}

std::optional<std::string> refusal_gamma(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  const MeshGeometry geometry(mesh::mesh_of(request));
  if (!mesh::few_processors(geometry)) return "more than 2^8 processors, or 2^9 of short sides";
  if (geometry.wrap() == Mesh::Wrap::none && bits_of(request))
    return "without wraparound PERMUTE reaches the bound in fewer long routes";
  return std::nullopt;
}

mesh::MeshProgram search(const Request& request, const MeshGeometry& geometry) {
  const auto bits = bits_of(request);
  // A ring's routes are enough for bits on a torus; carries may ask for more.
  const bool torus = geometry.wrap() == Mesh::Wrap::orthogonal;
  const auto found = mesh::schedule_gamma(geometry, mesh::destinations_of(request),
                                          bits && torus ? 0 : mesh::extra_routes_max);
  if (found) return *found;
  if (bits)
    return mesh::permute(geometry, *bits, torus ? mesh::Variant::torus : mesh::Variant::plus);
  throw Error(ErrorCode::limit,
              fmt::format("no schedule within {} routes of the bound was found on {} in the stated "
                          "effort",
                          mesh::extra_routes_max, geometry.shape_text()));
}

Offer offer(const Request& request) {
  const auto program = std::make_shared<const mesh::MeshProgram>(
      search(request, MeshGeometry(mesh::mesh_of(request))));
  return {.estimate = mesh::estimate_of(request, *program,
                                        request.elements() == 1
                                            ? "the bound, where the search reaches it"
                                            : "K times the bound, where the search reaches it"),
          .push = [request, program](ScheduleSink& sink) {
            mesh::emit(request, mesh_gamma.name(), *program, sink);
          }};
}

}  // namespace

const PlannerEntry mesh_gamma({
    .name = "mesh-gamma",
    .machine = "mesh",
    .title = "any permutation in the fewest unit routes, rides negotiated element by element",
    .needs = "at most 2^8 processors, 2^9 of sides as short as 16x32; a map or destinations",
    .cost = "gamma on a torus, beta on a mesh, where the search succeeds",
    .citation = "faro, bound of Nassimi, Sahni 1980, Theorem 6.1",
    .refusal = refusal_gamma,
    .offer = offer,
    .searches = true,
});

}  // namespace faro::inline v1
