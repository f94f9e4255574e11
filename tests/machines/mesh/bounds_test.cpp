// Bounds of meshes: the papers' numbers, and the fewest routes found by trying all.
#include "machines/mesh/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "faro/words/say.hpp"
#include "full.hpp"
#include "machines/certificates/check.hpp"
#include "machines/links/bounds.hpp"
#include "machines/mesh/ring_gap.hpp"
#include "machines/mesh_cases.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using testing::bpc;
using testing::mesh_of;

Count total(const std::vector<Count>& parts) {
  Count sum = 0;
  for (const Count part : parts) sum += part;
  return sum;
}

TEST(MeshBounds, bit_reversal_on_8x8) {
  const BpcVector reversal = bpc({0, 1, 2, 3, 4, 5});
  const Bound beta = lower_bound(mesh_of({3, 3}), MapGoal{.map = reversal.map()}, 1);
  EXPECT_EQ(beta.value, 28U);
  const Bound gamma =
      lower_bound(mesh_of({3, 3}, Mesh::Wrap::orthogonal), MapGoal{.map = reversal.map()}, 3);
  EXPECT_EQ(gamma.value, 42U);
}

// (2.3), (2.4), (2.5), Table II, and twice the largest distance found by trying every processor.
TEST(MeshBounds, four_forms_of_beta_agree) {
  const int p_max = testing::full_run() ? 5 : (testing::sanitized() ? 3 : 4);
  for (int p = 1; p <= p_max; ++p)
    for (const std::vector<int>& shape : testing::shapes_of(p)) {
      const MeshGeometry geometry(mesh_of(shape));
      testing::for_every_bpc(p, [&](const BpcVector& bits) {
        const Count beta = mesh::beta_by_bits(geometry, bits);
        ASSERT_EQ(mesh::beta_by_complements(geometry, bits), beta);
        ASSERT_EQ(mesh::beta_by_sets(geometry, bits), beta);
        const std::vector<Count> parts = mesh::beta_by_dimension(geometry, bits);
        ASSERT_EQ(total(parts), beta);
        const BitMap map = bits.map();
        for (int k = 0; k < geometry.dimensions(); ++k) {
          std::int64_t farthest = 0;
          for (Word m = 0; m < geometry.processors(); ++m)
            farthest =
                std::max(farthest, geometry.coordinate(map(m), k) - geometry.coordinate(m, k));
          ASSERT_EQ(parts[static_cast<std::size_t>(k)], static_cast<Count>(2 * farthest));
        }
      });
    }
}

// Every choice of so many routes, every element's distance tried with every sum of them.
bool some_choice_serves(const MeshGeometry& geometry, const BitMap& map, int routes) {
  const auto n = static_cast<std::int64_t>(geometry.processors());
  const auto stride = static_cast<std::int64_t>(bit(geometry.low(1)));
  for (int a = 0; a <= routes; ++a)
    for (int b = 0; a + b <= routes; ++b)
      for (int c = 0; a + b + c <= routes; ++c) {
        bool all = true;
        for (std::int64_t p = 0; p < n && all; ++p) {
          const auto to = static_cast<std::int64_t>(map(static_cast<Word>(p)));
          bool home = false;
          for (std::int64_t x = -b; x <= a && !home; ++x)
            for (std::int64_t y = a + b + c - routes; y <= c && !home; ++y)
              home = (p + x + stride * y - to) % n == 0;
          all = home;
        }
        if (all) return true;
      }
  return false;
}

