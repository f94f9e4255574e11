#include "faro/c/faro.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

TEST(C, permutes_and_says_what_it_did) {
  const int places[3] = {2, 1, 0};
  faro_map* map = nullptr;
  ASSERT_EQ(faro_map_from_places(3, places, 0, &map), FARO_OK);
  EXPECT_EQ(faro_map_width(map), 3);
  EXPECT_EQ(faro_map_apply(map, 1), 4U);
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.element_bytes = sizeof(int);
  faro_plan* plan = nullptr;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  const std::vector<int> from{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int> to(8);
  ASSERT_EQ(faro_plan_execute(plan, from.data(), to.data(), 32), FARO_OK);
  EXPECT_EQ(to, (std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7}));
  faro_plan_facts facts = FARO_PLAN_FACTS;
  ASSERT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.data_bytes, 32U);
  EXPECT_EQ(facts.passes, 1U);
  EXPECT_NE(std::string(faro_plan_describe(plan)).find("32 bytes"), std::string::npos);
  faro_plan_free(plan);

  options.in_place = 1;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  ASSERT_EQ(faro_plan_execute_in_place(plan, to.data(), 32), FARO_OK);
  EXPECT_EQ(to, from);
  const auto stop = [](void*, uint64_t, uint64_t) { return 1; };
  EXPECT_EQ(faro_plan_execute_watched(plan, nullptr, to.data(), 32, stop, nullptr), FARO_CANCELLED);
  faro_plan_free(plan);
  faro_map_free(map);
}

TEST(C, composes_and_inverts_maps) {
  const uint64_t columns[2] = {1, 3};
  faro_map* map = nullptr;
  faro_map* inverse = nullptr;
  faro_map* both = nullptr;
  ASSERT_EQ(faro_map_from_columns(2, columns, 2, &map), FARO_OK);
  ASSERT_EQ(faro_map_inverse(map, &inverse), FARO_OK);
  ASSERT_EQ(faro_map_then(map, inverse, &both), FARO_OK);
  for (uint64_t x = 0; x < 4; ++x) EXPECT_EQ(faro_map_apply(both, x), x);
  faro_map_free(map);
  faro_map_free(inverse);
  faro_map_free(both);
}

TEST(C, refuses_with_a_message) {
  faro_map* map = nullptr;
  const uint64_t dependent[2] = {1, 1};
  EXPECT_EQ(faro_map_from_columns(2, dependent, 0, &map), FARO_USAGE);
  EXPECT_FALSE(std::string(faro_last_error()).empty());
  EXPECT_EQ(map, nullptr);
  EXPECT_EQ(faro_map_from_columns(65, dependent, 0, &map), FARO_USAGE);
  EXPECT_EQ(faro_map_from_columns(2, nullptr, 0, &map), FARO_USAGE);
  EXPECT_EQ(faro_plan_create(nullptr, nullptr, nullptr), FARO_USAGE);
  const uint64_t columns[2] = {1, 2};
  ASSERT_EQ(faro_map_from_columns(2, columns, 0, &map), FARO_OK);
  faro_plan* plan = nullptr;
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.struct_size = 4;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  options = FARO_PERMUTE_OPTIONS;
  options.version = 99;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  // A caller of an older, shorter layout gets the defaults of what it lacks.
  options = FARO_PERMUTE_OPTIONS;
  options.struct_size = offsetof(faro_permute_options, element_bytes);
  options.element_bytes = 1000;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  faro_plan_facts facts = FARO_PLAN_FACTS;
  EXPECT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.data_bytes, 4U);
  char data[4] = {};
  EXPECT_EQ(faro_plan_execute(plan, data, data, 4), FARO_USAGE);
  EXPECT_EQ(faro_plan_execute(plan, data, data, 3), FARO_USAGE);
  EXPECT_EQ(faro_plan_execute(plan, nullptr, nullptr, 4), FARO_USAGE);
  faro_plan_free(plan);
  faro_map_free(map);
  faro_map_free(nullptr);
  faro_plan_free(nullptr);
}

TEST(C, arrays_of_any_shape_and_strides) {
  // Columns 1..3 of a 3 x 5 array, the rows backwards, transposed: 3 x 3.
  const uint8_t from[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const uint64_t shape[2] = {3, 3};
  const int64_t strides[2] = {-5, 1};
  faro_array array = FARO_ARRAY;
  array.axes = 2;
  array.shape = shape;
  array.strides = strides;
  array.offset = 11;
  faro_plan* plan = nullptr;
  ASSERT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_OK);
  uint8_t to[9] = {};
  EXPECT_EQ(faro_plan_execute_arrays(plan, from, 13, to, 9, nullptr, nullptr), FARO_USAGE);
  ASSERT_EQ(faro_plan_execute_arrays(plan, from, 14, to, 9, nullptr, nullptr), FARO_OK);
  const uint8_t expected[9] = {11, 6, 1, 12, 7, 2, 13, 8, 3};
  EXPECT_TRUE(std::equal(std::begin(to), std::end(to), std::begin(expected)));
  faro_plan_free(plan);

  EXPECT_EQ(faro_plan_create_arrays("r c -> c c", &array, nullptr, nullptr, &plan), FARO_USAGE);
  array.offset = 5;
  EXPECT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_USAGE);
  array.shape = nullptr;
  EXPECT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_USAGE);
  EXPECT_EQ(faro_plan_create_arrays("i -> i", nullptr, nullptr, nullptr, &plan), FARO_USAGE);
}

}  // namespace
