// Reads layouts: presets and files of rules, line by line.
#include "checkpoints/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/nearest.hpp"
#include "base/require.hpp"
#include "checkpoints/maxima.hpp"
#include "checkpoints/presets.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::checkpoints {
namespace {

constexpr std::array device_axes = {"tp", "ep", "pp"};
constexpr std::array number_names = {"tp",  "ep",   "pp",    "heads", "kv_heads", "vocab",
                                     "pad", "tied", "fused", "gated", "block"};

std::uint64_t number_from(std::string_view text, std::string_view where) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value < (1ULL << 40U),
          "{}: '{}' is no whole number below 2^40", where, text);
  return value;
}

void set_number(Layout& layout, const std::string& name, const std::string& text,
                std::string_view where) {
  if (name == "split") {
    layout.stages.clear();
    std::istringstream stages(text);
    for (std::string one; std::getline(stages, one, '/');)
      layout.stages.push_back(number_from(one, where));
    return;
  }
  require(std::find(number_names.begin(), number_names.end(), name) != number_names.end(),
          "{}: no number is called '{}'; there are split, {}", where, name,
          fmt::join(number_names, ", "));
  const std::uint64_t value = number_from(text, where);
  const bool flag = name == "tied" || name == "fused" || name == "gated";
  require(flag ? value < 2 : value > 0, "{}: {}={}: wanted {}", where, name, value,
          flag ? "0 or 1" : "1 or more");
  layout.numbers.emplace(name, value);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Lines with the numbers of their first ones; one that ends in = or + goes on.
std::vector<std::pair<std::size_t, std::vector<std::string>>> lines_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::vector<std::string>>> lines;
  std::istringstream in(text);
  std::size_t number = 0;
  bool goes_on = false;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (goes_on)
      lines.back().second.insert(lines.back().second.end(), words.begin(), words.end());
    else
      lines.emplace_back(number, words);
    goes_on = words.back() == "=" || words.back() == "+";
  }
  return lines;
}

NamePattern pattern_from(const std::string& text, const std::string& where) {
  try {
    return NamePattern(text);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", where, error.what()));
  }
}

std::optional<Cut> cut_named(std::string_view word) {
  const auto* found = std::find(cut_names.begin(), cut_names.end(), word);
  if (found == cut_names.end()) return std::nullopt;
  return static_cast<Cut>(found - cut_names.begin());
}

Rule rule_from(const std::vector<std::string>& words, const std::string& where) {
  Rule rule{pattern_from(words[0], where),
            fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")),
            {},
            false,
            false,
            false};
  require(words.size() > 1, "{}: '{}' has no rule; 'copy' says that every rank holds it", where,
          words[0]);
  const auto word_at = [&](std::size_t i) {
    require(i < words.size(), "{}: a word is missing after '{}'", where, words.back());
    return words[i];
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "copy") continue;
    if (const auto cut = cut_named(word)) {
      Split split{.cut = *cut, .axis = number_from(word_at(++i), where)};
      if (*cut == Cut::blocks) split.blocks = number_from(word_at(++i), where);
      require(split.blocks >= 1, "{}: wanted 1 block or more", where);
      if (split.blocks > limits::checkpoint_blocks_max)
        throw Error(ErrorCode::limit, fmt::format("{}: at most {} blocks are taken", where,
                                                  limits::checkpoint_blocks_max));
      for (const Split& other : rule.splits)
        require(other.axis != split.axis, "{}: axis {} is cut twice", where, split.axis);
      rule.splits.push_back(split);
    } else if (word == "over" && !rule.splits.empty()) {
      rule.splits.back().over = word_at(++i);
      require(rule.splits.back().over == "tp" || rule.splits.back().over == "ep",
              "{}: over '{}': wanted tp or ep", where, rule.splits.back().over);
    } else if (word == "scale" && words.size() == i + (i + 2 < words.size() ? 4U : 2U)) {
      rule.scale_of = pattern_from(words[++i], where);
      if (i + 1 == words.size()) continue;
      require(words[i + 1] == "by", "{}: wanted scale WEIGHT by LENGTH, found '{}'", where,
              words[i + 1]);
      rule.block = number_from(words[i += 2], where);
      require(rule.block > 0, "{}: wanted blocks of 1 or more", where);
    } else if (word == "first" || word == "last" || word == "tied") {
      (word == "first" ? rule.first : word == "last" ? rule.last : rule.tied) = true;
    } else {
      throw Error(ErrorCode::usage,
                  fmt::format("{}: '{}' is no word of a rule; there are copy, {}, over, scale "
                              "WEIGHT by LENGTH, first, last, tied",
                              where, word, fmt::join(cut_names, ", ")));
    }
  }
  require(!rule.scale_of || (rule.splits.empty() && !rule.first && !rule.last && !rule.tied),
          "{}: a scale lies as its weight does, and has no other word", where);
  return rule;
}

