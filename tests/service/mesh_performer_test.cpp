// The simulated meshes and the engine give the same array.
#include <gtest/gtest.h>

#include "draft.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/service/plan.hpp"
#include "machines/mesh_cases.hpp"
#include "machines/performer.hpp"

namespace faro {
namespace {

std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span<const double>(values));
  return {bytes.begin(), bytes.end()};
}

// Every planner that applies, on every kind of mesh; K elements a processor move alike.
TEST(MeshPerformer, every_planner_performed_on_data_is_the_engine_s_permutation) {
  Random random(6);
  int performed = 0;
  for (int round = 0; round < 24; ++round) {
    const BpcVector bits = testing::random_bpc(random, 4);
    Mesh mesh = testing::mesh_of(testing::random_shape(random, 4),
                                 static_cast<Mesh::Wrap>(random.below(3)));
    if (round % 4 == 3) {
      mesh.links = Mesh::Links::all;
      mesh.wrap = static_cast<Mesh::Wrap>(random.below(2));
    }
    const int memory_bits = static_cast<int>(random.below(3));
    testing::Draft request;
    request.machine = mesh;
    request.map.map = bits.map();
    request.elements = bit(memory_bits);
    const BitMap whole = beside(bits.map(), BitMap::identity(memory_bits));
    std::vector<double> from;
    for (Word i = 0; i < bit(4 + memory_bits); ++i) from.push_back(static_cast<double>(i) + 0.25);
    std::vector<double> expected(from.size());
    permute<double>(whole, from, expected);
    for (const Planner* planner : catalogue()) {
      if (planner->refusal(request)) continue;
      const std::vector<std::byte> data = bytes_of(from);
      const auto performer = make_performer(data, sizeof(double));
      planner->offer(request).push(*performer);
      EXPECT_EQ(performer->take_result(), bytes_of(expected)) << planner->name();
      ++performed;
    }
  }
  EXPECT_GT(performed, 60);
}

}  // namespace
}  // namespace faro
