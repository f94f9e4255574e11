// Networks of exchanges on meshes: any permutation, at the counts of the literature.
#include "planners/mesh/networks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "draft.hpp"
#include "full.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using testing::mesh_of;
using testing::random_permutation;

// Built and judged by replay.
Cost checked(const Planner& planner, const Mesh& machine, std::vector<Word> destinations) {
  testing::Draft request;
  request.machine = machine;
  request.destinations = std::move(destinations);
  EXPECT_FALSE(planner.refusal(request));
  const Offer offer = planner.offer(request);
  const auto replay = mesh_replay();
  offer.push(*replay);
  EXPECT_TRUE(replay->verdict().ok());
  EXPECT_EQ(offer.estimate.cost.value, replay->verdict().cost.unit_routes);
  EXPECT_EQ(planner.at_least(request), replay->verdict().cost.unit_routes);
  return replay->verdict().cost;
}

// Thompson: 7 sqrt(N) - 8. Nassimi and Sahni: 14(n - 1) - 8 log n for data alone.
TEST(MeshNetworks, take_what_their_authors_say_on_squares) {
  Random random(80);
  for (int log2 = 1; log2 <= 4; ++log2) {
    const Count n = bit(log2);
    const Mesh mesh = mesh_of({log2, log2});
    const std::vector<Word> to = random_permutation(bit(2 * log2), random);
    EXPECT_EQ(checked(mesh_benes, mesh, to).unit_routes, 7 * n - 8);
    EXPECT_EQ(checked(mesh_sort, mesh, to).unit_routes,
              14 * (n - 1) - 8 * static_cast<Count>(log2));
  }
}

TEST(MeshNetworks, do_every_permutation_of_eight_processors) {
  for (const std::vector<int>& shape : {std::vector<int>{3}, {1, 2}, {1, 1, 1}}) {
    const MeshGeometry geometry(mesh_of(shape));
    std::vector<Word> to(8);
    std::iota(to.begin(), to.end(), Word{0});
    std::size_t tried = 0;
    do {
      if (!testing::full_run() && ++tried % 7 != 0) continue;
      for (auto* stages : {mesh::benes_stages, mesh::sort_stages}) {
        std::vector<Word> at(8);
        std::iota(at.begin(), at.end(), Word{0});
        for (const mesh::ExchangeStage& stage : stages(geometry, to))
          for (Word m = 0; m < 8; ++m)
            if (stage.crosses[m]) at[m] ^= bit(stage.address_bit);
        ASSERT_EQ(at, to);
      }
    } while (std::next_permutation(to.begin(), to.end()));
  }
}

TEST(MeshNetworks, run_on_every_wraparound_with_two_registers) {
  Random random(81);
  for (const auto wrap : {Mesh::Wrap::none, Mesh::Wrap::orthogonal, Mesh::Wrap::propagating})
    for (const std::vector<int>& shape : {std::vector<int>{3, 0, 2}, {1, 1, 1}, {0}})
      for (const Planner* planner : {&mesh_benes, &mesh_sort}) {
        const Mesh mesh = mesh_of(shape, wrap);
        const Word n = MeshGeometry(mesh).processors();
        checked(*planner, mesh, random_permutation(n, random));
      }
}

}  // namespace
}  // namespace faro
