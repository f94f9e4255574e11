// The notation by a table of texts, each with its meaning or with its fault and place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "faro/algebra/classify.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using nlohmann::json;

json examples() {
  std::ifstream file(testing::source_path("tests/data/notation.json"));
  return json::parse(file);
}

Sizes known_of(const json& example) {
  Sizes known;
  if (!example["width"].is_null()) known.elements = Count{1} << example["width"].get<unsigned>();
  if (example.contains("proc")) known.processors = bit(example["proc"].get<int>());
  return known;
}

std::string hexadecimal(Word w) {
  return fmt::format("{:#x}", w);
}

BitMap parse_map(const char* text) {
  return say(text).map.as_bits();
}

TEST(Notation, what_might_be_a_power_is_refused) {
  for (const char* text : {"i:8 -> i ^ 2^7", "i:8 -> i^2 ^ 7", "i:8 -> i ^ 1 ^ 0x2 ^ 7"}) {
    try {
      (void)parse_map(text);
      FAIL() << text;
    } catch (const NotationError& e) {
      EXPECT_EQ(e.fault(), NotationFault::syntax);
      EXPECT_NE(std::string(e.what()).find("write 0x5 or 0x80"), std::string::npos);
    }
  }
  EXPECT_THROW((void)parse_map("i:64 -> i ^ 2^64"), NotationError);
  EXPECT_EQ(parse_map("i:8 -> i ^ 2 ^ i[7:0] ^ i ^ 7"), parse_map("i:8 -> i ^ 5"));
  EXPECT_EQ(parse_map("i:8 -> i ^ 7 ^ 2"), parse_map("i:8 -> i ^ 5"));
}

TEST(Notation, every_example_means_what_it_should) {
  const json all = examples();
  for (const json& example : all["good"]) {
    const auto text = example["notation"].get<std::string>();
    SCOPED_TRACE(text);
    const Notation notation = say(text, known_of(example)).as_bits();
    ASSERT_EQ(notation.map.width(), static_cast<int>(example["columns"].size()));
    for (int c = 0; c < notation.map.width(); ++c)
      EXPECT_EQ(hexadecimal(notation.map.column(c)),
                example["columns"][static_cast<std::size_t>(c)].get<std::string>());
    EXPECT_EQ(hexadecimal(notation.map.complement()), example["complement"].get<std::string>());
    const bool left = !example["left"].is_null();
    const bool right = !example["right"].is_null();
    const Cut::Kind kind = left ? Cut::Kind::both : right ? Cut::Kind::layout : Cut::Kind::none;
    EXPECT_EQ(notation.cut.kind, kind);
    if (right) {
      EXPECT_EQ(notation.cut.processor_bits, example["right"].get<int>());
    }
    EXPECT_EQ(to_notation(notation.map, notation.cut), example["canonical"].get<std::string>());
  }
}

TEST(Notation, every_bad_example_is_told_with_class_and_place) {
  const json all = examples();
  for (const json& example : all["bad"]) {
    const auto text = example["notation"].get<std::string>();
    SCOPED_TRACE(text);
    try {
      say(text, known_of(example));
      ADD_FAILURE() << "accepted";
    } catch (const NotationError& error) {
      EXPECT_EQ(name_of(error.fault()), example["class"].get<std::string>()) << error.what();
      EXPECT_EQ(error.at(), example["at"].get<std::size_t>()) << error.what();
      EXPECT_EQ(exit_code(error.code()), example["exit"].get<int>()) << error.what();
    }
  }
}

TEST(Notation, every_bad_text_is_told_with_class_and_place) {
  std::ifstream file(testing::source_path("tests/data/notation_bad.txt"));
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    SCOPED_TRACE(line);
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    ++count;
    try {
      say(line.substr(second + 1));
      ADD_FAILURE() << "accepted";
    } catch (const NotationError& error) {
      EXPECT_EQ(name_of(error.fault()), line.substr(0, first)) << error.what();
      EXPECT_EQ(std::to_string(error.at()), line.substr(first + 1, second - first - 1));
    }
  }
  EXPECT_GE(count, 150);
}

TEST(Notation, texts_at_the_limits) {
  const std::string longest = "i:4 -> i" + std::string(16384 - 8, ' ');
  EXPECT_EQ(say(longest).map.as_bits(), BitMap::identity(4));
  for (const std::string& text : {longest + " ", std::string("i:2 -> \x01"), std::string(1, '\0')})
    EXPECT_THROW(say(text), NotationError);
  const std::string deepest = "i:4 -> " + std::string(64, '(') + "i" + std::string(64, ')');
  EXPECT_EQ(say(deepest).map.as_bits(), BitMap::identity(4));
}

