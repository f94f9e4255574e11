// The cases of tests/data/words.txt: words, what is known beside them, and what they mean.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faro/base/bits.hpp"
#include "paths.hpp"

namespace faro::testing {

using Shape = std::vector<Word>;

struct WordsCase {
  std::string words;
  std::map<std::string, std::string> known;
  std::map<std::string, std::string> wanted;
};

inline std::map<std::string, std::string> pairs_of(const std::string& text) {
  std::map<std::string, std::string> pairs;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const std::size_t equal = word.find('=');
    pairs[word.substr(0, equal)] = equal == std::string::npos ? "" : word.substr(equal + 1);
  }
  return pairs;
}

inline std::vector<WordsCase> words_cases() {
  std::ifstream in(source_path("tests/data/words.txt"));
  std::vector<WordsCase> list;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    list.push_back({line.substr(0, first), pairs_of(line.substr(first + 1, second - first - 1)),
                    pairs_of(line.substr(second + 1))});
  }
  return list;
}

inline Shape shape_of(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  std::istringstream in(text);
  for (std::string side; std::getline(in, side, 'x');) shape.push_back(std::stoull(side));
  return shape;
}

inline std::string text_of(const Shape& shape) {
  std::string text;
  for (const Word length : shape) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text.empty() ? "scalar" : text;
}

// FNV-1a over where the elements of the result come from, one step an index.
inline std::string hash_of(const std::vector<Word>& moved) {
  Word hash = 0xcbf29ce484222325;
  for (const Word index : moved) hash = (hash ^ index) * 0x100000001b3;
  std::ostringstream text;
  text.width(16);
  text.fill('0');
  text << std::hex << hash;
  return text.str();
}

}  // namespace faro::testing
