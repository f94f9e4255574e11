// Sweeps.   [faro]
//   applies:  one coordinate changes, or each is permuted by itself; map or destinations
//   cost:     for each dimension the fewest rides up and down that reach every distance
//   bound:    the same, so it is optimal
#include "planners/mesh/sweep.hpp"

#include <fmt/format.h>

#include <map>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/mesh/bounds.hpp"
#include "planners/mesh/cover.hpp"

namespace faro::inline v1::mesh {
namespace {

// Passengers of one direction, by distance: where they get off.
using Stops = std::map<std::int64_t, std::vector<Word>>;

class Sweeper {
 public:
  Sweeper(MeshProgram& program, const Sweep& job) : program_(program), job_(job) {
    const MeshGeometry& geometry = program.geometry();
    const std::int64_t side = geometry.side(job.dimension);
    std::vector<std::int64_t> distances;
    for (Word x = 0; x < job.to.size(); ++x) distances.push_back(distance(x));
    const bool ring = geometry.wrap() == Mesh::Wrap::orthogonal;
    const Rides rides = ring ? rides_on_ring(distances, side) : rides_on_line(distances);
    for (Word x = 0; x < job.to.size(); ++x) {
      std::int64_t d = distances[x];
      if (d == 0) continue;
      if (ring && d < 0 && d + side <= rides.plus) d += side;
      if (ring && d > 0 && d > rides.plus) d -= side;
      (d > 0 ? up_ : down_)[d > 0 ? d : -d].push_back(job.to[x]);
    }
  }

  void run() {
    if (up_.empty() && down_.empty()) return;
    // Alone, a direction delivers to Rs; with both, those who went up wait in Rt until everybody
    // has left Rs for the way down.
    const bool both = !up_.empty() && !down_.empty();
    std::vector<Wish> up_wishes(job_.to.size(), both ? Wish::free : Wish::forbidden);
    ride(up_, 1, both ? Rt : Rs, up_wishes);
    std::vector<Wish> down_wishes(job_.to.size(), Wish::forbidden);
    if (both) {
      // What lands on their places is overwritten in the end.
      for (const auto& [distance, places] : up_)
        for (const Word x : places) down_wishes[x] = Wish::free;
    }
    ride(down_, -1, Rs, down_wishes);
    if (!both) return;
    std::vector<Wish> waiting(job_.to.size(), Wish::forbidden);
    for (const auto& [distance, places] : up_)
      for (const Word x : places) waiting[x] = Wish::wanted;
    copy_where({Rs, Rt}, std::move(waiting));
  }

 private:
  std::int64_t coordinate(Word x) const {
    return program_.geometry().coordinate(x << job_.low, job_.dimension);
  }
  std::int64_t distance(Word x) const { return coordinate(job_.to[x]) - coordinate(x); }

  void copy_where(Transfer registers, std::vector<Wish> wishes) {
    for (const TernaryMask& mask :
         cover(std::move(wishes), AddressBits(low_mask(job_.bits) << job_.low)))
      program_.copy(registers, mask);
  }

  // `base` says what may be overwritten besides the stops to come.
  void ride(const Stops& stops, int way, MeshRegister to, const std::vector<Wish>& base) {
    if (stops.empty()) return;
    program_.copy({Rr, Rs});
    std::int64_t ridden = 0;
    std::vector<Wish> wishes = base;
    for (const auto& [distance, places] : stops)
      for (const Word x : places) wishes[x] = Wish::free;
    for (const auto& [distance, places] : stops) {
      program_.route(job_.dimension, way * (distance - ridden));
      ridden = distance;
      for (const Word x : places) wishes[x] = Wish::wanted;
      copy_where({to, Rr}, wishes);
      for (const Word x : places) wishes[x] = Wish::forbidden;
    }
  }

  MeshProgram& program_;
  const Sweep& job_;
  Stops up_;
  Stops down_;
};

// What a request asks, dimension by dimension; nothing if a coordinate depends on another one.
std::optional<std::vector<Sweep>> jobs_for(const Request& request, const MeshGeometry& geometry) {
  std::vector<Sweep> jobs;
  if (request.destinations().empty()) {
    const BitMap map = *processor_map(request);
    for (int k = 0; k < geometry.dimensions(); ++k) {
      const int low = geometry.low(k);
      const int bits = geometry.side_log2(k);
      const Word own = low_mask(bits) << low;
      if (bits > limits::mesh_sweep_log2_max) return {};
      for (int i = low; i < low + bits; ++i)
        if ((map.column(i) & ~own) != 0) return {};
      Sweep job{k, low, bits, {}};
      for (Word x = 0; x < bit(bits); ++x) job.to.push_back((map(x << low) & own) >> low);
      jobs.push_back(std::move(job));
    }
    return jobs;
  }
  if (geometry.bits() > limits::mesh_sweep_log2_max) return {};
  Word changed = 0;
  for (Word p = 0; p < request.destinations().size(); ++p) changed |= p ^ request.destinations()[p];
  for (int k = 0; k < geometry.dimensions(); ++k) {
    const Word own = low_mask(geometry.side_log2(k)) << geometry.low(k);
    if ((changed & ~own) == 0 && geometry.side_log2(k) > 0)
      return std::vector<Sweep>{{k, 0, geometry.bits(), request.destinations()}};
  }
  return {};
}

}  // namespace

void sweep(MeshProgram& program, const Sweep& job) {
  Sweeper(program, job).run();
}

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {
namespace {

mesh::MeshProgram sweep_program(const Request& request, const MeshGeometry& geometry) {
  mesh::MeshProgram program(geometry);
  const auto jobs = mesh::jobs_for(request, geometry);
  for (const mesh::Sweep& job : *jobs) mesh::sweep(program, job);
  return program;
}

std::optional<std::string> refusal_sweep(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  if (!mesh::jobs_for(request, MeshGeometry(mesh::mesh_of(request))))
    return "a coordinate depends on another one, or its side is above 2^12";
  return std::nullopt;
}

Estimate estimate_sweep(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  return mesh::estimate_of(
      request, sweep_program(request, geometry),
      request.elements() == 1 ? "max up + max down" : "K times (max up + max down)");
}

void build_sweep(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, mesh_sweep.name(), sweep_program(request, geometry), sink);
}

}  // namespace

const PlannerEntry mesh_sweep({
    .name = "mesh-sweep",
    .machine = "mesh",
    .title = "each coordinate permuted by itself, everybody riding until his stop",
    .needs = "each coordinate permuted by itself, sides up to 2^12; or one coordinate changes",
    .cost = "the bound of each dimension: max up + max down",
    .refusal = refusal_sweep,
    .estimate = estimate_sweep,
    .build = build_sweep,
});

}  // namespace faro::inline v1