void expect_round_trip(const BitMap& map, const Cut& cut) {
  const std::string text = to_notation(map, cut);
  const Notation back = say(text).as_bits();
  ASSERT_EQ(back.map, map) << text;
  ASSERT_EQ(back.cut, cut) << text;
  ASSERT_EQ(to_notation(back.map, back.cut), text);
}

TEST(Notation, all_affine_maps_of_4_bits_print_and_parse_back) {
  Word seen = 0;
  testing::for_every_matrix(4, [&](const BitMatrix& matrix) {
    for (Word complement = 0; complement < 16; ++complement) {
      ++seen;
      // Every fourth map without a cut, all in the full run; with cuts: one complement a matrix.
      const BitMap map = BitMap::from_matrix(matrix, complement);
      const Word step = testing::full_run() ? 1 : testing::sanitized() ? 16 : 4;
      if (seen % step == 0) expect_round_trip(map, {});
      if (complement != seen / 16 % 16 || (testing::sanitized() && seen % 256 != 0)) continue;
      for (int n = 0; n <= 4; ++n) {
        expect_round_trip(map, {Cut::Kind::both, n});
        expect_round_trip(map, {Cut::Kind::layout, n});
      }
    }
  });
  EXPECT_EQ(seen, 322560U);
}

TEST(Notation, layouts_by_their_words) {
  const Layout layout = parse_layout("cyclic binary||gray", {.total = 12, .processor = 6});
  EXPECT_EQ(to_string(layout), "cyclic:6|6 binary||gray");
  EXPECT_EQ(to_string(parse_layout("  consecutive:2|3   gray ")), "consecutive:2|3 gray");
  EXPECT_EQ(to_string(parse_layout("cyclic:2|3 binary")), "cyclic:2|3");
  for (const char* bad : {"", "cycle:2|3", "cyclic:2|3 gray|gray", "cyclic:3 gray", "cyclic:x|2",
                          "cyclic:2|3 gray gray", "consecutive:99|1", "cyclic", "gray:5",
                          "cyclic:2|3 => consecutive", "i:5 -> i[4:3] | i[2:0]"}) {
    EXPECT_THROW(parse_layout(bad), NotationError) << bad;
  }
  EXPECT_THROW(parse_layout("cyclic:2|3", {.total = 6, .processor = 2}), NotationError);
}

TEST(Notation, words_that_people_know) {
  const auto same = [](const char* words, const char* map) {
    EXPECT_EQ(say(words).map.as_bits(), say(map).map.as_bits()) << words;
  };
  same("sequency:6", "i:6 -> ungray(rev(i))");
  same("walsh:6", "sequency:6");
  same("dyadic:6", "bit-reversal:6");
  same("fftshift:6", "i:6 -> i ^ 0x20");
  same("morton:6", "r:3 c:3 -> zip(r, c)");
  same("column-morton:6", "r:3 c:3 -> zip(c, r)");
  same("unmorton:6", "i:6 -> unzip(i, 2)");
  same("block:2|3 => cyclic", "consecutive:2|3 => cyclic");
  for (const char* name : {"fftshift:0", "sequency:0", "column-morton:0"})
    EXPECT_EQ(say(name).map.as_bits(), BitMap::identity(0)) << name;
}

TEST(Notation, bits_to_the_front_to_the_back_and_swapped) {
  const auto same = [](const char* words, const char* map) {
    EXPECT_EQ(say(words).map.as_bits(), say(map).map.as_bits()) << words;
  };
  same("i:24 -> front(i, 20, 17, 3)", "i:24 -> i[20] i[17] i[3] i[23:21] i[19:18] i[16:4] i[2:0]");
  same("i:6 -> back(i, 4, 0)", "i:6 -> i[5] i[3:1] i[4] i[0]");
  same("i:6 -> swap(i, 4, 0)", "i:6 -> i[5] i[0] i[3:1] i[4]");
  same("i:6 -> swap(i, 2, 2)", "i:6 -> i");
  same("a:3 b:3 -> a ~front(b, 0)", "a:3 b:3 -> a ~b[0] ~b[2:1]");
  EXPECT_EQ(say("i -> front(i, 3)", {.elements = Count{32}}).map.as_bits().column(3), bit(4));
  for (const char* bad :
       {"i:4 -> front(i, 4)", "i:4 -> swap(i, 0, 4)", "i:4 -> back(i, 1, 1)", "i:4 -> front(i)",
        "i:4 -> swap(i, 1)", "front:4 -> front", "i:4 -> swap(i, 1, 2, 3)"})
    EXPECT_THROW(say(bad), NotationError) << bad;
}

