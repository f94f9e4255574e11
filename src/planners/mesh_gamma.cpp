// The GAMMA scheduler.   [faro]
//   applies:  any permutation, given as a map or as destinations, up to 2^8 processors
//   cost:     the bound where the search succeeds, which it did for every BPC map tried
//   bound:    fewest routes up and down for each dimension's distances
#include "faro/planners/mesh_gamma.hpp"

#include <fmt/format.h>

#include <array>

#include "faro/base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/bounds/mesh_bounds.hpp"
#include "faro/planners/mesh_cover.hpp"
#include "faro/planners/mesh_permute.hpp"
#include "mesh_gamma_search.hpp"

namespace faro::mesh {
namespace {

constexpr int gamma_bits_max = 8;
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
constexpr std::size_t processors_small_max = 64;
constexpr int extra_routes_max = 6;

std::vector<UnitRoute> routes_needed(const MeshGeometry& geometry,
                                     std::span<const Word> destinations) {
  std::vector<UnitRoute> routes;
  for (int k = 0; k < geometry.dimensions(); ++k) {
    std::vector<std::int64_t> distances;
    for (Word m = 0; m < destinations.size(); ++m)
      distances.push_back(geometry.coordinate(destinations[m], k) - geometry.coordinate(m, k));
    // Propagating wraparound: what a ring of each dimension needs, to begin with.
    const Rides rides = geometry.wrap() == Mesh::Wrap::none
                            ? rides_on_line(distances)
                            : rides_on_ring(distances, geometry.side(k));
    for (std::int64_t i = 0; i < rides.plus; ++i) routes.push_back({k, 1});
    for (std::int64_t i = 0; i < rides.minus; ++i) routes.push_back({k, -1});
  }
  return routes;
}

void shuffle(std::vector<UnitRoute>& routes, Random& random) {
  for (std::size_t i = routes.size(); i > 1; --i) std::swap(routes[i - 1], routes[random.below(i)]);
}

// One more pair of routes, there and back, for some dimension that moves at all.
void lengthen(std::vector<UnitRoute>& routes, int extra, Random& random) {
  for (int i = 0; i < extra; i += 2) {
    const UnitRoute like = routes[random.below(routes.size())];
    routes.push_back({like.dimension, 1});
    routes.push_back({like.dimension, -1});
  }
}

std::optional<RidePlan> search(const MeshGeometry& geometry, std::span<const Word> destinations,
                               int extra_max) {
  const std::vector<UnitRoute> needed = routes_needed(geometry, destinations);
  const Effort effort = destinations.size() > processors_small_max ? effort_large
                        : extra_max == 0                           ? effort_bits
                                                                   : effort_others;
  Random random(1980);
  for (int extra = 0; extra <= extra_max; extra += 2)
    for (const int resters : {1, 2}) {
      const int orders = resters == 1 ? effort.orders_two_registers : effort.orders_three_registers;
      for (int order = 0; order < orders; ++order) {
        std::vector<UnitRoute> routes = needed;
        if (!needed.empty()) lengthen(routes, extra, random);
        shuffle(routes, random);
        if (auto plan = negotiate(geometry, destinations, routes, resters, effort.rounds))
          return plan;
      }
    }
  return {};
}

// Writes a ride plan: before each route every processor's rider is brought to Rr and its resters
// out of it.
class RideWriter {
 public:
  RideWriter(const MeshGeometry& geometry, std::span<const Word> destinations, const RidePlan& plan)
      : geometry_(geometry),
        destinations_(destinations),
        plan_(plan),
        program_(geometry),
        at_(destinations.size()),
        in_(destinations.size(), Rs) {
    for (Word m = 0; m < destinations.size(); ++m) at_[m] = m;
  }

  MeshProgram run() {
    for (std::size_t t = 0; t < plan_.routes.size(); ++t) {
      // A plan may leave a route empty.
      if (t == 0) {
        program_.copy({Rr, Rs});
        for (Word m = 0; m < at_.size(); ++m) in_[m] = plan_.rides[m][0] ? Rr : Rs;
      } else {
        arrange(t);
      }
      const UnitRoute& route = plan_.routes[t];
      by_ += route.way;
      for (Word m = 0; m < at_.size(); ++m)
        if (plan_.rides[m][t]) at_[m] = *geometry_.routed(at_[m], route.dimension, route.way);
      const bool more = t + 1 < plan_.routes.size() &&
                        plan_.routes[t + 1].dimension == route.dimension &&
                        plan_.routes[t + 1].way == route.way && same_riders(t);
      if (more) continue;
      program_.route(route.dimension, by_);
      by_ = 0;
    }
    deliver();
    return std::move(program_);
  }

 private:
  // Then the two routes are one.
  bool same_riders(std::size_t t) const {
    if (by_ + plan_.routes[t].way >= geometry_.side(plan_.routes[t].dimension) ||
        by_ + plan_.routes[t].way <= -geometry_.side(plan_.routes[t].dimension))
      return false;
    for (Word m = 0; m < at_.size(); ++m)
      if (plan_.rides[m][t] != plan_.rides[m][t + 1]) return false;
    return true;
  }