Fusion fusion_from(const std::vector<std::string>& words, const std::string& where) {
  Fusion fusion{pattern_from(words[0], where), {}, 0};
  std::size_t i = 2;
  for (;; i += 2) {
    require(i < words.size(), "{}: a part is missing", where);
    for (const NamePattern& part : fusion.parts)
      require(part.text() != words[i], "{}: the part '{}' stands twice", where, words[i]);
    fusion.parts.push_back(pattern_from(words[i], where));
    if (i + 1 >= words.size() || words[i + 1] != "+") break;
  }
  ++i;
  if (i < words.size()) {
    require(words[i] == "along" && i + 2 == words.size(),
            "{}: wanted NAME = PART + PART along AXIS, found '{}'", where, words[i]);
    fusion.axis = number_from(words[i + 1], where);
  }
  return fusion;
}

void read_line(Layout& layout, std::vector<std::string> words, const std::string& where) {
  if (words[0] == "if") {
    const bool negated = words.size() > 1 && words[1] == "not";
    const std::size_t at = negated ? 2 : 1;
    require(words.size() > at + 1, "{}: wanted if NUMBER LINE", where);
    if ((layout.find(words[at]).value_or(0) != 0) == negated) return;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  if (words[0] == "set") {
    require(words.size() == 3, "{}: wanted set NAME NUMBER", where);
    if (words[1] != "split" || layout.stages.empty()) set_number(layout, words[1], words[2], where);
  } else if (words.size() > 1 && words[1] == "=") {
    layout.fusions.push_back(fusion_from(words, where));
  } else {
    layout.rules.push_back(rule_from(words, where));
  }
}

std::string layout_text(const std::string& name) {
  if (auto words = preset_words(name)) return *words;
  require(name.find_first_of("./") != std::string::npos,
          "no layout is called '{}'; there are whole, llama, qwen, mixtral, gpt, and files", name);
  check_regular(name);
  InputFile file = InputFile::open(name);
  std::string text(limits::checkpoint_layout_bytes_max + 1, '\0');
  text.resize(file.read_full(std::as_writable_bytes(std::span(text))));
  if (text.size() > limits::checkpoint_layout_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{}: a layout file of more than {} bytes", name,
                                              limits::checkpoint_layout_bytes_max));
  require(
      std::none_of(text.begin(), text.end(),
                   [](unsigned char c) { return c < ' ' && c != '\n' && c != '\t' && c != '\r'; }),
      "{}: is no text, so no layout", name);
  return text;
}

}  // namespace

Layout Layout::parse(const std::string& words) {
  Layout layout;
  layout.words = words;
  const std::size_t colon = words.rfind(':');
  const std::string name = words.substr(0, colon);
  if (colon != std::string::npos) {
    std::istringstream in(words.substr(colon + 1));
    for (std::string one; std::getline(in, one, ',');) {
      const std::size_t equals = one.find('=');
      const std::string number = one.substr(0, equals);
      require(layout.numbers.count(number) == 0, "'{}': {} stands twice", words, number);
      if (equals == std::string::npos &&
          (number == "fused" || number == "gated" || number == "tied"))
        layout.numbers.emplace(number, 1);
      else
        set_number(layout, number, equals == std::string::npos ? "" : one.substr(equals + 1),
                   "'" + words + "'");
    }
  }
  for (const auto& [number, line] : lines_of(layout_text(name)))
    read_line(layout, line, fmt::format("layout '{}', line {}", name, number));
  require(!layout.is_whole() || layout.ranks() == 1, "'{}': whole tensors are on no ranks", words);
  require(layout.stages.empty() || layout.stages.size() == layout.devices("pp"),
          "'{}': split names {} stages, pp is {}", words, layout.stages.size(),
          layout.devices("pp"));
  layout.ranks();
  return layout;
}

bool Layout::is_whole() const {
  return words == "whole" || words.starts_with("whole:");
}

std::optional<std::uint64_t> Layout::find(const std::string& number) const {
  const auto found = numbers.find(number);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

std::uint64_t Layout::ranks() const {
  Count all = 1;
  for (const char* axis : device_axes) all = all * devices(axis);
  if (all > Count{limits::checkpoint_ranks_max})
    throw Error(ErrorCode::limit, fmt::format("'{}': at most {} ranks are taken", words,
                                              limits::checkpoint_ranks_max));
  return static_cast<std::uint64_t>(all);
}

std::uint64_t Layout::place(std::uint64_t rank, const std::string& axis) const {
  for (const char* one : device_axes) {
    if (axis == one) return rank % devices(one);
    rank /= devices(one);
  }
  return 0;
}

const Rule& Layout::rule_of(const SafeTensor& tensor) const {
  for (const Rule& rule : rules)
    if (rule.pattern.match(tensor.name)) return rule;
  std::vector<std::string> patterns;
  for (const Rule& rule : rules) patterns.push_back(rule.pattern.text());
  throw Error(
      ErrorCode::usage,
      fmt::format("tensor '{}' {}: layout '{}' has no rule for this name; a layout file may "
                  "say one (docs/checkpoints.md)",
                  tensor.name, shape_text(tensor.shape), words));
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace faro::inline v1::checkpoints