TEST(MeshBounds, propagating_wraparound_needs_what_no_fewer_routes_serve) {
  Random random(62);
  for (const std::vector<int>& shape : {std::vector<int>{1, 1}, {2, 2}, {1, 3}, {3, 1}})
    for (int round = 0; round < (testing::sanitized() ? 2 : 8); ++round) {
      const Mesh mesh = mesh_of(shape, Mesh::Wrap::propagating);
      const MeshGeometry geometry(mesh);
      const BitMap map = round % 2 == 0 ? testing::random_bpc(random, geometry.bits()).map()
                                        : testing::random_affine(geometry.bits(), random);
      const auto value = static_cast<int>(lower_bound(mesh, MapGoal{.map = map}, 1).value);
      ASSERT_TRUE(some_choice_serves(geometry, map, value));
      ASSERT_TRUE(value == 0 || !some_choice_serves(geometry, map, value - 1));
    }
}

// Fewest up plus fewest down so that every displacement is reachable modulo the side.
std::int64_t by_trying(const std::vector<std::int64_t>& displacements, std::int64_t side) {
  std::int64_t best = 2 * side;
  for (std::int64_t up = 0; up < side; ++up)
    for (std::int64_t down = 0; up + down < best; ++down)
      if (std::all_of(displacements.begin(), displacements.end(), [&](std::int64_t d) {
            const std::int64_t r = ((d % side) + side) % side;
            return r <= up || side - r <= down || r == 0;
          }))
        best = up + down;
  return best;
}

TEST(MeshBounds, gamma_is_the_fewest_routes_by_trying_all) {
  const int p_max = testing::full_run() ? 5 : (testing::sanitized() ? 2 : 4);
  for (int p = 1; p <= p_max; ++p)
    for (const std::vector<int>& shape : testing::shapes_of(p)) {
      const MeshGeometry geometry(mesh_of(shape, Mesh::Wrap::orthogonal));
      testing::for_every_bpc(p, [&](const BpcVector& bits) {
        const BitMap map = bits.map();
        const std::vector<Count> beta = mesh::beta_by_dimension(geometry, bits);
        for (int k = 0; k < geometry.dimensions(); ++k) {
          std::vector<std::int64_t> distances;
          for (Word m = 0; m < geometry.processors(); ++m)
            distances.push_back(geometry.coordinate(map(m), k) - geometry.coordinate(m, k));
          std::sort(distances.begin(), distances.end());
          distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
          ASSERT_EQ(mesh::displacements(geometry, map, k), distances);
          const mesh::DimensionBound gamma = mesh::ring_bound(geometry, map, k);
          ASSERT_TRUE(gamma.exact);
          ASSERT_EQ(gamma.value, static_cast<Count>(by_trying(distances, geometry.side(k))));
          // Theorem 6.5.
          ASSERT_GE(3 * gamma.value, beta[static_cast<std::size_t>(k)]);
        }
      });
    }
}

// What a BPC map's displacements along a dimension are sums of.
struct Sums {
  Word first = 0;
  std::vector<Word> terms;
};
Sums sums_of(const MeshGeometry& geometry, const BpcVector& bits, int k) {
  Sums sums;
  for (int i = 0; i < bits.bits(); ++i) {
    Word term = 0;
    if (geometry.dimension_of(bits.to(i)) == k) {
      const auto g = static_cast<Word>(geometry.distance(bits.to(i)));
      if (bits.negative(i)) sums.first += g;
      term += bits.negative(i) ? 0 - g : g;
    }
    if (geometry.dimension_of(i) == k) term -= static_cast<Word>(geometry.distance(i));
    sums.terms.push_back(term & low_mask(geometry.side_log2(k)));
  }
  return sums;
}

TEST(MeshRingGap, bit_reversal_on_a_ring_of_16_leaves_a_gap_of_3) {
  const MeshGeometry ring(mesh_of({4}, Mesh::Wrap::orthogonal));
  const BpcVector reversal = bpc({0, 1, 2, 3});
  const Sums sums = sums_of(ring, reversal, 0);
  EXPECT_EQ(mesh::gap_by_residues(4, sums.first, sums.terms), 3U);
  EXPECT_EQ(mesh::gap_by_digits(mesh::pairs_of(ring, reversal.map(), 0)), 3U);
  EXPECT_EQ(mesh::gap_at_most(4, sums.terms), 3U);
}

