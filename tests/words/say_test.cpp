// The door for words, by a table of golden cases.
#include "faro/words/say.hpp"

#include <gtest/gtest.h>

#include <map>

#include "faro/layouts/placement.hpp"
#include "words_cases.hpp"

namespace faro {
namespace {

using testing::hash_of;
using testing::shape_of;
using testing::text_of;
using Case = testing::WordsCase;

Said said_in(const Case& c) {
  Sizes sizes;
  if (const auto known = c.known.find("shape"); known != c.known.end())
    sizes.shape = shape_of(known->second);
  if (const auto known = c.known.find("elements"); known != c.known.end())
    sizes.elements = std::stoull(known->second);
  if (const auto known = c.known.find("processors"); known != c.known.end())
    sizes.processors = std::stoull(known->second);
  sizes.flat = c.known.count("flat") > 0;
  const auto axes = c.known.find("axes");
  if (axes == c.known.end()) return say(c.words, sizes);
  const std::size_t dash = axes->second.find('-');
  return say_on(c.words, {.shape = *sizes.shape,
                          .first = std::stoul(axes->second.substr(0, dash)),
                          .last = std::stoul(axes->second.substr(dash + 1)),
                          .flat = sizes.flat});
}

std::string hash_of(const Map& map) {
  std::vector<Word> moved(static_cast<std::size_t>(map.elements()));
  for (std::size_t i = 0; i < moved.size(); ++i) moved[map(i)] = i;
  return hash_of(moved);
}

const char* name_of_cut(Cut::Kind kind) {
  if (kind == Cut::Kind::none) return "none";
  return kind == Cut::Kind::both ? "both" : "layout";
}

std::map<std::string, std::string> meaning_of(const Case& c) {
  std::map<std::string, std::string> got;
  try {
    const Said said = said_in(c);
    if (said.shape) got["shape"] = text_of(*said.shape);
    got["cut"] = name_of_cut(said.cut.kind) + (":" + std::to_string(said.cut.processors));
    if (said.names_axes) got["names_axes"];
    if (said.any_shape) got["any_shape"];
    if (!said.system.empty()) got["system"] = said.system;
    got[said.map.bits() != nullptr ? "bits" : "lengths"];
    got["hash"] = hash_of(said.map);
  } catch (const NotationError& error) {
    got["refused"] = name_of(error.fault());
    if (c.wanted.count("column") > 0) got["column"] = std::to_string(error.at() + 1);
  } catch (const NotExpressible& error) {
    got["refused"] = name_of(error.fault());
  }
  return got;
}

std::string shown(const std::map<std::string, std::string>& pairs) {
  std::string text;
  for (const auto& [key, value] : pairs) text += key + "=" + value + " ";
  return text;
}

TEST(Say, every_case_of_the_table_comes_out_as_it_says) {
  const std::vector<Case> all = testing::words_cases();
  EXPECT_EQ(all.size(), 691U);
  for (const Case& c : all)
    EXPECT_EQ(shown(meaning_of(c)), shown(c.wanted)) << c.words << "  on " << shown(c.known);
}

TEST(Say, lengths_of_an_array_on_processors_are_those_of_the_whole) {
  const Sizes eight{.processors = 8};
  const Said said = say("r=16 c=16 -> c r", eight);
  EXPECT_EQ(said.map, say("r:4 c:4 -> c r").map);
  EXPECT_EQ(said.cut, TensorCut{});
  EXPECT_EQ(say("r=2 c -> c r", eight).map.elements(), Count{8});
  EXPECT_THROW(say("r:4 c:4 -> c r", eight), NotationError);
  EXPECT_THROW(say("r=16 c=16 -> c r", {.elements = Count{128}, .processors = 8}), NotationError);
}

TEST(Say, words_of_bits_are_a_notation) {
  const Notation notation = say("p:1 | m=4 -> ~p | m").as_bits();
  EXPECT_EQ(notation.map.width(), 3);
  EXPECT_EQ(notation.cut, (Cut{Cut::Kind::both, 1}));
  EXPECT_EQ(notation.fields, (std::vector<Field>{{"p", 1}, {"m", 2}}));
  EXPECT_EQ(say("i:64 -> ~i").as_bits().fields, (std::vector<Field>{{"i", 64}}));
  EXPECT_THROW(static_cast<void>(say("r=3 c:2 -> c r").as_bits()), Error);
  EXPECT_THROW(static_cast<void>(say("gray:4").placement()), Error);
  EXPECT_EQ(say("cyclic:1|2").placement().device(1), 1U);
}

}  // namespace
}  // namespace faro
