// BPC maps on meshes take exactly beta unit routes.
#include "planners/mesh/permute.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "full.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using mesh::Variant;
using testing::bpc;
using testing::header_for;
using testing::judged;
using testing::mesh_of;

// Along each dimension, as counted.
std::vector<Count> units_by_dimension(const MeshGeometry& geometry,
                                      const std::vector<MeshInstruction>& program) {
  std::vector<Count> units(static_cast<std::size_t>(geometry.dimensions()), 0);
  for (const MeshInstruction& i : program)
    if (const auto* route = std::get_if<MeshRoute>(&i))
      units[static_cast<std::size_t>(route->dimension)] +=
          static_cast<Count>(route->by < 0 ? -route->by : route->by);
  return units;
}

void expect_optimal(const Mesh& mesh, const BpcVector& bits, Variant variant) {
  const MeshGeometry geometry(mesh);
  const mesh::MeshProgram program = mesh::permute(geometry, bits, variant);
  const Verdict proof = judged(*mesh_proof(), header_for(mesh, bits.map()), program.instructions());
  ASSERT_TRUE(proof.ok()) << geometry.shape_text() << " " << bits.text();
  const Cost cost = program.cost();
  ASSERT_EQ(cost, proof.cost);
  ASSERT_EQ(units_by_dimension(geometry, program.instructions()),
            mesh::beta_by_dimension(geometry, bits))
      << geometry.shape_text() << " " << bits.text();
  const int p = geometry.bits();
  if (p == 0 || variant == Variant::any_pairs) return;
  ASSERT_LE(cost.long_routes, static_cast<Count>(4 * p - 2 * geometry.proper_dimensions()));
  ASSERT_LE(cost.register_ops, static_cast<Count>(6 * p - 3));
}

// Example 4.2: p^2/4 interchanges of two routes and three operations each, where p/2 would do.
TEST(MeshPermute, any_pairs_take_a_square_of_interchanges) {
  for (const int p : {4, 6, 8, 12}) {
    BpcVector transpose = bpc({}, {});
    for (int i = 0; i < p; ++i) {
      transpose.target.push_back((i + p / 2) % p);
      transpose.inverted.push_back(false);
    }
    const MeshGeometry line(mesh_of({0, p}));
    const auto square = static_cast<Count>(p * p);
    const Cost cost = mesh::permute(line, transpose, Variant::any_pairs).cost();
    EXPECT_EQ(cost.long_routes, square / 2) << p;
    EXPECT_EQ(cost.register_ops, 3 * square / 4) << p;
    EXPECT_EQ(mesh::interchanges_of(line, transpose).size(), static_cast<std::size_t>(p / 2));
  }
}

// PERMUTE decides in O(p^2): no bit asks more than a few times about each other.
TEST(MeshPermute, the_control_unit_takes_a_square_of_the_bits) {
  Random random(7);
  for (const int p : {2, 8, 20, 40, 60})
    for (int round = 0; round < 20; ++round) {
      const MeshGeometry geometry(mesh_of({p / 2, p - p / 2}));
      EXPECT_LE(mesh::control_time(geometry, testing::random_bpc(random, p)),
                static_cast<Count>(4 * p * p + 8 * p));
    }
}

