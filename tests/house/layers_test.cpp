// The rules of the house, read off the sources: who includes whom, widths and lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "paths.hpp"

namespace faro {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t columns_max = 100;
constexpr std::size_t file_lines_max = 500;
constexpr std::size_t function_lines_max = 70;

struct SourceFile {
  std::string path;  // from the project's root
  std::vector<std::string> lines;
};

std::vector<SourceFile> sources(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  const fs::path root = testing::source_path("");
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
      SourceFile file{fs::relative(entry.path(), root).string(), {}};
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) file.lines.push_back(line);
      files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::map<std::string, std::set<std::string>> layers() {
  std::map<std::string, std::set<std::string>> table;
  std::ifstream in(testing::source_path("tests/house/layers.txt"));
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (line.starts_with("#") || colon == std::string::npos) continue;
    std::istringstream seen(line.substr(colon + 1));
    std::set<std::string>& allowed = table[line.substr(0, colon)];
    for (std::string layer; seen >> layer;) allowed.insert(layer);
  }
  return table;
}

// The layer of a path below include/faro/ or src/; empty for none.
std::string layer_of(const std::string& path,
                     const std::map<std::string, std::set<std::string>>& table) {
  for (const auto& [layer, allowed] : table)
    if (path.starts_with(layer + "/")) return layer;
  return {};
}

TEST(House, every_folder_includes_only_what_it_may_see) {
  const auto table = layers();
  ASSERT_GE(table.size(), 12U);
  std::size_t checked = 0;
  for (const SourceFile& file : sources({"include/faro", "src"})) {
    const std::string inner = file.path.substr(file.path.starts_with("src/") ? 4 : 13);
    const std::string layer = layer_of(inner, table);
    ASSERT_FALSE(layer.empty()) << file.path << " stands in no folder of the table";
    for (const std::string& line : file.lines) {
      if (!line.starts_with("#include \"faro/")) continue;
      const std::string included = line.substr(15, line.rfind('"') - 15);
      const std::string other = layer_of(included, table);
      ++checked;
      EXPECT_TRUE(other == layer || table.at(layer).contains(other))
          << file.path << " includes faro/" << included << "; " << layer << " may not see "
          << other;
    }
  }
  EXPECT_GT(checked, 100U);
}

TEST(House, only_files_opens_files_and_only_the_program_prints) {
  for (const SourceFile& file : sources({"include/faro", "src"})) {
    const bool may_open =
        file.path.find("/files/") != std::string::npos || file.path.starts_with("src/cli/");
    const bool may_print = file.path.starts_with("src/cli/");
    for (const std::string& line : file.lines) {
      if (!may_open) {
        EXPECT_FALSE(line.starts_with("#include <fstream>")) << file.path;
        EXPECT_FALSE(line.starts_with("#include <fcntl.h>")) << file.path;
      }
      if (!may_print) {
        EXPECT_FALSE(line.starts_with("#include <iostream>")) << file.path;
        const std::string code = line.substr(0, line.find("//"));
        EXPECT_EQ(code.find("printf("), std::string::npos) << file.path << ": " << line;
        EXPECT_EQ(code.find("fmt::print("), std::string::npos) << file.path << ": " << line;
      }
    }
  }
}

TEST(House, lines_have_at_most_100_columns_and_files_at_most_500_lines) {
  const auto files = sources({"include", "src", "tests", "bench", "fuzz", "examples"});
  ASSERT_GT(files.size(), 50U);
  for (const SourceFile& file : files) {
    EXPECT_LE(file.lines.size(), file_lines_max) << file.path;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      // Columns, not bytes: continuation bytes of UTF-8 take none.
      const auto columns = static_cast<std::size_t>(
          std::count_if(file.lines[i].begin(), file.lines[i].end(),
                        [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
      EXPECT_LE(columns, columns_max) << file.path << ":" << i + 1;
    }
  }
}

// The first line of the statement whose last line is `line`: up to where the parentheses balance.
std::size_t head_of(const SourceFile& file, std::size_t line) {
  std::ptrdiff_t open = 0;
  for (std::size_t at = line;; --at) {
    const std::string& text = file.lines[at];
    open += std::count(text.begin(), text.end(), ')') - std::count(text.begin(), text.end(), '(');
    if (open <= 0 || at == 0) return at;
  }
}

// clang-format puts the head of a function on one indentation and its closing brace on the same.
TEST(House, functions_have_at_most_70_lines) {
  for (const SourceFile& file : sources({"include", "src", "tests", "bench", "examples"})) {
    for (std::size_t start = 0; start < file.lines.size(); ++start) {
      const std::string& last = file.lines[start];
      if (!last.ends_with("{") || last.find(')') == std::string::npos) continue;
      const std::size_t first = head_of(file, start);
      const std::string& head = file.lines[first];
      const auto indent = head.find_first_not_of(' ');
      const std::string_view word = std::string_view(head).substr(indent);
      if (word.starts_with("}") || word.starts_with("namespace") || word.starts_with("//"))
        continue;
      // A constructor's initialisers stand deeper than its head.
      const bool initialiser = word.starts_with(":") || word.ends_with(",") ||
                               (first > 0 && file.lines[first - 1].ends_with(","));
      if (initialiser) continue;
      const std::string closing = std::string(indent, ' ') + "}";
      std::size_t end = start + 1;
      while (end < file.lines.size() && !file.lines[end].starts_with(closing)) ++end;
      EXPECT_LE(end - start + 1, function_lines_max) << file.path << ":" << start + 1;
    }
  }
}

TEST(House, public_headers_begin_with_a_comment_and_are_guarded) {
  for (const SourceFile& file : sources({"include/faro"})) {
    ASSERT_FALSE(file.lines.empty()) << file.path;
    EXPECT_TRUE(file.lines[0].starts_with("//")) << file.path;
    const bool guarded = std::any_of(file.lines.begin(), file.lines.end(), [](const auto& line) {
      return line == "#pragma once" || line.starts_with("#ifndef FARO_");
    });
    EXPECT_TRUE(guarded) << file.path;
    for (const std::string& line : file.lines)
      EXPECT_FALSE(line.starts_with("using namespace")) << file.path;
  }
}

}  // namespace
}  // namespace faro
