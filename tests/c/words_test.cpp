// The words of tests/data/words.txt through the C API: the same elements in the same places, or a
// refusal.
#include <gtest/gtest.h>

#include <numeric>

#include "faro/c/faro.h"
#include "words_cases.hpp"

namespace faro {
namespace {

// Where the elements of the result come from, and its shape; nothing if the words are refused.
struct Moved {
  std::vector<Word> from;
  testing::Shape shape;
};

Moved moved_by(const std::string& words, const testing::Shape& shape) {
  faro_array array = FARO_ARRAY;
  array.axes = static_cast<int32_t>(shape.size());
  array.shape = shape.data();
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.element_bytes = sizeof(Word);
  faro_plan* plan = nullptr;
  if (faro_plan_create_arrays(words.c_str(), &array, nullptr, &options, &plan) != FARO_OK)
    return {};
  std::size_t count = 1;
  for (const Word length : shape) count *= length;
  std::vector<Word> from(count);
  std::vector<Word> to(count);
  std::iota(from.begin(), from.end(), Word{0});
  const std::size_t bytes = count * sizeof(Word);
  EXPECT_EQ(faro_plan_execute_arrays(plan, from.data(), bytes, to.data(), bytes, nullptr, nullptr),
            FARO_OK)
      << words << ": " << faro_last_error();
  faro_plan_facts facts = FARO_PLAN_FACTS;
  EXPECT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  Moved moved{to, {facts.shape, facts.shape + facts.axes}};
  faro_plan_free(plan);
  return moved;
}

TEST(C, words_mean_in_c_what_the_table_says) {
  int moved = 0;
  int refused = 0;
  for (const testing::WordsCase& c : testing::words_cases()) {
    // C takes words of all axes, of an array with a shape.
    const auto shape = c.known.find("shape");
    if (c.known.size() != 1 || shape == c.known.end() || shape->second == "scalar") continue;
    const Moved result = moved_by(c.words, testing::shape_of(shape->second));
    const bool wanted = c.wanted.count("refused") == 0;
    ++(wanted ? moved : refused);
    EXPECT_EQ(result.from.empty(), !wanted) << c.words << " on " << shape->second;
    if (wanted && !result.from.empty()) {
      EXPECT_EQ(testing::hash_of(result.from), c.wanted.at("hash"))
          << c.words << " on " << shape->second;
      EXPECT_EQ(testing::text_of(result.shape), c.wanted.at("shape")) << c.words;
    }
  }
  EXPECT_GT(moved, 300);
  EXPECT_GT(refused, 80);
}

}  // namespace
}  // namespace faro
