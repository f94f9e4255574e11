// Affine maps on meshes: all small maps on all shapes, and large meshes by proof.
#include "planners/mesh/affine.hpp"

#include <gtest/gtest.h>

#include "full.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using testing::header_for;
using testing::judged;
using testing::mesh_of;
using testing::random_affine;

void expect_right(const Mesh& mesh, const BitMap& map) {
  const MeshGeometry geometry(mesh);
  const auto program = mesh::permute_affine(geometry, map);
  const Verdict proof = judged(*mesh_proof(), header_for(mesh, map), program.instructions());
  ASSERT_TRUE(proof.ok()) << geometry.shape_text();
  ASSERT_EQ(program.cost(), proof.cost);
  ASSERT_GE(proof.cost.unit_routes, lower_bound(mesh, MapGoal{.map = map}, 1).value)
      << geometry.shape_text();
  Count most = 0;
  for (int k = 0; k < geometry.dimensions(); ++k)
    most += 6 * static_cast<Count>(geometry.side(k) - 1);
  ASSERT_LE(proof.cost.unit_routes, most);
  if (geometry.bits() <= 12) {
    ASSERT_TRUE(judged(*mesh_replay(), header_for(mesh, map), program.instructions()).ok());
  }
}

TEST(MeshAffine, gray_code_on_a_line_of_8_takes_6_unit_routes_where_5_is_the_bound) {
  const Mesh line = mesh_of({3});
  const BitMap gray = BitMap::from_columns(std::vector<Word>{1, 3, 6});
  EXPECT_EQ(mesh::permute_affine(MeshGeometry(line), gray).cost(),
            (Cost{.unit_routes = 6, .long_routes = 4, .register_ops = 6}));
  EXPECT_EQ(lower_bound(line, MapGoal{.map = gray}, 1).value, 5U);
}

// Every invertible matrix of 3 bits, every complement.
TEST(MeshAffine, every_affine_map_of_three_bits_on_every_shape) {
  for (const std::vector<int>& shape : testing::shapes_of(3))
    for (const auto wrap : {Mesh::Wrap::none, Mesh::Wrap::orthogonal, Mesh::Wrap::propagating})
      testing::for_every_matrix(3, [&](const BitMatrix& matrix) {
        for (Word c = 0; c < 8; ++c)
          expect_right(mesh_of(shape, wrap), BitMap::from_matrix(matrix, c));
      });
}

TEST(MeshAffine, random_maps_are_proved_on_small_and_on_large_meshes) {
  Random random(5);
  const int rounds = testing::full_run() ? 2000 : (testing::sanitized() ? 10 : 60);
  for (int round = 0; round < rounds; ++round) {
    const int p = 4 + static_cast<int>(random.below(9));
    expect_right(
        mesh_of(testing::random_shape(random, p), static_cast<Mesh::Wrap>(random.below(2))),
        random_affine(p, random));
  }
  expect_right(mesh_of({20, 20}), random_affine(40, random));
  expect_right(mesh_of({30, 30}), random_affine(60, random));
}

}  // namespace
}  // namespace faro
