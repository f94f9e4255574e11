// Planners that choose processors one by one: sweeps, digits, the GAMMA scheduler.
#include <gtest/gtest.h>

#include "draft.hpp"
#include "faro/schedules/cost.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"
#include "maps.hpp"
#include "planners/mesh/gamma.hpp"
#include "planners/mesh/permute.hpp"
#include "planners/mesh/sweep.hpp"
#include "planners/mesh/tables.hpp"
#include "planners/mesh/torus_digit.hpp"

namespace faro {
namespace {

using mesh::Variant;
using testing::bpc;
using testing::mesh_of;
using testing::numbers;
using testing::random_permutation;
using testing::shape_from;
using testing::table;
using testing::vector_from;

struct Checked {
  Cost cost;
  std::uint64_t registers = 0;
};

// Built, judged by replay, counted as estimated.
Checked checked(const Planner& planner, const testing::Draft& request) {
  RecordingSink recorded;
  planner.offer(request).push(recorded);
  const auto replay = mesh_replay();
  recorded.replay_into(*replay);
  const Verdict verdict = replay->verdict();
  EXPECT_TRUE(verdict.ok()) << (verdict.violations.empty() ? ""
                                                           : verdict.violations.front().message);
  const Estimate estimate = planner.offer(request).estimate;
  EXPECT_EQ(estimate.cost.value, verdict.cost.unit_routes);
  EXPECT_EQ(estimate.ties,
            (std::vector<Count>{verdict.cost.long_routes, verdict.cost.register_ops}));
  return {verdict.cost, recorded.header.slots};
}

testing::Draft request_for(const Mesh& mesh, const BitMap& map) {
  testing::Draft request;
  request.machine = mesh;
  request.map.map = map;
  return request;
}

Count gamma_of(const Mesh& torus, const BpcVector& bits) {
  return lower_bound(torus, MapGoal{.map = bits.map()}, 1).value;
}

TEST(MeshSweep, bit_reversal_on_a_ring_of_16_takes_gamma_which_is_13) {
  const Mesh ring = mesh_of({4}, Mesh::Wrap::orthogonal);
  const BpcVector reversal = bpc({0, 1, 2, 3});
  EXPECT_EQ(gamma_of(ring, reversal), 13U);
  EXPECT_EQ(checked(mesh_sweep, request_for(ring, reversal.map())).cost.unit_routes, 13U);
}

TEST(MeshSweep, maps_that_keep_every_coordinate_apart_are_swept_in_the_bound) {
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{3}, {1, 2}, {2, 2}})
    for (const auto wrap : {Mesh::Wrap::none, Mesh::Wrap::orthogonal}) {
      const Mesh mesh = mesh_of(shape, wrap);
      const MeshGeometry geometry(mesh);
      testing::for_every_bpc(geometry.bits(), [&](const BpcVector& bits) {
        if (!mesh::sets_of(geometry, bits).exiting.empty()) return;
        const Checked result = checked(mesh_sweep, request_for(mesh, bits.map()));
        ASSERT_EQ(result.cost.unit_routes, gamma_of(mesh, bits)) << bits.text();
      });
    }
}

TEST(MeshSweep, any_permutation_along_one_dimension_takes_the_bound) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    testing::Draft request;
    const Mesh mesh = mesh_of({2, 3}, round % 2 == 0 ? Mesh::Wrap::none : Mesh::Wrap::orthogonal);
    request.machine = mesh;
    for (Word row = 0; row < 4; ++row)
      for (const Word to : random_permutation(8, random))
        request.destinations.push_back(row * 8 + to);
    ASSERT_FALSE(mesh_sweep.refusal(request));
    const Checked result = checked(mesh_sweep, request);
    ASSERT_EQ(result.cost.unit_routes, lower_bound(mesh, request.destinations, 1).value);
  }
}

TEST(TorusDigit, a_4x4_transpose_takes_6_unit_routes_in_4_long_ones) {
  const Mesh torus = mesh_of({2, 2}, Mesh::Wrap::orthogonal);
  const Checked result = checked(torus_digit, request_for(torus, bpc({1, 0, 3, 2}).map()));
  EXPECT_EQ(result.cost.unit_routes, 6U);
  EXPECT_EQ(result.cost.long_routes, 4U);
  EXPECT_EQ(result.registers, 2U);
}

