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

struct Layers {
  std::map<std::string, std::set<std::string>> may_see;
  std::map<std::string, std::string> of_path;  // by how paths begin
};

Layers layers() {
  Layers table;
  std::ifstream in(testing::source_path("tests/house/layers.txt"));
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (line.starts_with("#") || colon == std::string::npos) continue;
    const bool files = line.starts_with("files ");
    const std::string layer = files ? line.substr(6, colon - 6) : line.substr(0, colon);
    std::istringstream words(line.substr(colon + 1));
    if (!files) {
      table.may_see[layer];
      table.of_path[layer + '/'] = layer;
    }
    for (std::string word; words >> word;)
      if (files)
        table.of_path[word + '.'] = layer;
      else
        table.may_see[layer].insert(word);
  }
  return table;
}

// The layer of a path below include/faro/ or src/, by its longest beginning in the table; empty for
// none.
std::string layer_of(const std::string& path, const Layers& table) {
  std::size_t longest = 0;
  std::string layer;
  for (const auto& [beginning, name] : table.of_path)
    if (path.starts_with(beginning) && beginning.size() > longest) {
      longest = beginning.size();
      layer = name;
    }
  return layer;
}

TEST(House, every_file_includes_only_what_its_layer_may_see) {
  const Layers table = layers();
  ASSERT_GE(table.may_see.size(), 12U);
  std::map<std::string, std::size_t> checked;  // by layer
  for (const SourceFile& file : sources({"include/faro", "src"})) {
    const std::string inner = file.path.substr(file.path.starts_with("src/") ? 4 : 13);
    if (inner == "faro.hpp") continue;  // everything for users
    const std::string layer = layer_of(inner, table);
    if (inner == "faro.hpp") continue;  // all of it
    ASSERT_FALSE(layer.empty()) << file.path << " stands in no folder of the table";
    for (const std::string& line : file.lines) {
      if (!line.starts_with("#include \"")) continue;
      std::string included = line.substr(10, line.rfind('"') - 10);
      if (included.starts_with("faro/")) included = included.substr(5);
      if (included.find('/') == std::string::npos) continue;  // what the build makes
      if (included.starts_with("../")) continue;              // of the same folder
      const std::string other = layer_of(included, table);
      ++checked[layer];
      EXPECT_TRUE(other == layer || table.may_see.at(layer).contains(other))
          << file.path << " includes " << included << "; " << layer << " may not see " << other;
    }
  }
  for (const auto& [layer, seen] : table.may_see) {
    EXPECT_TRUE(seen.empty() || checked[layer] > 0) << layer;
  }
}

// What a test of private headers alone would miss: that the two judges are told apart at all.
TEST(House, replay_and_proof_are_layers_of_their_own) {
  const Layers table = layers();
  for (const char* machine : {"cube", "mesh", "pops", "ranks"}) {
    const std::string folder = std::string("machines/") + machine;
    EXPECT_EQ(layer_of(folder + "/replay.cpp", table), "machines.replay");
    EXPECT_EQ(layer_of(folder + "/proof.cpp", table), "machines.proof");
  }
  EXPECT_FALSE(table.may_see.at("machines.replay").contains("machines.proof"));
  EXPECT_FALSE(table.may_see.at("machines.proof").contains("machines.replay"));
  for (const auto& [layer, seen] : table.may_see) {
    if (layer == "machines.table") continue;
    EXPECT_FALSE(seen.contains("machines.replay") || seen.contains("machines.proof")) << layer;
  }
}

// Two types of one name, each in its own sources, compile and link: destructors and vectors of one
// are then taken for the other's.
TEST(House, a_type_has_a_name_of_its_own) {
  std::map<std::string, std::set<std::string>> defined;  // by namespaces and name: where
  for (const SourceFile& file : sources({"include/faro", "src"})) {
    std::vector<std::string> open;  // namespaces; an anonymous one is the file's
    for (const std::string& line : file.lines) {
      std::istringstream words(line);
      std::string first;
      std::string name;
      words >> first;
      if (line.starts_with("namespace") && line.ends_with("{"))
        open.push_back(line == "namespace {" ? file.path : line);
      else if (line.starts_with("}  // namespace") && !open.empty())
        open.pop_back();
      if (line.starts_with(' ') || !line.ends_with("{")) continue;
      if (first != "struct" && first != "class") continue;
      words >> name;
      if (name.find("::") != std::string::npos || name.find('<') != std::string::npos) continue;
      std::string whole;
      for (const std::string& space : open) whole += space;
      defined[whole + name].insert(file.path);
    }
  }
  EXPECT_GT(defined.size(), 500U);
  for (const auto& [name, files] : defined)
    EXPECT_EQ(files.size(), 1U) << name << " in " << *files.begin() << " and " << *files.rbegin();
}

