#include "faro/words/say.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "faro/layouts/errors.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using Shape = std::vector<Word>;

// One line of tests/data/words.txt.
struct Case {
  std::string words;
  std::map<std::string, std::string> known;
  std::map<std::string, std::string> wanted;
};

std::map<std::string, std::string> pairs_of(const std::string& text) {
  std::map<std::string, std::string> pairs;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::size_t equal = word.find('=');
    pairs[word.substr(0, equal)] = equal == std::string::npos ? "" : word.substr(equal + 1);
  }
  return pairs;
}

std::vector<Case> cases() {
  std::ifstream in(testing::source_path("tests/data/words.txt"));
  std::vector<Case> list;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    list.push_back({line.substr(0, first), pairs_of(line.substr(first + 1, second - first - 1)),
                    pairs_of(line.substr(second + 1))});
  }
  return list;
}

Shape shape_of(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  std::istringstream in(text);
  for (std::string side; std::getline(in, side, 'x');) shape.push_back(std::stoull(side));
  return shape;
}

std::string text_of(const Shape& shape) {
  std::string text;
  for (const Word length : shape) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text.empty() ? "scalar" : text;
}

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
  const auto count = static_cast<std::size_t>(map.elements());
  std::vector<Word> moved(count);
  for (std::size_t i = 0; i < count; ++i) moved[map(i)] = i;
  Word hash = 0xcbf29ce484222325;
  for (const Word index : moved) hash = (hash ^ index) * 0x100000001b3;
  std::ostringstream text;
  text.width(16);
  text.fill('0');
  text << std::hex << hash;
  return text.str();
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
  const std::vector<Case> all = cases();
  EXPECT_EQ(all.size(), 691U);
  for (const Case& c : all)
    EXPECT_EQ(shown(meaning_of(c)), shown(c.wanted)) << c.words << "  on " << shown(c.known);
}

}  // namespace
}  // namespace faro
