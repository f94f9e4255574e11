// The laws of maps for every shape of up to 360 elements: what composes is the composition
// of the functions, blocks beside blocks, digits as fine as two shapes want, texts that read back.
#include <gtest/gtest.h>

#include <map>

#include "algebra/every_map.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

constexpr Word most = sanitized() ? 72 : 360;

// The different maps of n elements with at most three digits.
std::map<Table, Map, WordsLess> maps_of(Word n) {
  std::map<Table, Map, WordsLess> maps;
  every_map(n, 3, 2, Turns::reversals, [&](const Digits& digits) {
    maps.emplace(table_of(digits), Map::from_digits(digits));
  });
  return maps;
}

TEST(MapLaws, texts_of_every_shape_read_back) {
  std::size_t texts = 0;
  for (Word n = 2; n <= most; ++n) {
    for (const auto& [table, map] : maps_of(n)) {
      const std::string text = to_notation(map);
      ASSERT_EQ(say(text).map, map) << text;
      ASSERT_EQ(to_notation(say(text).map), text);
      ++texts;
    }
  }
  EXPECT_GT(texts, sanitized() ? 1000U : 10000U);
}

TEST(MapLaws, compositions_of_every_shape) {
  std::size_t composed = 0;
  std::size_t associated = 0;
  for (Word n = 2; n <= most; ++n) {
    const std::map<Table, Map, WordsLess> maps = maps_of(n);
    std::vector<const std::pair<const Table, Map>*> all;
    for (const auto& one : maps) all.push_back(&one);
    Random random(n);
    const std::size_t wanted = full_run() ? 2000 : sanitized() ? 10 : 60;
    for (std::size_t k = 0; k < wanted; ++k) {
      const auto& [f_table, f] = *all[random.below(all.size())];
      const auto& [g_table, g] = *all[random.below(all.size())];
      const auto& [h_table, h] = *all[random.below(all.size())];
      try {
        const Map fg = then(f, g);
        ASSERT_EQ(table_of(fg), after(f_table, g_table));
        ASSERT_EQ(then(fg, g.inverse()), f);
        ++composed;
        ASSERT_EQ(then(fg, h), then(f, then(g, h)));
        ++associated;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::impossible);
      }
    }
  }
  EXPECT_GT(composed, sanitized() ? 100U : 5000U);
  EXPECT_GT(associated, sanitized() ? 40U : 2000U);
}

TEST(MapLaws, blocks_beside_blocks_of_every_shape) {
  for (Word n = 2; n <= most; ++n) {
    Random random(n);
    for (Word low = 2; low < n; ++low) {
      if (n % low != 0) continue;
      const auto one_of_maps = [&](Word size) {
        const std::map<Table, Map, WordsLess> maps = maps_of(size);
        return std::next(maps.begin(), static_cast<std::ptrdiff_t>(random.below(maps.size())))
            ->second;
      };
      const Map f = one_of_maps(n / low);
      const Map g = one_of_maps(low);
      const Map both = beside(f, g);
      for (Word x = 0; x < n; ++x) ASSERT_EQ(both(x), f(x / low) * low + g(x % low)) << n;
    }
  }
}

// Where a map has digits as fine as axes of two shapes, they are the same function.
TEST(MapLaws, digits_of_every_shape_are_the_same_function) {
  std::size_t fine = 0;
  for (Word n = 2; n <= most; ++n) {
    Random random(n);
    std::vector<std::vector<Word>> shapes;
    std::vector<Word> start;
    factor(n, 3, start, [&](const std::vector<Word>& lengths) { shapes.push_back(lengths); });
    for (const auto& [table, map] : maps_of(n)) {
      if (!full_run() && random.below(8) != 0) continue;
      const auto& from = shapes[random.below(shapes.size())];
      const auto& to = shapes[random.below(shapes.size())];
      try {
        ASSERT_EQ(table_of(map.digits_of(from, to)), table) << n;
        ++fine;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::impossible);
      }
    }
  }
  EXPECT_GT(fine, sanitized() ? 50U : 1000U);
}

}  // namespace
}  // namespace faro