TEST(TorusDigit, every_bpc_map_up_to_four_bits_takes_at_most_all_digits) {
  const int p_max = testing::full_run() ? 4 : 3;
  for (const auto wrap : {Mesh::Wrap::orthogonal, Mesh::Wrap::propagating})
    for (int p = 1; p <= p_max; ++p)
      for (const std::vector<int>& shape : testing::shapes_of(p)) {
        const Mesh torus = mesh_of(shape, wrap);
        const MeshGeometry geometry(torus);
        Count most = 0;
        for (int k = 0; k < geometry.dimensions(); ++k)
          most += static_cast<Count>(geometry.side(k) - 1);
        testing::for_every_bpc(p, [&](const BpcVector& bits) {
          const testing::Draft request = request_for(torus, bits.map());
          ASSERT_FALSE(torus_digit.refusal(request)) << bits.text();
          const Checked result = checked(torus_digit, request);
          ASSERT_LE(result.cost.unit_routes, most);
          ASSERT_LE(result.cost.long_routes, static_cast<Count>(2 * p));
        });
      }
}

// n x n bit reversal has no order of its digits for n = 8, 16, 32.
TEST(TorusDigit, bits_that_stay_out_of_the_digits_help_where_there_is_no_order) {
  const auto units = [](int side_log2, const BpcVector& reversal) {
    const Mesh torus = mesh_of({side_log2, side_log2}, Mesh::Wrap::orthogonal);
    const Checked result = checked(torus_digit, request_for(torus, reversal.map()));
    EXPECT_LE(result.registers, 3U);
    return result.cost.unit_routes;
  };
  EXPECT_EQ(units(3, bpc({0, 1, 2, 3, 4, 5})), 15U);
  EXPECT_EQ(units(4, bpc({0, 1, 2, 3, 4, 5, 6, 7})), 32U);
  EXPECT_EQ(units(5, bpc({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})), 66U);
}

Count side_sum(const MeshGeometry& geometry) {
  Count sum = 0;
  for (int k = 0; k < geometry.dimensions(); ++k) sum += static_cast<Count>(geometry.side(k) - 1);
  return sum;
}

std::vector<Word> destinations_of(const BpcVector& bits) {
  const BitMap map = bits.map();
  std::vector<Word> destinations;
  for (Word p = 0; p < bit(bits.bits()); ++p) destinations.push_back(map(p));
  return destinations;
}

// Every one of the 46 080 on each shape in the full run.
TEST(TorusDigit, six_bits_take_at_most_one_unit_route_more_than_all_digits) {
  Random random(6);
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{3, 3}, {2, 2, 2}, {2, 4}}) {
    const MeshGeometry geometry(mesh_of(shape, Mesh::Wrap::orthogonal));
    const auto expect_short = [&](const BpcVector& bits) {
      const auto program = mesh::route_digits(geometry, destinations_of(bits));
      ASSERT_TRUE(program) << bits.text();
      ASSERT_LE(program->cost().unit_routes, side_sum(geometry) + 1) << bits.text();
    };
    if (testing::full_run()) {
      testing::for_every_bpc(6, expect_short);
    } else {
      for (int round = 0; round < (testing::sanitized() ? 10 : 200); ++round)
        expect_short(testing::random_bpc(random, 6));
    }
  }
}

TEST(TorusDigit, lists_of_destinations_are_routed_where_an_order_is_found) {
  Random random(61);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    testing::Draft request;
    request.machine = mesh_of({1, 2}, static_cast<Mesh::Wrap>(1 + random.below(2)));
    request.destinations = random_permutation(8, random);
    if (torus_digit.refusal(request)) continue;
    ++found;
    checked(torus_digit, request);
  }
  EXPECT_GT(found, 5);
}

// Top bits and the cycles through them by digits, other cycles by PERMUTE.
TEST(TorusDigit, large_tori_are_routed_by_parts_and_proved) {
  Random random(62);
  int found = 0;
  for (int round = 0; round < (testing::sanitized() ? 3 : 15); ++round) {
    const int p = 13 + static_cast<int>(random.below(28));
    const Mesh torus = mesh_of(testing::random_shape(random, p), Mesh::Wrap::orthogonal);
    const MeshGeometry geometry(torus);
    // Three or four bits a cycle, so that some are short enough.
    BpcVector bits;
    for (int i = 0; i < p; ++i) {
      bits.target.push_back(i);
      bits.inverted.push_back(random.below(3) == 0);
    }
    for (int swaps = 0; swaps < p / 2; ++swaps)
      std::swap(bits.target[random.below(static_cast<Word>(p))],
                bits.target[random.below(static_cast<Word>(p))]);
    const auto program = mesh::route_digits_by_parts(geometry, bits);
    if (!program) continue;
    ++found;
    const Verdict proof = testing::judged(*mesh_proof(), testing::header_for(torus, bits.map()),
                                          program->instructions());
    ASSERT_TRUE(proof.ok()) << geometry.shape_text() << " " << bits.text() << proof.limit;
    ASSERT_GE(proof.cost.unit_routes, gamma_of(torus, bits));
  }
  EXPECT_GT(found, testing::sanitized() ? 0 : 3);
}

