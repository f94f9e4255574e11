// Requests on SIMD meshes: who is chosen, and what a file says of it.
#include <gtest/gtest.h>

#include "faro/machines/verify/mesh.hpp"
#include "faro/planners/mesh_gamma.hpp"
#include "faro/planners/torus_digit.hpp"
#include "faro/service/plan.hpp"
#include "machines/mesh_cases.hpp"

namespace faro {
namespace {

Request reversal_on(const Mesh& mesh) {
  Request request;
  request.machine = mesh;
  BpcVector bits;
  const int p = MeshGeometry(mesh).bits();
  for (int i = 0; i < p; ++i) {
    bits.target.push_back(p - 1 - i);
    bits.inverted.push_back(false);
  }
  request.map.map = bits.map();
  return request;
}

TEST(MeshPlan, the_cheapest_torus_planner_is_taken) {
  const PlanReport small = plan(reversal_on(testing::mesh_of({3, 3}, Mesh::Wrap::orthogonal)));
  EXPECT_EQ(small.planner, &mesh_gamma);
  EXPECT_EQ(small.value(), 14U);
  const PlanReport large = plan(reversal_on(testing::mesh_of({5, 5}, Mesh::Wrap::orthogonal)));
  EXPECT_EQ(large.planner, &torus_digit);
  EXPECT_EQ(large.value(), 66U);
  EXPECT_EQ(large.bound.value, 62U);
  EXPECT_TRUE(large.ok());
}

TEST(MeshPlan, a_request_costs_k_performances_and_its_file_one) {
  Request request = reversal_on(testing::mesh_of({3, 3}));
  request.elements = 5;
  RecordingSink file;
  const PlanReport report = plan(request, {.sink = &file});
  EXPECT_EQ(report.value(), 140U);
  EXPECT_EQ(report.bound.value, 140U);
  ASSERT_TRUE(file.header.cost && file.header.bound);
  EXPECT_EQ(file.header.cost->unit_routes, Count{28});
  EXPECT_EQ(file.header.bound->value, 28U);
  for (auto* make : {mesh_replay, mesh_proof}) {
    const auto verifier = make();
    file.replay_into(*verifier);
    EXPECT_TRUE(verifier->verdict().ok());
    EXPECT_EQ(verifier->verdict().cost.unit_routes, 28U);
  }
}

}  // namespace
}  // namespace faro