TEST(House, only_files_opens_files_and_only_the_program_prints) {
  for (const SourceFile& file : sources({"include/faro", "src"})) {
    const bool may_print =
        file.path.starts_with("src/cli/") || file.path.starts_with("src/mpi_cli/");
    // What the system says of itself, in /proc and /sys, is read in one place of the base.
    const bool may_open = may_print || file.path.find("/files/") != std::string::npos ||
                          file.path == "src/base/system_text.cpp";
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

// A test that compares a clock with a number is red on somebody's machine: tests count, and bench/
// measures.
TEST(House, no_test_reads_a_clock) {
  const std::vector<std::string> clocks = {
      "steady_clock",  "system_clock",    "high_resolution_clock",
      "clock_gettime", "CLOCKS_PER_SEC",  "gettimeofday",
      "MPI_Wtime",     "time.monotonic",  "time.time",
      "perf_counter",  "process_time",    "ru_utime",
      "TIMEFORMAT",    "performance.now", "$EPOCHREALTIME",
      "std::clock",    "clock()"};
  std::size_t files = 0;
  const fs::path root = testing::source_path("");
  for (const char* folder : {"tests", "python/tests", ".ci/program", ".ci/page", "fuzz"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::vector<std::string> read = {".cpp", ".hpp", ".c", ".h", ".py", ".sh"};
      if (std::find(read.begin(), read.end(), extension) == read.end()) continue;
      if (entry.path().filename() == "layers_test.cpp") continue;
      ++files;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);)
        for (const std::string& clock : clocks)
          EXPECT_EQ(line.find(clock), std::string::npos)
              << entry.path().string() << " reads a clock: " << line;
    }
  EXPECT_GT(files, 200U);
}

// Another system needs these written anew, and nothing else.
TEST(House, the_operating_system_is_known_to_files_programs_and_five_other_files) {
  const std::vector<std::string> headers = {"unistd", "fcntl", "sys/",    "pthread",
                                            "signal", "sched", "dlfcn",   "poll",
                                            "dirent", "pwd",   "termios", "spawn"};
  std::map<std::string, int> others = {{"src/base/aligned_bytes.hpp", 0},
                                       {"src/base/cores.cpp", 0},
                                       {"src/base/memory.cpp", 0},
                                       {"src/base/parallel.cpp", 0},
                                       {"src/gpu/device.cpp", 0}};
  int seen = 0;
  for (const SourceFile& file : sources({"include", "src"})) {
    const bool may = others.contains(file.path) || file.path.starts_with("src/files/") ||
                     file.path.starts_with("src/disk/") || file.path.starts_with("src/cli/") ||
                     file.path.starts_with("src/mpi_cli/");
    for (const std::string& line : file.lines)
      for (const std::string& header : headers) {
        if (!line.starts_with("#include <" + header)) continue;
        ++seen;
        EXPECT_TRUE(may) << file.path << ": " << line;
        if (others.contains(file.path)) ++others[file.path];
      }
  }
  EXPECT_GT(seen, 10);
  for (const auto& [path, count] : others) EXPECT_GT(count, 0) << path << " needs no such right";
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

// A file's idea is its first line; that of a source with a header of its own may stand there.
// Examples are shown whole in README and speak for themselves.
TEST(House, files_begin_with_their_idea) {
  const auto files = sources({"include", "src", "tests", "bench", "fuzz"});
  std::set<std::string> begun;
  for (const SourceFile& file : files)
    if (!file.lines.empty() &&
        (file.lines.front().starts_with("//") || file.lines.front().starts_with("/*")))
      begun.insert(file.path);
  for (const SourceFile& file : files) {
    const std::string stem = file.path.substr(0, file.path.rfind('.'));
    const std::string open = stem.starts_with("src/") ? "include/faro/" + stem.substr(4) : stem;
    EXPECT_TRUE(begun.contains(file.path) || begun.contains(stem + ".hpp") ||
                begun.contains(open + ".hpp"))
        << file.path << ": its first line does not say what it is for";
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
      // A constructor's initialisers stand deeper than its head; a function among arguments has
      // none of its own.
      std::size_t list = first;
      while (list > 0 && file.lines[list - 1].ends_with(",")) --list;
      std::size_t column = indent;
      if (list != first || word.starts_with(":")) {
        const std::string& begin = file.lines[list];
        if (begin.substr(begin.find_first_not_of(' ')).starts_with(":") && list > 0)
          column = file.lines[head_of(file, list - 1)].find_first_not_of(' ');
        else
          continue;
      }
      const std::string closing = std::string(column, ' ') + "}";
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