TEST(TorusDigit, a_transpose_of_1024x1024_takes_2108_unit_routes) {
  BpcVector transpose;
  for (int i = 0; i < 20; ++i) {
    transpose.target.push_back((i + 10) % 20);
    transpose.inverted.push_back(false);
  }
  const testing::Draft request =
      request_for(mesh_of({10, 10}, Mesh::Wrap::orthogonal), transpose.map());
  EXPECT_EQ(torus_digit.offer(request).estimate.cost.value, 2108U);
  EXPECT_EQ(torus_permute.offer(request).estimate.cost.value, 3068U);
}

TEST(MeshGamma, every_bpc_map_on_small_tori_reaches_gamma_with_two_registers) {
  const int p_max = testing::full_run() ? 4 : 3;
  for (int p = 1; p <= p_max; ++p)
    for (const std::vector<int>& shape : testing::shapes_of(p)) {
      const Mesh torus = mesh_of(shape, Mesh::Wrap::orthogonal);
      testing::for_every_bpc(p, [&](const BpcVector& bits) {
        const Checked result = checked(mesh_gamma, request_for(torus, bits.map()));
        ASSERT_EQ(result.cost.unit_routes, gamma_of(torus, bits)) << bits.text();
        ASSERT_LE(result.registers, 2U) << bits.text();
      });
    }
}

TEST(MeshGamma, random_maps_of_64_processors_reach_gamma) {
  Random random(11);
  const int rounds = testing::full_run() ? 400 : (testing::sanitized() ? 2 : 20);
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{3, 3}, {2, 2, 2}})
    for (int round = 0; round < rounds; ++round) {
      const Mesh torus = mesh_of(shape, Mesh::Wrap::orthogonal);
      const BpcVector bits = testing::random_bpc(random, 6);
      const Checked result = checked(mesh_gamma, request_for(torus, bits.map()));
      ASSERT_EQ(result.cost.unit_routes, gamma_of(torus, bits)) << bits.text();
    }
}

TEST(MeshGamma, random_destinations_reach_the_bound_on_mesh_and_torus) {
  Random random(12);
  const int rounds = testing::full_run() ? 40 : (testing::sanitized() ? 1 : 3);
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{3, 3}, {2, 2, 2}})
    for (const auto wrap : {Mesh::Wrap::none, Mesh::Wrap::orthogonal})
      for (int round = 0; round < rounds; ++round) {
        const Mesh mesh = mesh_of(shape, wrap);
        testing::Draft request;
        request.machine = mesh;
        request.destinations = random_permutation(64, random);
        const Checked result = checked(mesh_gamma, request);
        ASSERT_EQ(result.cost.unit_routes, lower_bound(mesh, request.destinations, 1).value);
      }
}

TEST(MeshGamma, propagating_wraparound_is_used_down_to_its_bound) {
  Random random(13);
  const Mesh machine = mesh_of({3, 3}, Mesh::Wrap::propagating);
  const Checked reversal = checked(mesh_gamma, request_for(machine, bpc({0, 1, 2, 3, 4, 5}).map()));
  EXPECT_EQ(reversal.cost.unit_routes, 14U);
  const int rounds = testing::full_run() ? 60 : (testing::sanitized() ? 1 : 4);
  for (int round = 0; round < rounds; ++round) {
    testing::Draft request = request_for(machine, testing::random_bpc(random, 6).map());
    ASSERT_EQ(checked(mesh_gamma, request).cost.unit_routes,
              lower_bound(machine, request.map, 1).value);
    request.destinations = random_permutation(64, random);
    ASSERT_EQ(checked(mesh_gamma, request).cost.unit_routes,
              lower_bound(machine, request.destinations, 1).value);
  }
}

TEST(MeshGamma, five_hundred_processors_where_sides_are_short) {
  Random random(14);
  const Mesh machine = mesh_of({3, 3, 3});
  const testing::Draft request = request_for(machine, testing::random_affine(9, random));
  EXPECT_EQ(checked(mesh_gamma, request).cost.unit_routes,
            lower_bound(machine, request.map, 1).value);
  EXPECT_FALSE(mesh_gamma.refusal(Request::of("a -> gray(a)", "mesh:16x32")));
  EXPECT_TRUE(mesh_gamma.refusal(Request::of("a -> gray(a)", "mesh:2x256")));
  EXPECT_TRUE(mesh_gamma.refusal(Request::of("a -> gray(a)", "mesh:32x32")));
  EXPECT_TRUE(mesh_gamma.refusal(Request::of("a -> gray(a)", "mesh:8x8x8,propagating")));
}

