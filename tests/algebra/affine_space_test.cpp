// Affine spaces of few bits against sets of addresses.
#include <gtest/gtest.h>

#include <set>

#include "base/random.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro {
namespace {

std::set<Word> members(const AffineSpace& space) {
  std::set<Word> result;
  space.for_each([&](Word x) { result.insert(x); });
  return result;
}

AffineSpace random_space(Random& random, int width) {
  std::vector<Parity> constraints(random.below(4));
  for (Parity& c : constraints)
    c = {random.below(bit(width)), static_cast<unsigned>(random.below(2))};
  return AffineSpace::where(width, constraints);
}

TEST(AffineSpace, two_constraints_leave_two_of_eight_addresses) {
  const std::vector<Parity> constraints = {{0b101, 1}, {0b010, 0}};
  const AffineSpace space = AffineSpace::where(3, constraints);
  EXPECT_EQ(space.dimension(), 1);
  EXPECT_EQ(space.first(), 0b001U);
  EXPECT_EQ(members(space), (std::set<Word>{0b001, 0b100}));
}

TEST(AffineSpace, every_operation_agrees_with_sets_of_addresses) {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const int width = 1 + static_cast<int>(random.below(5));
    const AffineSpace a = random_space(random, width);
    const AffineSpace b = random_space(random, width);
    const std::set<Word> in_a = members(a);
    const std::set<Word> in_b = members(b);
    std::set<Word> both;
    std::set<Word> only_a;
    for (Word x = 0; x < bit(width); ++x) {
      ASSERT_EQ(a.contains(x), in_a.contains(x));
      if (in_a.contains(x)) (in_b.contains(x) ? both : only_a).insert(x);
    }
    ASSERT_EQ(members(a.meet(b)), both);
    ASSERT_EQ(a.disjoint(b), both.empty());
    ASSERT_EQ(a.contains(b), both == in_b);
    if (!a.empty()) {
      ASSERT_EQ(in_a.size(), bit(a.dimension()));
      ASSERT_EQ(a.first(), *in_a.begin());
    }
    std::set<Word> rest;
    for (const AffineSpace& piece : a.minus(b))
      for (const Word x : members(piece)) ASSERT_TRUE(rest.insert(x).second);
    ASSERT_EQ(rest, only_a);
    const Word by = random.below(bit(width));
    std::set<Word> moved;
    for (const Word x : in_a) moved.insert(x ^ by);
    ASSERT_EQ(members(a.shifted(by)), moved);
    if (const auto whole = a.merged(b)) {
      std::set<Word> all = in_a;
      all.insert(in_b.begin(), in_b.end());
      ASSERT_EQ(members(*whole), all);
    }
    const Parity form{random.below(bit(width)), static_cast<unsigned>(random.below(2))};
    const Parity reduced = a.reduced(form);
    for (const Word x : in_a)
      ASSERT_EQ(parity(x & form.mask) ^ form.value, parity(x & reduced.mask) ^ reduced.value);
  }
}

TEST(AffineSpace, for_each_walks_upward) {
  const std::vector<Parity> constraints = {{0b1100'1010, 1}, {0b0011'0110, 0}};
  Word last = 0;
  Word seen = 0;
  AffineSpace::where(8, constraints).for_each([&](Word x) {
    EXPECT_TRUE(seen == 0 || x > last);
    last = x;
    ++seen;
  });
  EXPECT_EQ(seen, 64U);
}

TEST(AffineSpace, sixty_four_bits_are_no_special_case) {
  AffineSpace space = AffineSpace::everything(64);
  EXPECT_EQ(space.dimension(), 64);
  space = space.meet(Parity{~Word{0}, 1});
  EXPECT_EQ(space.dimension(), 63);
  EXPECT_EQ(space.first(), 1U);
}

}  // namespace
}  // namespace faro