TEST(MeshPermute, bit_reversal_on_8x8_takes_28_unit_routes_and_12_long_ones) {
  const MeshGeometry geometry(mesh_of({3, 3}));
  const BpcVector reversal = bpc({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(mesh::permute(geometry, reversal, Variant::general).cost(),
            (Cost{.unit_routes = 28, .long_routes = 12, .register_ops = 21}));
  EXPECT_EQ(mesh::permute(geometry, reversal, Variant::plus).cost(),
            (Cost{.unit_routes = 28, .long_routes = 12, .register_ops = 9}));
}

TEST(MeshPermute, every_bpc_map_on_every_shape_takes_exactly_beta) {
  const int p_max = testing::full_run() ? 5 : (testing::sanitized() ? 3 : 4);
  for (int p = 0; p <= p_max; ++p)
    for (const std::vector<int>& shape : testing::shapes_of(p)) {
      const Mesh mesh = mesh_of(shape);
      const MeshGeometry geometry(mesh);
      testing::for_every_bpc(p, [&](const BpcVector& bits) {
        if (geometry.proper_dimensions() <= 2) {
          expect_optimal(mesh, bits, Variant::two_dimensions);
          expect_optimal(mesh, bits, Variant::any_pairs);
        }
        expect_optimal(mesh, bits, Variant::general);
        expect_optimal(mesh, bits, Variant::plus);
      });
    }
}

TEST(MeshPermute, random_maps_up_to_16_bits_take_exactly_beta_by_replay_too) {
  Random random(3);
  const int rounds = testing::full_run() ? 4000 : (testing::sanitized() ? 20 : 200);
  for (int round = 0; round < rounds; ++round) {
    const int p = 5 + static_cast<int>(random.below(testing::full_run() ? 12 : 8));
    // Sides of 1 own no bits and change nothing.
    std::vector<int> shape = testing::random_shape(random, p);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(random.below(shape.size() + 1)), 0);
    const auto wrap = static_cast<Mesh::Wrap>(random.below(3));
    const Mesh mesh = mesh_of(shape, wrap);
    const BpcVector bits = testing::random_bpc(random, p);
    for (const Variant variant : {Variant::general, Variant::plus}) {
      expect_optimal(mesh, bits, variant);
      const auto program = mesh::permute(MeshGeometry(mesh), bits, variant);
      ASSERT_TRUE(
          judged(*mesh_replay(), header_for(mesh, bits.map()), program.instructions()).ok());
    }
  }
}

TEST(MeshPermute, two_to_the_forty_processors_and_more_are_planned_and_proved_of_their_bits) {
  Random random(9);
  for (const auto& shape :
       std::vector<std::vector<int>>{{20, 20}, {10, 10, 10, 10}, {40}, {30, 30}, {20, 20, 20}}) {
    const Mesh mesh = mesh_of(shape);
    const MeshGeometry geometry(mesh);
    const BpcVector bits = testing::random_bpc(random, geometry.bits());
    const auto program = mesh::permute(geometry, bits, Variant::plus);
    const auto planning =
        testing::memory_asked([&] { mesh::permute(geometry, bits, Variant::plus); });
    const auto proving = testing::memory_asked(
        [&] { judged(*mesh_proof(), header_for(mesh, bits.map()), program.instructions()); });
    EXPECT_LT(planning.times, 80U);
    EXPECT_LT(planning.bytes, 128U << 10U);
    EXPECT_LT(proving.times, 60000U);
    EXPECT_LT(proving.bytes, 20U << 20U);
    // Kilobytes: routes and operations are linear in the bits.
    EXPECT_LT(program.instructions().size(), static_cast<std::size_t>(10 * geometry.bits()));
    expect_optimal(mesh, bits, Variant::general);
    expect_optimal(mesh, bits, Variant::plus);
  }
}

TEST(TorusPermute, every_bpc_map_takes_at_most_beta_and_at_least_gamma) {
  const int p_max = testing::full_run() ? 5 : (testing::sanitized() ? 3 : 4);
  for (int p = 1; p <= p_max; ++p)
    for (const std::vector<int>& shape : testing::shapes_of(p)) {
      const Mesh torus = mesh_of(shape, Mesh::Wrap::orthogonal);
      const MeshGeometry geometry(torus);
      testing::for_every_bpc(p, [&](const BpcVector& bits) {
        const auto program = mesh::permute(geometry, bits, Variant::torus);
        ASSERT_TRUE(
            judged(*mesh_proof(), header_for(torus, bits.map()), program.instructions()).ok())
            << geometry.shape_text() << " " << bits.text();
        ASSERT_LE(program.cost().unit_routes, mesh::beta_by_bits(geometry, bits));
        ASSERT_GE(program.cost().unit_routes,
                  lower_bound(torus, MapGoal{.map = bits.map()}, 1).value)
            << geometry.shape_text() << " " << bits.text();
      });
    }
}

TEST(TorusPermute, named_maps_cost_what_the_shortcuts_save) {
  const auto cost = [](std::vector<int> shape, const BpcVector& bits) {
    return mesh::permute(MeshGeometry(mesh_of(std::move(shape), Mesh::Wrap::orthogonal)), bits,
                         Variant::torus)
        .cost();
  };
  EXPECT_EQ(cost({2, 2}, bpc({1, 0, 3, 2})),
            (Cost{.unit_routes = 8, .long_routes = 6, .register_ops = 6}));
  EXPECT_EQ(cost({3, 3}, bpc({0, 1, 2, 3, 4, 5})),
            (Cost{.unit_routes = 20, .long_routes = 10, .register_ops = 11}));
  EXPECT_EQ(cost({1, 1, 1}, bpc({0, 2, 1})),
            (Cost{.unit_routes = 3, .long_routes = 3, .register_ops = 7}));
  EXPECT_EQ(cost({2, 2}, bpc({3, 2, 1, 0}, {0, 1, 2, 3})),
            (Cost{.unit_routes = 8, .long_routes = 6, .register_ops = 10}));
}

TEST(TorusPermute, programs_for_two_to_the_sixty_processors_are_proved) {
  Random random(10);
  for (const auto& shape : std::vector<std::vector<int>>{{20, 20}, {30, 30}, {20, 20, 20}, {60}})
    for (int round = 0; round < (testing::sanitized() ? 1 : 3); ++round) {
      const Mesh torus = mesh_of(shape, Mesh::Wrap::orthogonal);
      const MeshGeometry geometry(torus);
      BpcVector bits = testing::random_bpc(random, geometry.bits());
      if (round == 0)
        for (int i = 0; i < geometry.bits(); ++i)
          bits.target[static_cast<std::size_t>(i)] = geometry.bits() - 1 - i;
      const auto program = mesh::permute(geometry, bits, Variant::torus);
      const Verdict proof =
          judged(*mesh_proof(), header_for(torus, bits.map()), program.instructions());
      EXPECT_TRUE(proof.ok()) << geometry.shape_text() << " " << bits.text() << proof.limit;
    }
}

// 2^22 processors in the full run.
TEST(MeshPermute, replay_spells_out_millions_of_processors) {
  const int side = testing::full_run() ? 11 : (testing::sanitized() ? 7 : 9);
  Random random(22);
  const Mesh mesh = mesh_of({side, side});
  const BpcVector bits = testing::random_bpc(random, 2 * side);
  const auto program = mesh::permute(MeshGeometry(mesh), bits, Variant::plus);
  const Verdict replay =
      judged(*mesh_replay(), header_for(mesh, bits.map()), program.instructions());
  EXPECT_TRUE(replay.ok());
  EXPECT_EQ(replay.delivered, Count{1} << (2 * side));
}

// Table V of the paper, its printed rows; and the sequence that Example 4.4 prints.
TEST(MeshPermute, interchanges_come_in_the_order_of_the_paper) {
  const auto pairs = [](const std::vector<mesh::Interchange>& all) {
    std::vector<std::pair<int, int>> result;
    for (const mesh::Interchange& b : all)
      result.emplace_back(std::max(b.i, b.j), std::min(b.i, b.j));
    return result;
  };
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(pairs(mesh::interchanges_of(MeshGeometry(mesh_of({2, 2})), bpc({0, 3, 2, 1}))),
            (Pairs{{1, 0}, {3, 2}, {2, 0}}));
  EXPECT_EQ(
      pairs(mesh::interchanges_of(MeshGeometry(mesh_of({4, 4})), bpc({7, 5, 3, 1, 6, 4, 2, 0}))),
      (Pairs{{2, 1}, {4, 1}, {5, 3}, {6, 5}}));
}

}  // namespace
}  // namespace faro
