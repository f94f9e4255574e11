// Requests on SIMD meshes: who is chosen, and what a file says of it.
#include <gtest/gtest.h>

#include "draft.hpp"
#include "faro/service/plan.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"
#include "planners/mesh/gamma.hpp"
#include "planners/mesh/torus_digit.hpp"

namespace faro {
namespace {

testing::Draft reversal_on(const Mesh& mesh) {
  testing::Draft request;
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
  const MachinePlan small = plan(reversal_on(testing::mesh_of({3, 3}, Mesh::Wrap::orthogonal)));
  EXPECT_EQ(small.planner(), "mesh-gamma");
  EXPECT_EQ(small.value(), 14U);
  const MachinePlan large = plan(reversal_on(testing::mesh_of({5, 5}, Mesh::Wrap::orthogonal)));
  EXPECT_EQ(large.planner(), "torus-digit");
  EXPECT_EQ(large.value(), 66U);
  EXPECT_EQ(large.bound().value, 62U);
  EXPECT_TRUE(large.ok());
}

TEST(MeshPlan, a_request_costs_k_performances_and_its_file_one) {
  testing::Draft request = reversal_on(testing::mesh_of({3, 3}));
  request.elements = 5;
  RecordingSink file;
  const MachinePlan report = plan(request);
  report.push(file);
  EXPECT_EQ(report.value(), 140U);
  EXPECT_EQ(report.bound().value, 140U);
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