  struct Held {
    std::array<bool, 3> live{};
    bool rides = false;
    MeshRegister rider = Rr;
  };

  void arrange(std::size_t t) {
    std::vector<Held> held(at_.size());
    for (Word m = 0; m < at_.size(); ++m) {
      Held& here = held[at_[m]];
      here.live[static_cast<std::size_t>(in_[m])] = true;
      if (!plan_.rides[m][t]) continue;
      here.rides = true;
      here.rider = in_[m];
    }
    // Which register each processor exchanges with Rr: its rider's, or a free one for what arrived.
    const bool third = plan_.resters > 1;
    std::vector<Wish> with_s(at_.size(), Wish::free);
    std::vector<Wish> with_t(at_.size(), Wish::free);
    for (Word p = 0; p < at_.size(); ++p) {
      const Held& here = held[p];
      const bool anything = here.live[0] || here.live[1] || here.live[2];
      if (!anything) continue;
      MeshRegister with = Rr;
      if (here.rides)
        with = here.rider;
      else if (here.live[0])
        with = here.live[1] ? Rt : Rs;
      with_s[p] = with == Rs ? Wish::wanted : Wish::forbidden;
      with_t[p] = with == Rt ? Wish::wanted : Wish::forbidden;
    }
    // Free processors hold nothing; each of the two covers may touch them.
    for (Word m = 0; m < at_.size(); ++m) {
      const bool s = with_s[at_[m]] == Wish::wanted;
      const bool t_wanted = with_t[at_[m]] == Wish::wanted;
      if (!s && !t_wanted) continue;
      const MeshRegister other = s ? Rs : Rt;
      if (in_[m] == Rr)
        in_[m] = other;
      else if (in_[m] == other)
        in_[m] = Rr;
    }
    for (const TernaryMask& mask : cover(std::move(with_s), geometry_.bits()))
      program_.swap({Rr, Rs}, mask);
    if (!third) return;
    for (const TernaryMask& mask : cover(std::move(with_t), geometry_.bits()))
      program_.swap({Rr, Rt}, mask);
  }

  void deliver() {
    for (const MeshRegister reg : {Rr, Rt}) {
      std::vector<Wish> wishes(at_.size(), Wish::forbidden);
      for (Word m = 0; m < at_.size(); ++m) {
        FARO_CHECK(at_[m] == destinations_[m]);
        if (in_[m] == reg) wishes[at_[m]] = Wish::wanted;
      }
      for (const TernaryMask& mask : cover(std::move(wishes), geometry_.bits()))
        program_.copy({Rs, reg}, mask);
    }
  }

  const MeshGeometry& geometry_;
  std::span<const Word> destinations_;
  const RidePlan& plan_;
  MeshProgram program_;
  std::vector<Word> at_;
  std::vector<MeshRegister> in_;
  std::int64_t by_ = 0;
};

}  // namespace

std::optional<MeshProgram> schedule_gamma(const MeshGeometry& geometry,
                                          std::span<const Word> destinations, int extra_max) {
  FARO_CHECK(geometry.bits() <= gamma_bits_max);
  FARO_CHECK(destinations.size() == geometry.processors());
  const auto plan = search(geometry, destinations, extra_max);
  if (!plan) return {};
  return RideWriter(geometry, destinations, *plan).run();
}

}  // namespace faro::mesh

namespace faro {
namespace {

std::optional<BpcVector> bits_of(const Request& request) {
  if (!request.destinations.empty()) return {};
  return BpcVector::from(*mesh::processor_map(request));
}

std::optional<std::string> refusal(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  const MeshGeometry geometry(mesh::mesh_of(request));
  if (geometry.bits() > mesh::gamma_bits_max) return "more than 2^8 processors";
  if (geometry.wrap() == Mesh::Wrap::none && bits_of(request))
    return "without wraparound PERMUTE reaches the bound in fewer long routes";
  return std::nullopt;
}

mesh::MeshProgram program_for(const Request& request, const MeshGeometry& geometry) {
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

Estimate estimate(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  return mesh::estimate_of(request, program_for(request, geometry),
                           request.elements == 1
                               ? "the bound, where the search reaches it"
                               : "K times the bound, where the search reaches it");
}

void build(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, mesh_gamma.name, program_for(request, geometry), sink);
}

}  // namespace

const Planner mesh_gamma = {
    .name = "mesh-gamma",
    .machine = "mesh",
    .title = "any permutation in the fewest unit routes, rides negotiated element by element",
    .needs = "at most 2^8 processors; a map or destinations",
    .cost = "gamma on a torus, beta on a mesh, where the search succeeds",
    .citation = "faro, bound of Nassimi, Sahni 1980, Theorem 6.1",
    .refusal = refusal,
    .estimate = estimate,
    .build = build,
};

}  // namespace faro
