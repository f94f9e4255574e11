#include "faro/planners/mesh_affine.hpp"

#include <gtest/gtest.h>

#include "faro/machines/bounds/mesh_bounds.hpp"
#include "faro/machines/verify/mesh.hpp"
#include "full.hpp"
#include "machines/mesh_cases.hpp"

namespace faro {
namespace {

using testing::header_for;
using testing::judged;
using testing::mesh_of;

BitMap random_affine(Random& random, int p) {
  for (;;) {
    std::vector<Word> columns;
    for (int i = 0; i < p; ++i) columns.push_back(random.next() & low_mask(p));
    if (BitMatrix::from_columns(p, columns).rank() == p)
      return BitMap::from_columns(columns, random.next() & low_mask(p));
  }
}

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
      for (Word m = 0; m < 512; ++m) {
        const std::vector<Word> columns = {m & 7U, (m >> 3U) & 7U, m >> 6U};
        if (BitMatrix::from_columns(3, columns).rank() < 3) continue;
        for (Word c = 0; c < 8; ++c)
          expect_right(mesh_of(shape, wrap), BitMap::from_columns(columns, c));
      }
}

TEST(MeshAffine, random_maps_are_proved_on_small_and_on_large_meshes) {
  Random random(5);
  const int rounds = testing::full_run() ? 2000 : (testing::sanitized() ? 10 : 60);
  for (int round = 0; round < rounds; ++round) {
    const int p = 4 + static_cast<int>(random.below(9));
    expect_right(
        mesh_of(testing::random_shape(random, p), static_cast<Mesh::Wrap>(random.below(2))),
        random_affine(random, p));
  }
  expect_right(mesh_of({20, 20}), random_affine(random, 40));
  expect_right(mesh_of({30, 30}), random_affine(random, 60));
}

}  // namespace
}  // namespace faro
