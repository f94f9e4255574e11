// Planners and bounds of the mesh with all links.
#include <gtest/gtest.h>

#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh_cases.hpp"
#include "machines/performer.hpp"
#include "maps.hpp"
#include "planners/links/route.hpp"
#include "planners/mesh/tables.hpp"

namespace faro {
namespace {

Mesh all_links(std::vector<int> shape, Mesh::Wrap wrap = Mesh::Wrap::none) {
  return {.sides_log2 = std::move(shape), .wrap = wrap, .links = Mesh::Links::all};
}

// Built and replayed, with the bound and its certificate checked too.
Count steps_of(const Planner& planner, const testing::Draft& request, const Bound& bound) {
  RecordingSink recorded;
  planner.offer(request).push(recorded);
  recorded.header.bound = bound;
  const auto replay = cube_replay();
  recorded.replay_into(*replay);
  const Verdict verdict = replay->verdict();
  EXPECT_TRUE(verdict.ok()) << verdict.violations.front().message;
  return verdict.cost.steps;
}

TEST(LinksRoute, an_8x8_transpose_of_four_elements_each) {
  testing::Draft request;
  const Mesh mesh = all_links({3, 3});
  request.machine = mesh;
  request.map.map = testing::bpc({2, 1, 0, 5, 4, 3}).map();
  request.elements = 4;
  const Bound bound = lower_bound(mesh, request.map, 4);
  EXPECT_EQ(bound.value, 14U);
  EXPECT_EQ(steps_of(links_dimension_order, request, bound), 29U);
  EXPECT_LE(steps_of(links_congestion, request, bound), 15U);
}

TEST(LinksRoute, what_crosses_too_many_links_is_refused_with_the_number) {
  testing::Draft request;
  request.machine = all_links({10, 10}, Mesh::Wrap::orthogonal);
  request.map.map = BitMap::from_matrix(BitMatrix::identity(20), low_mask(20));
  for (const Planner* planner :
       {(const Planner*)&links_dimension_order, (const Planner*)&links_mixed_orders}) {
    // A complement goes 2c+1 along each side, the short way round: 256 on average.
    EXPECT_NE(planner->refusal(request).value_or("").find("cross 536870912 links"),
              std::string::npos)
        << planner->name();
  }
  request.machine = all_links({3, 3}, Mesh::Wrap::orthogonal);
  request.map.map = BitMap::from_matrix(BitMatrix::identity(6), low_mask(6));
  request.elements = bit(14);
  EXPECT_FALSE(links_dimension_order.refusal(request));
}

TEST(LinksRoute, every_case_of_the_table_is_reached) {
  const auto rows = testing::table("links.txt");
  ASSERT_EQ(rows.size(), 42U);
  testing::Judged judged(testing::sanitized() ? 2 : 10);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (int column = 0; column < 3; ++column) {
      const bool large = column == 2;
      if (!testing::full_run() && (large ? row % 14 != 1 : row % 8 != 0)) continue;
      if (testing::sanitized() && (large || row % 14 != 0)) continue;
      ++judged;
      const auto& cells = rows[row];
      const std::string where = cells[0] + " " + cells[1] + " " + cells[2];
      const Mesh mesh = all_links(testing::shape_from(cells[0]),
                                  cells[1] == "none" ? Mesh::Wrap::none : Mesh::Wrap::orthogonal);
      const auto expected = testing::numbers(cells[4 + static_cast<std::size_t>(column)]);
      testing::Draft request;
      request.machine = mesh;
      request.map.map = testing::vector_from(cells[3]).map();
      request.elements = column == 0 ? 1 : column == 1 ? 4 : 16;
      const Bound bound = lower_bound(mesh, request.map, request.elements);
      EXPECT_EQ(bound.value, expected[0]) << where << " K " << request.elements;
      EXPECT_LE(steps_of(links_dimension_order, request, bound), expected[1])
          << where << " K " << request.elements;
      EXPECT_LE(steps_of(links_congestion, request, bound), expected[2])
          << where << " K " << request.elements;
    }
}

TEST(LinksRoute, estimates_say_what_is_built_and_none_is_worse_than_the_simple_ones) {
  Random random(4);
  for (int round = 0; round < 12; ++round) {
    testing::Draft request;
    const Mesh mesh =
        all_links(testing::random_shape(random, 4), static_cast<Mesh::Wrap>(random.below(2)));
    request.machine = mesh;
    request.elements = 1 + random.below(5);
    request.destinations = testing::random_permutation(16, random);
    const Bound bound = lower_bound(mesh, request.destinations, request.elements);
    std::vector<Count> steps;
    for (const Planner* planner :
         {&links_dimension_order, &links_mixed_orders, &links_congestion}) {
      ASSERT_FALSE(planner->refusal(request));
      steps.push_back(steps_of(*planner, request, bound));
      EXPECT_EQ(planner->offer(request).estimate.cost.value, steps.back());
    }
    EXPECT_LE(steps[2], std::min(steps[0], steps[1]));
  }
}

// Bits of the processor and of the memory change places: no two elements of a processor go alike.
TEST(LinksRoute, maps_that_move_memory_bits_are_routed_and_performed) {
  const std::vector<int> places = {4, 1, 2, 0, 3};
  testing::Draft request;
  request.machine = all_links({2, 1});
  request.map = {.map = BitMap::from_places(places, 0b10110), .cut = true, .memory_bits = 2};
  request.elements = 4;
  const Bound bound = lower_bound(std::get<Mesh>(request.machine), request.map, 4);
  for (const Planner* planner : {&links_dimension_order, &links_mixed_orders, &links_congestion}) {
    steps_of(*planner, request, bound);
    std::vector<std::byte> data;
    for (unsigned i = 0; i < 32; ++i) data.push_back(std::byte(i));
    const auto performer = make_performer(data, 1);
    planner->offer(request).push(*performer);
    const auto result = performer->take_result();
    for (Word i = 0; i < 32; ++i) EXPECT_EQ(result[request.map.map(i)], data[i]);
  }
}

}  // namespace
}  // namespace faro
