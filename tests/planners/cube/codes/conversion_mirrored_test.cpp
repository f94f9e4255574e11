// Conversions seen in mirrors: which there are, and that they cost the same.
#include "planners/cube/codes/conversion_mirrored.hpp"

#include <gtest/gtest.h>

#include "faro/algebra/notation.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::cube_request_of;
using testing::gray_to_binary;
using testing::random_places;

// Fields of random lengths that fill n dimensions, the first one of two bits at least.
BitMap random_conversion(int n, Random& random) {
  std::vector<int> lengths;
  int left = n;
  while (left > 0) {
    const auto rest = static_cast<std::uint64_t>(left);
    const bool all = lengths.empty() && random.below(2) == 0;
    lengths.push_back(all               ? left
                      : lengths.empty() ? 2 + static_cast<int>(random.below(rest - 1))
                                        : 1 + static_cast<int>(random.below(rest)));
    left -= lengths.back();
  }
  const BitMap map = gray_to_binary(lengths);
  return random.below(2) == 0 ? map : map.inverse();
}

BitMap random_names_of(const BitMap& map, Random& random) {
  const int n = map.width();
  return mirrors::renamed(map, 0, {random_places(n, random), random.next() & low_mask(n)});
}

TEST(ConversionMirrored, names_and_translations_are_found) {
  // rev(ungray(rev(a))) and ungray(a) ^ 1, as the header has them.
  const BitMap reversed = BitMap::from_columns(std::vector<Word>{7, 6, 4});
  auto found = mirrored_conversion(reversed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->map, gray_to_binary({3}));
  EXPECT_EQ(found->names.place, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(found->names.translation, Word{0});
  found = mirrored_conversion(BitMap::from_matrix(gray_to_binary({3}).matrix(), 1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->names.place, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(found->names.translation, Word{2});
}

TEST(ConversionMirrored, what_is_no_mirror_has_none) {
  // A dimension without a field inverted; the highest bit inverted; two bits behind one; a circle.
  EXPECT_FALSE(mirrored_conversion(BitMap::from_matrix(BitMatrix::identity(3), 1)));
  EXPECT_FALSE(mirrored_conversion(BitMap::from_matrix(gray_to_binary({3}).matrix(), 4)));
  EXPECT_FALSE(mirrored_conversion(BitMap::from_columns(std::vector<Word>{7, 2, 4})));
  EXPECT_FALSE(mirrored_conversion(testing::rotation(3, 1)));
  // Two fields, one each way.
  std::vector<Word> ways;
  const BitMap three = gray_to_binary({3});
  for (int i = 0; i < 3; ++i) ways.push_back(three.column(i));
  for (int i = 0; i < 3; ++i) ways.push_back(three.inverse().column(i) << 3U);
  EXPECT_FALSE(mirrored_conversion(BitMap::from_columns(ways)));
}

// Half of the complements of a field are mirrors, and the others still have a plan.
TEST(ConversionMirrored, half_of_the_complements_are_mirrors) {
  for (const BitMap& map : {gray_to_binary({4}), gray_to_binary({4}).inverse()})
    for (Word c = 0; c < 16; ++c) {
      const BitMap other = BitMap::from_matrix(map.matrix(), c);
      EXPECT_EQ(mirrored_conversion(other).has_value(), c < 8) << c;
      const MachinePlan made =
          testing::planned(cube_request_of(4, other, 6), {.verify = VerifyBy::both});
      if (c < 8) {
        EXPECT_EQ(made.value(), plan(cube_request_of(4, map, 6), {}).value()) << c;
      }
    }
}

// What a plan of a request costs, and its bound; all judges agree, on the certificate too.
struct Judgement {
  Count steps;
  Count bound;
};
Judgement judged(int n, const BitMap& map, std::uint64_t elements, Hypercube::Ports ports,
                 VerifyBy verify) {
  const MachinePlan made = plan(cube_request_of(n, map, elements, ports), {.verify = verify});
  EXPECT_TRUE(made.ok()) << to_notation(map);
  for (const Verdict& verdict : made.verdicts()) {
    EXPECT_TRUE(verdict.ok()) << verdict.by << " " << to_notation(map);
    EXPECT_EQ(verdict.bound, Verdict::BoundAnswer::checked) << to_notation(map);
  }
  return {made.value(), made.bound().value};
}

void mirrors_cost_the_same(int n, std::uint64_t elements, Hypercube::Ports ports, VerifyBy verify,
                           Random& random) {
  const BitMap map = random_conversion(n, random);
  const Judgement plain = judged(n, map, elements, ports, verify);
  const BitMap mirror = random_names_of(random.below(2) == 0 ? map : map.inverse(), random);
  const Judgement other = judged(n, mirror, elements, ports, verify);
  const std::string words = to_notation(map) + "  and  " + to_notation(mirror) + ", " +
                            std::to_string(elements) + " elements";
  EXPECT_EQ(other.steps, plain.steps) << words;
  EXPECT_EQ(other.bound, plain.bound) << words;
}

TEST(ConversionMirrored, mirrors_cost_the_same_and_have_one_bound) {
  Random random(61);
  const int rounds = testing::full_run() ? 600 : testing::sanitized() ? 5 : 25;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(::testing::Message() << "round " << round);
    mirrors_cost_the_same(2 + static_cast<int>(random.below(7)), 1 + random.below(30),
                          random.below(4) == 0 ? Hypercube::Ports::one : Hypercube::Ports::all,
                          VerifyBy::both, random);
  }
}

// Translated, one field costs the same at any size; under other names the bound is the same, and
// what is planned is proved.
TEST(ConversionMirrored, large_mirrors_are_proved) {
  Random random(67);
  const int rounds = testing::full_run() ? 60 : testing::sanitized() ? 1 : 3;
  for (int round = 0; round < rounds; ++round)
    for (const int n : {20, 60}) {
      SCOPED_TRACE(::testing::Message() << "n=" << n << " round " << round);
      const auto ports = round % 3 == 2 ? Hypercube::Ports::one : Hypercube::Ports::all;
      const std::uint64_t elements = 1 + random.below(60);
      const BitMap field =
          random.below(2) == 0 ? gray_to_binary({n}) : gray_to_binary({n}).inverse();
      mirrors::Renaming names = mirrors::Renaming::none(n);
      names.translation = random.next() & low_mask(n);
      const Judgement plain = judged(n, field, elements, ports, VerifyBy::proof);
      const Judgement moved =
          judged(n, mirrors::renamed(field, 0, names), elements, ports, VerifyBy::proof);
      EXPECT_EQ(moved.steps, plain.steps);
      EXPECT_EQ(moved.bound, plain.bound);
      const BitMap fields = random_conversion(n, random);
      EXPECT_EQ(judged(n, random_names_of(fields, random), elements, ports, VerifyBy::proof).bound,
                judged(n, fields, elements, ports, VerifyBy::proof).bound);
    }
}

TEST(ConversionMirrored, known_counts) {
  struct Row {
    const char* map;
    const char* machine;
    std::uint64_t elements;
    Count steps;
    Count bound;
  };
  for (const Row& row : {Row{"a:60 -> ungray(a) ^ 1", "cube:60", 240, 150, 145},
                         Row{"a:40 -> rev(ungray(rev(a)))", "cube:40", 100, 70, 61},
                         Row{"a:60 -> ungray(a) ^ 1", "cube:60", 100, 80, 61},
                         Row{"a:40 -> ungray(a) ^ 1", "cube:40", 160, 100, 97},
                         Row{"a:20 -> ungray(a) ^ 1", "cube:20", 100, 62, 61},
                         Row{"a:20 -> rev(ungray(rev(a)))", "cube:20", 100, 62, 61},
                         Row{"a:10 -> ungray(a) ^ 6", "cube:10", 20, 15, 13},
                         Row{"a:8 -> ungray(a) ^ 1", "cube:8", 25, 16, 16},
                         Row{"a:5 -> ungray(a) ^ 5", "cube:5", 20, 13, 13},
                         Row{"a:5 -> rev(ungray(rev(a)))", "cube:5", 20, 13, 13}}) {
    const MachinePlan made =
        plan(Request::of(row.map, row.machine, row.elements), {.verify = VerifyBy::nobody});
    EXPECT_EQ(made.value(), row.steps) << row.map << " " << row.elements;
    EXPECT_EQ(made.bound().value, row.bound) << row.map << " " << row.elements;
  }
  // With memory bits, and a field as it is beside one that is not.
  EXPECT_EQ(plan("a:10 | m:4 -> ungray(a) ^ 1 | m", "cube:10", {}).value(), Count{13});
  EXPECT_EQ(plan("a:10 | m:4 -> ungray(a) ^ 1 | rev(m) ^ 3", "cube:10", {}).value(), Count{13});
  const Request fields =
      Request::of("a:8 b:8 -> ungray(a) (ungray(b) ^ 1)", "cube:16", std::uint64_t{50});
  EXPECT_EQ(plan(fields, {}).value(), Count{32});
}

TEST(ConversionMirrored, slots_move_behind_the_steps) {
  // Memory bits that are rearranged by where an element has come to.
  for (const char* map : {"p:4 | m:3 -> ungray(p) ^ 3 | rev(m)", "p:4 | m:2 -> rev(p) | m"}) {
    const Request request = Request::of(map, "cube:4");
    if (conversion_mirrored.refusal(request)) continue;
    EXPECT_TRUE(plan(request, {.algorithm = "conversion-mirrored", .verify = VerifyBy::both}).ok());
  }
}

TEST(ConversionMirrored, what_is_served_as_it_is_and_what_is_none_are_refused) {
  EXPECT_TRUE(conversion_mirrored.refusal(cube_request_of(8, gray_to_binary({8}), 3)));
  EXPECT_TRUE(conversion_mirrored.refusal(cube_request_of(4, testing::rotation(4, 1), 3)));
  EXPECT_FALSE(conversion_mirrored.refusal(
      cube_request_of(4, BitMap::from_matrix(gray_to_binary({4}).matrix(), 1), 3)));
}

TEST(ConversionMirrored, what_was_offered_is_pushed) {
  testing::one_search_serves_all(
      conversion_mirrored,
      cube_request_of(8, BitMap::from_matrix(gray_to_binary({8}).matrix(), 1), 20));
  built_and_verified(conversion_mirrored,
                     cube_request_of(6, BitMap::from_matrix(gray_to_binary({6}).matrix(), 9), 11),
                     true);
}

}  // namespace
}  // namespace faro