TEST(Notation, the_rest_is_what_the_other_terms_leave_out_in_its_order) {
  const auto same = [](const char* words, const char* map) {
    const Notation a = say(words).as_bits(), b = say(map).as_bits();
    EXPECT_EQ(a.map, b.map) << words;
    EXPECT_EQ(a.cut, b.cut) << words;
  };
  same("i:24 -> i[20] i[17] i[3] rest", "i:24 -> front(i, 20, 17, 3)");
  same("i:6 -> rest i[4] i[0]", "i:6 -> back(i, 4, 0)");
  same("a:3 b:4 -> b[1] rest", "a:3 b:4 -> b[1] a b[3:2] b[0]");
  same("a:3 b:4 -> gray(b[1] ~rest) b[0]", "a:3 b:4 -> gray(b[1] ~a ~b[3:2]) b[0]");
  same("a:2 b:4 -> rev(rest) (a b)[4:1]", "a:2 b:4 -> b[0] a[1] a[0] b[3:1]");
  same("i:4 -> rest[0] i[3]^i[2] rest[1] i[3]", "i:4 -> i[0] i[3]^i[2] i[1] i[3]");
  same("p:2 | m:4 -> m[1:0] | rest", "p:2 | m:4 -> m[1:0] | p m[3:2]");
  same("i:4 -> i rest", "i:4 -> i");
  same("i:4 -> rest", "i:4 -> i");
  same("rest:2 b:2 -> b rest", "a:2 b:2 -> b a");
  EXPECT_THROW(say("i:4 -> rest rest"), NotationError);
  EXPECT_THROW(say("i:4 -> rest[1:0] i[0] rest[3:2]"), NotationError);
  EXPECT_THROW(say("i:4 -> front(i, 2, rest)"), NotationError);
  EXPECT_THROW(say("i:4 -> i[3] rest(i)"), NotationError);
}

TEST(Notation, an_unknown_name_is_answered_with_the_nearest) {
  const auto told = [](const char* text, const char* words) {
    try {
      say(text);
      ADD_FAILURE() << text;
    } catch (const NotationError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  told("BitRev:8", "did you mean bitrev?");
  told("bit_reversal:8", "did you mean bit-reversal?");
  told("bit-reversl:8", "did you mean bit-reversal?");
  told("sequence:8", "did you mean sequency?");
  told("perfect_shuffle", "did you mean perfect-shuffle?");
  told("hadamard", "sequency and dyadic");
  told("rev:8", "did you mean bit-reversal, i -> rev(i)?");
  told("inverse:8", "--inverse");
  told("reversal:8", "did you mean bit-reversal");
  told("row-major:8", "transpose leads from one to the other");
  told("id:8", "did you mean identity?");
  told("wht:8", "sequency and dyadic");
  told("blocked:8", "did you mean the layout block?");
  told("block => cyclic", "needs its sizes: block:4|16");
  told("quux", "`faro maps` lists all");
  told("i:4 -> sequency(i)", "there is i; did you mean ungray(rev(i))?");
  told("i:4 -> dyadic(i)", "there is i; did you mean rev(i)?");
  told("i:4 -> bitrev(i)", "no field named 'bitrev'; there is i; did you mean rev(i)?");
  told("i:4 -> rotate(i)", "did you mean rot(i, 1)?");
  told("i:4 -> quux(i)", "there is i\n");
  told("cyclic:2|3 => blok", "did you mean block?");
  told("Block:2|3 => cyclic", "did you mean block?");
  told("ciclic:2|3", "did you mean cyclic?");
  told("block:4", "a layout has two sizes, of processor bits and memory bits: block:4|16");
}

TEST(Notation, an_error_shows_a_character_whole_or_by_its_bytes) {
  const auto told = [](const char* text, const char* shown) {
    try {
      say(text);
      ADD_FAILURE() << "accepted";
    } catch (const NotationError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(fmt::format("unexpected character '{}'", shown)), std::string::npos)
          << message;
    }
  };
  told("i:3 -> \xc3\xa4", "\xc3\xa4");
  told("i:3 -> \xe2\x86\x92", "\xe2\x86\x92");
  told("i:3 -> \xc3(", "\\xc3");
  told("i:3 -> \xe2\x86(", "\\xe2");
  told("i:3 -> \xe2\x86", "\\xe2");
}

TEST(Notation, an_error_shows_the_text_with_a_caret) {
  try {
    say("r:3 c:2 -> r r");
    FAIL();
  } catch (const NotationError& error) {
    EXPECT_STREQ(error.what(),
                 "singular at column 14: r[2] is used twice; lost: c[0], c[1]\n"
                 "  r:3 c:2 -> r r\n"
                 "               ^");
  }
}

}  // namespace
}  // namespace faro