// The request costs K performances; the file, its verifiers and its bound speak of one.
TEST(MeshElements, a_request_for_k_elements_costs_k_performances) {
  testing::Judged judged(6);
  for (const auto wrap : {Mesh::Wrap::none, Mesh::Wrap::orthogonal}) {
    testing::Draft request = request_for(mesh_of({2, 2}, wrap), bpc({1, 0, 3, 2}, {0, 2}).map());
    request.elements = 3;
    for (const Planner* planner :
         {&mesh_permute, &mesh_permute_plus, &torus_permute, &torus_digit, &mesh_gamma}) {
      if (planner->refusal(request)) continue;
      ++judged;
      RecordingSink recorded;
      CostCounter counter;
      planner->offer(request).push(recorded);
      recorded.replay_into(counter);
      recorded.header.cost = counter.cost();
      for (auto* make : {mesh_replay, mesh_proof}) {
        const auto verifier = make();
        recorded.replay_into(*verifier);
        EXPECT_TRUE(verifier->verdict().ok()) << planner->name();
      }
      EXPECT_EQ(planner->offer(request).estimate.cost.value, 3 * counter.cost().unit_routes);
      EXPECT_EQ(performed(counter.cost(), request.machine, 3).register_ops,
                3 * counter.cost().register_ops);
      request.elements = 1;
      EXPECT_EQ(planner->offer(request).estimate.cost.value, counter.cost().unit_routes);
      request.elements = 3;
    }
  }
}

// --- Golden tables -----------------------------------------------------------------------------

std::vector<Count> quadruple(const mesh::MeshProgram& program) {
  const Cost cost = program.cost();
  return {cost.unit_routes, cost.long_routes, cost.register_ops,
          static_cast<Count>(std::popcount(program.registers_used()))};
}

TEST(MeshGolden, every_map_up_to_three_bits_costs_what_the_tables_say) {
  const auto rows = table("grid.txt");
  ASSERT_EQ(rows.size(), 105U);
  for (const auto& row : rows) {
    const Mesh mesh = mesh_of(shape_from(row[0]));
    const Mesh torus = mesh_of(shape_from(row[0]), Mesh::Wrap::orthogonal);
    const BpcVector bits = vector_from(row[1]);
    const MeshGeometry geometry(mesh);
    const MeshGeometry ring(torus);
    EXPECT_EQ(mesh::beta_by_bits(geometry, bits), numbers(row[2])[0]);
    EXPECT_EQ(gamma_of(torus, bits), numbers(row[3])[0]);
    EXPECT_EQ(quadruple(mesh::permute(geometry, bits, Variant::general)), numbers(row[4]))
        << row[0] << " " << row[1];
    EXPECT_EQ(quadruple(mesh::permute(geometry, bits, Variant::plus)), numbers(row[5]))
        << row[0] << " " << row[1];
    const auto shortcuts = quadruple(mesh::permute(ring, bits, Variant::torus));
    EXPECT_EQ(shortcuts[0], numbers(row[6])[0]) << row[0] << " " << row[1];
    EXPECT_LE(shortcuts[1], numbers(row[6])[1]) << row[0] << " " << row[1];
    Count best = shortcuts[0];
    const testing::Draft request = request_for(torus, bits.map());
    for (const Planner* planner : {&mesh_sweep, &torus_digit, &mesh_gamma})
      if (!planner->refusal(request))
        best = std::min(best, planner->offer(request).estimate.cost.value);
    EXPECT_LE(best, numbers(row[7])[0]) << row[0] << " " << row[1];
  }
}

TEST(MeshGolden, named_maps_cost_what_the_tables_say) {
  const auto rows = table("named.txt");
  ASSERT_EQ(rows.size(), 30U);
  for (const auto& row : rows) {
    const std::string where = row[0] + " " + row[1];
    const MeshGeometry geometry(mesh_of(shape_from(row[0])));
    const MeshGeometry ring(mesh_of(shape_from(row[0]), Mesh::Wrap::orthogonal));
    const BpcVector bits = vector_from(row[1]);
    EXPECT_EQ(mesh::beta_by_bits(geometry, bits), numbers(row[2])[0]) << where;
    EXPECT_EQ(gamma_of(ring.mesh(), bits), numbers(row[3])[0]) << where;
    EXPECT_EQ(quadruple(mesh::permute(geometry, bits, Variant::general)), numbers(row[4])) << where;
    EXPECT_EQ(quadruple(mesh::permute(geometry, bits, Variant::plus)), numbers(row[5])) << where;
    EXPECT_EQ(quadruple(mesh::permute(ring, bits, Variant::torus))[0], numbers(row[6])[0]) << where;
    const testing::Draft request = request_for(ring.mesh(), bits.map());
    ASSERT_FALSE(torus_digit.refusal(request)) << where;
    if (row[7] != "-") {
      EXPECT_LE(torus_digit.offer(request).estimate.cost.value, numbers(row[7])[0]) << where;
    }
    if (row[8] != "-") {
      EXPECT_EQ(mesh_sweep.offer(request).estimate.cost.value, numbers(row[8])[0]) << where;
    }
  }
}

}  // namespace
}  // namespace faro