TEST(MeshRingGap, digits_and_residues_agree_and_the_bound_holds) {
  Random random(26);
  const int rounds = testing::full_run() ? 4000 : (testing::sanitized() ? 20 : 300);
  for (int round = 0; round < rounds; ++round) {
    const int p = 1 + static_cast<int>(random.below(24));
    const MeshGeometry torus(mesh_of(testing::random_shape(random, p), Mesh::Wrap::orthogonal));
    const BpcVector bits = testing::random_bpc(random, p);
    for (int k = 0; k < torus.dimensions(); ++k) {
      const int width = torus.side_log2(k);
      if (width > 12) continue;
      const Sums sums = sums_of(torus, bits, k);
      const std::uint64_t gap = mesh::gap_by_residues(width, sums.first, sums.terms);
      ASSERT_EQ(mesh::gap_by_digits(mesh::pairs_of(torus, bits.map(), k)), gap)
          << torus.shape_text() << " " << bits.text();
      ASSERT_GE(mesh::gap_at_most(width, sums.terms), gap);
      ASSERT_LE(mesh::gap_at_least(width, sums.first, sums.terms), gap);
      ASSERT_EQ(mesh::ring_bound(torus, bits.map(), k).value,
                static_cast<Count>(torus.side(k)) - gap);
    }
  }
}

// Table VI as corrected, for n = 2^30 and 2^31.
TEST(MeshRingGap, gamma_of_the_named_maps_is_exact_at_every_side) {
  for (const int side_log2 : {30, 31}) {
    const MeshGeometry torus(mesh_of({side_log2, side_log2}, Mesh::Wrap::orthogonal));
    const int p = 2 * side_log2;
    const Count n = bit(side_log2);
    const auto gamma = [&](auto&& target, bool inverted) {
      BpcVector bits;
      for (int i = 0; i < p; ++i) {
        bits.target.push_back(target(i));
        bits.inverted.push_back(inverted);
      }
      Count sum = 0;
      for (int k = 0; k < 2; ++k) {
        const mesh::DimensionBound part = mesh::ring_bound(torus, bits.map(), k);
        EXPECT_TRUE(part.exact);
        sum += part.value;
      }
      return sum;
    };
    const int h = side_log2;
    EXPECT_EQ(gamma([&](int i) { return (i + h) % p; }, false), 2 * (n - 1));
    EXPECT_EQ(gamma([&](int i) { return p - 1 - i; }, false), 2 * (n - 1));
    EXPECT_EQ(gamma([&](int i) { return i; }, true), 2 * (n - 2));
    EXPECT_EQ(gamma([&](int i) { return (i + 1) % p; }, false), 2 * (n - 1));
    // Bit shuffle: even bits to the low half, odd ones to the high half.
    EXPECT_EQ(gamma([&](int i) { return i / 2 + (i % 2) * h; }, false),
              h % 2 == 0 ? (5 * n - 8) / 3 : (5 * n - 10) / 3);
  }
}

TEST(MeshRingGap, a_long_ring_with_tangled_bits_has_a_proven_bound) {
  const MeshGeometry ring(mesh_of({40}, Mesh::Wrap::orthogonal));
  BpcVector reversal;
  for (int i = 0; i < 40; ++i) {
    reversal.target.push_back(39 - i);
    reversal.inverted.push_back(false);
  }
  const mesh::DimensionBound bound = mesh::ring_bound(ring, reversal.map(), 0);
  EXPECT_FALSE(bound.exact);
  // The gaps of rings of 4, 6, ... 16 bits are 3·2^(w/2 - 2), as the bound says.
  EXPECT_EQ(bound.value, bit(40) - 3 * bit(18));
}

