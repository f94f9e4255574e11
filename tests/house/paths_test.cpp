// Files that comments and pages name are there: a path that is left behind by a move is found here.
#include "paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace faro {
namespace {

namespace fs = std::filesystem;

constexpr const char* folders[] = {"include", "src",   "tests",  "bench",    "fuzz",  "examples",
                                   "docs",    "tools", "python", "explorer", "cmake", "scripts"};

std::set<std::string> all_files() {
  const fs::path root = testing::source_path("");
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file()) files.insert(entry.path().filename().string());
  for (const char* folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), root).string());
  return files;
}

// Each file by its whole path, and by every end of it: "a/b/c.hpp", "b/c.hpp", "c.hpp".
std::set<std::string> names_of(const std::set<std::string>& files) {
  std::set<std::string> names;
  for (const std::string& file : files) {
    names.insert(file);
    for (std::size_t at = file.find('/'); at != std::string::npos; at = file.find('/', at + 1))
      names.insert(file.substr(at + 1));
  }
  return names;
}

// What of a line is not code: all of a page's, and what stands behind // in a source.
std::string prose_of(const std::string& line, bool page) {
  if (page) return line;
  const std::size_t comment = line.find("//");
  return comment == std::string::npos ? "" : line.substr(comment);
}

// C++ headers and sources that a prose names.
std::vector<std::string> named_in(const std::string& prose) {
  static const std::regex path(R"((^|[^\w./<{}-])((?:\w+/)*\w+\.(?:hpp|cpp))\b)");
  std::vector<std::string> names;
  for (std::sregex_iterator at(prose.begin(), prose.end(), path), end; at != end; ++at)
    // NAME stands for any.
    if (const std::string name = (*at)[2]; name.find("NAME") == name.npos) names.push_back(name);
  return names;
}

TEST(House, files_that_comments_and_pages_name_are_there) {
  const std::set<std::string> files = all_files();
  const std::set<std::string> names = names_of(files);
  std::size_t named = 0;
  for (const std::string& file : files) {
    const bool page = file.ends_with(".md") && file != "CHANGELOG.md";
    if (!page && !file.ends_with(".hpp") && !file.ends_with(".cpp") && !file.ends_with(".h"))
      continue;
    if (file == "tests/house/paths_test.cpp") continue;  // its examples are none
    std::ifstream in(testing::source_path(file));
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      for (const std::string& name : named_in(prose_of(line, page))) {
        ++named;
        EXPECT_TRUE(names.contains(name)) << file << ":" << number << " names " << name;
      }
    }
  }
  EXPECT_GT(named, 100U);
}

TEST(House, a_path_in_a_comment_is_seen) {
  EXPECT_EQ(named_in("// see a/b.hpp, (c.cpp) and `d/e/f.hpp`.").size(), 3U);
  EXPECT_TRUE(named_in("#include <vector>").empty());
  EXPECT_EQ(prose_of("int x;  // a/b.hpp", false), "// a/b.hpp");
  EXPECT_EQ(prose_of("#include \"a/b.hpp\"", false), "");
}

}  // namespace
}  // namespace faro
