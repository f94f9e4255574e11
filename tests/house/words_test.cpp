// What users see: every name in the table of words of docs/library.md exists where the table says
// it does, and faro/faro.hpp reaches every header.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "paths.hpp"

namespace faro {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All files of these endings below a folder, one after another.
std::string texts_below(const std::string& folder, const std::vector<std::string>& endings) {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(testing::source_path(folder)))
    for (const std::string& ending : endings)
      if (entry.path().extension() == ending) text += text_of(entry.path());
  return text;
}

bool has_word(const std::string& text, const std::string& begins) {
  for (std::size_t at = text.find(begins); at != std::string::npos; at = text.find(begins, at + 1))
    if (at == 0 ||
        (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_'))
      return true;
  return false;
}

// Rows of the table under "## Words": the cells between the bars.
std::vector<std::vector<std::string>> rows() {
  std::istringstream page(text_of(testing::source_path("docs/library.md")));
  std::vector<std::vector<std::string>> table;
  bool here = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## Words";
    if (!here || !line.starts_with("| ") || line.starts_with("| word ")) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(cell);
    table.push_back(cells);
  }
  return table;
}

std::vector<std::string> names_in(const std::string& cell) {
  static const std::regex code("`([^`]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator it(cell.begin(), cell.end(), code), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}

TEST(House, every_name_in_the_table_of_words_exists_where_it_says) {
  const std::string headers = texts_below("include/faro", {".hpp"});
  const std::string c = texts_below("include/faro", {".h"});
  const std::string python = texts_below("python/faro", {".pyi", ".py"});
  const std::string program = text_of(testing::source_path("packaging/faro.1"));
  const auto table = rows();
  ASSERT_GT(table.size(), 15U);
  std::size_t found = 0;
  for (const auto& row : table) {
    ASSERT_EQ(row.size(), 6U) << row.front();
    for (const std::string& name : names_in(row[2])) {
      EXPECT_TRUE(has_word(headers, name)) << "no public header has " << name;
      ++found;
    }
    for (const std::string& name : names_in(row[3]))
      EXPECT_TRUE(has_word(c, name)) << "no header of C has " << name;
    for (const std::string& name : names_in(row[4]))
      EXPECT_TRUE(has_word(python, name + "(") || has_word(python, "class " + name) ||
                  fs::exists(testing::source_path("python/faro/" + name + ".py")))
          << "faro." << name << " is not in Python";
    for (const std::string& name : names_in(row[5]))
      EXPECT_NE(program.find("\"faro " + name), std::string::npos)
          << "faro " << name << " is no command";
  }
  EXPECT_GT(found, 15U);
}

// The component mpi is built apart.
TEST(House, one_header_reaches_all_public_ones_but_those_of_mpi) {
  std::vector<std::string> to_read{"faro/faro.hpp"};
  std::set<std::string> reached;
  static const std::regex include("#include \"(faro/[^\"]+)\"");
  while (!to_read.empty()) {
    const std::string header = to_read.back();
    to_read.pop_back();
    if (!reached.insert(header).second) continue;
    const std::string text = text_of(testing::source_path("include/" + header));
    ASSERT_FALSE(text.empty()) << header;
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it)
      to_read.push_back((*it)[1]);
  }
  const fs::path root = testing::source_path("include");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string header = fs::relative(entry.path(), root).string();
    if (entry.path().extension() == ".hpp" && !header.starts_with("faro/mpi/")) {
      EXPECT_TRUE(reached.contains(header)) << header;
    }
  }
}

}  // namespace
}  // namespace faro
