// PERMUTE as planners of the catalogue: the paper's, ours with fewer operations, the torus's.
#include <fmt/format.h>

#include "machines/mesh/bounds.hpp"
#include "planners/mesh/permute.hpp"

namespace faro::inline v1 {
namespace {

using mesh::Variant;

mesh::MeshProgram program_for(const Request& request, const MeshGeometry& geometry,
                              Variant variant) {
  const BpcVector bits = *BpcVector::from(*mesh::processor_map(request));
  // With two dimensions the paper's own algorithm needs two registers.
  if (variant == Variant::general && geometry.proper_dimensions() <= 2)
    variant = Variant::two_dimensions;
  return mesh::permute(geometry, bits, variant);
}

template <Variant variant>
Estimate estimate_permute(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  const mesh::MeshProgram program = program_for(request, geometry, variant);
  const char* text = variant == Variant::torus ? "beta(A), less g for each top bit" : "beta(A)";
  Estimate estimate = mesh::estimate_of(
      request, program, request.elements() == 1 ? text : fmt::format("K times {}", text));
  if (variant == Variant::torus) return estimate;
  const BpcVector bits = *BpcVector::from(*mesh::processor_map(request));
  estimate.paper =
      PaperCount{"Nassimi, Sahni 1980, Theorem 2.1",
                 {mesh::beta_by_bits(geometry, bits) * request.elements(), "beta(A), (2.3)"}};
  return estimate;
}

std::string_view name_of(Variant variant) {
  return variant == Variant::plus        ? mesh_permute_plus.name()
         : variant == Variant::any_pairs ? mesh_interchanges.name()
         : variant == Variant::torus     ? torus_permute.name()
                                         : mesh_permute.name();
}

template <Variant variant>
void build_permute(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, name_of(variant), program_for(request, geometry, variant), sink);
}

std::optional<std::string> refusal_of_torus_bpc(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request, Mesh::Wrap::orthogonal)) return why;
  return mesh::refusal_of_bpc(request);
}

std::optional<std::string> refusal_beyond_two_dimensions(const Request& request) {
  if (auto why = mesh::refusal_of_bpc(request)) return why;
  if (MeshGeometry(mesh::mesh_of(request)).proper_dimensions() > 2)
    return "it is for one or two dimensions";
  return {};
}

}  // namespace

const PlannerEntry mesh_permute({
    .name = "mesh-permute",
    .machine = "mesh",
    .title = "BPC routing in the fewest unit routes, as published",
    .needs = "a permutation of address bits with complements",
    .cost = "beta(A) unit routes, at most 4p - 2q' long routes, 6p - 3 register operations",
    .citation = "Nassimi, Sahni 1980, Algorithm 4.1 and section 5",
    .refusal = mesh::refusal_of_bpc,
    .estimate = estimate_permute<Variant::general>,
    .build = build_permute<Variant::general>,
});

const PlannerEntry mesh_interchanges({
    .name = "mesh-interchanges",
    .machine = "mesh",
    .title = "the same routes by any interchangeable pairs, not those of one cycle",
    .needs = "a permutation of address bits with complements, one or two dimensions",
    .cost = "beta(A) unit routes, O(p^2) long routes and register operations",
    .citation = "Nassimi, Sahni 1980, Theorem 4.2",
    .refusal = refusal_beyond_two_dimensions,
    .estimate = estimate_permute<Variant::any_pairs>,
    .build = build_permute<Variant::any_pairs>,
});

const PlannerEntry mesh_permute_plus({
    .name = "mesh-permute-plus",
    .machine = "mesh",
    .title = "the same routes with fewer register operations",
    .needs = "a permutation of address bits with complements",
    .cost = "beta(A) unit routes, at most 4p - 2q' long routes, 6p - 3 register operations",
    .citation = "faro, after Nassimi, Sahni 1980",
    .refusal = mesh::refusal_of_bpc,
    .estimate = estimate_permute<Variant::plus>,
    .build = build_permute<Variant::plus>,
});

const PlannerEntry torus_permute({
    .name = "torus-permute",
    .machine = "torus",
    .title = "PERMUTE with the wraparound's short ways for top bits",
    .needs = "a permutation of address bits with complements",
    .cost = "at most beta(A) unit routes; 3n - 4 for an n x n transpose",
    .citation = "faro, after Nassimi, Sahni 1980",
    .refusal = refusal_of_torus_bpc,
    .estimate = estimate_permute<Variant::torus>,
    .build = build_permute<Variant::torus>,
});

}  // namespace faro::inline v1