TEST(MeshBounds, a_third_of_beta_is_attained) {
  const BpcVector bits = bpc({0, 1}, {0, 1});
  EXPECT_EQ(mesh::beta_by_bits(MeshGeometry(mesh_of({2})), bits), 6U);
  EXPECT_EQ(lower_bound(mesh_of({2}, Mesh::Wrap::orthogonal), MapGoal{.map = bits.map()}, 1).value,
            2U);
}

// Farthest displacements of large affine maps are searched; on small ones they are enumerated.
TEST(MeshBounds, bounds_of_affine_maps_never_pass_what_occurs) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    const int p = 2 + static_cast<int>(random.below(6));
    const BitMap map = testing::random_affine(p, random);
    const MeshGeometry geometry(mesh_of(testing::random_shape(random, p)));
    for (int k = 0; k < geometry.dimensions(); ++k) {
      std::int64_t up = 0;
      std::int64_t down = 0;
      for (Word m = 0; m < geometry.processors(); ++m) {
        const std::int64_t d = geometry.coordinate(map(m), k) - geometry.coordinate(m, k);
        up = std::max(up, d);
        down = std::max(down, -d);
      }
      ASSERT_EQ(mesh::line_bound(geometry, map, k).value, static_cast<Count>(up + down));
    }
  }
  // 2^40 processors, Gray code on both coordinates: a bound at once, and no more than what is done.
  std::vector<Word> gray;
  for (int i = 0; i < 40; ++i) gray.push_back(bit(i) | (i % 20 > 0 ? bit(i - 1) : 0));
  const Bound large = lower_bound(mesh_of({20, 20}), MapGoal{.map = BitMap::from_columns(gray)}, 1);
  EXPECT_GT(large.value, bit(20));
  EXPECT_LE(large.value, 4 * bit(20));
}

TEST(LinksBounds, a_cut_and_its_weights_say_the_same) {
  // Vector reversal on a line of four: everything crosses the middle, two elements each way.
  const MeshGeometry line({.sides_log2 = {2}, .links = Mesh::Links::all});
  std::vector<Shipment> traffic;
  for (Word p = 0; p < 4; ++p) traffic.push_back({p, 3 - p, 5});
  EXPECT_EQ(distance_bound(line, traffic).value, 3U);
  const Bound cut = cut_bound(line, traffic);
  EXPECT_EQ(cut.value, 10U);
  EXPECT_EQ(cut.certificate, Certificate(certificate::Slab{0, 0, 1}));
  const Bound congestion = congestion_bound(line, traffic, 200);
  EXPECT_EQ(congestion.value, 10U);
  EXPECT_EQ(links_bound(line, traffic).value, 10U);
}

TEST(LinksBounds, nothing_moves) {
  const MeshGeometry line({.sides_log2 = {2}, .links = Mesh::Links::all});
  std::vector<Shipment> traffic;
  for (Word p = 0; p < 4; ++p) traffic.push_back({p, p, 5});
  EXPECT_EQ(links_bound(line, traffic).value, 0U);
}

// Eight dimensions of 2 that carry into each other: with 8 routes everybody arrives, and between
// what the dimensions prove and that there are more choices than are tried.
TEST(MeshBounds, certificates_of_too_many_choices_of_routes_are_claims) {
  ScheduleHeader header;
  header.machine = Mesh{.sides_log2 = std::vector<int>(8, 1), .wrap = Mesh::Wrap::propagating};
  header.goal = MapGoal{.map = say("i:8 -> ~i").map.as_bits()};
  const auto check = [&](Count value) {
    header.bound = {value, "routes",
                    certificate::Displacements{decltype(certificate::Displacements::sources)(8)}};
    return certificates::check_bound(header);
  };
  EXPECT_EQ(check(1).answer, Verdict::BoundAnswer::checked);
  EXPECT_EQ(check(7).answer, Verdict::BoundAnswer::claimed);
  EXPECT_FALSE(check(7).refuted);
  EXPECT_TRUE(check(9).refuted);
  EXPECT_TRUE(check(Count{1} << 100).refuted);
}

}  // namespace
}  // namespace faro
