// Headers: those NumPy writes, hostile ones with the exact error, and the way back to bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "paths.hpp"

namespace faro {
namespace {

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    const char c = text.at(++i);
    if (c == 'n') result += '\n';
    if (c == '\\') result += '\\';
    if (c == 'x') {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
  }
  return result;
}

std::string file_of(int version, const std::string& text) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  std::size_t length = text.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i, length /= 256)
    bytes += static_cast<char>(length % 256);
  return bytes + text;
}

NpyHeader parsed(const std::string& bytes) {
  return parse_npy_header(std::as_bytes(std::span(bytes)), "x.npy");
}

std::string complaint(const std::string& bytes) {
  try {
    parsed(bytes);
  } catch (const Error& error) {
    return fmt::format("{} {}", name_of(error.code()), error.what());
  }
  return "accepted";
}

TEST(Npy, hostile_headers_are_refused_with_the_exact_error) {
  std::ifstream file(testing::source_path("tests/data/npy/hostile.txt"));
  std::string line;
  int cases = 0;
  while (std::getline(file, line)) {
    if (line.front() == '#') continue;
    std::string expected;
    ASSERT_TRUE(std::getline(file, expected)) << line;
    const std::size_t blank = line.find(' ');
    const std::string body = unescaped(line.substr(blank + 1));
    const std::string bytes = line[0] == 'v' ? file_of(line[1] - '0', body) : body;
    EXPECT_EQ("  " + complaint(bytes), expected) << line;
    ++cases;
  }
  EXPECT_GE(cases, 100);
}

TEST(Npy, a_header_that_numpy_writes) {
  const NpyHeader header = parsed(
      file_of(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 4), }                \n"));
  EXPECT_EQ(header.type, "'<f8'");
  EXPECT_EQ(header.element_bytes, 8U);
  EXPECT_EQ(header.order, NpyHeader::Order::c);
  EXPECT_EQ(header.shape, (std::vector<std::uint64_t>{8, 4}));
  EXPECT_EQ(header.elements(), 32U);
  EXPECT_EQ(header.data_bytes(), 256U);
}

TEST(Npy, sizes_of_types) {
  const std::vector<std::pair<const char*, std::uint64_t>> types = {
      {"'|b1'", 1},
      {"'|i1'", 1},
      {"'>u2'", 2},
      {"'<f2'", 2},
      {"'<f16'", 16},
      {"'>c32'", 32},
      {"'<M8[ns]'", 8},
      {"'<m8[25s/7]'", 8},
      {"'<m8'", 8},
      {"'|S7'", 7},
      {"'<U3'", 12},
      {"'|V5'", 5},
      {"'|S0'", 0},
      {"\"<f8\"", 8},
      {"[]", 0},
      {"[('x', '<i4'), ('y', '>f8', (2, 3))]", 52},
      {"[('x', '<i4'), ('', '|V4'), ('y', [('u', '|i1'), ('v', '<i2', 2)])]", 13},
      {"[(('title', 'x'), '<i4')]", 4},
      {"[('it\\'s \\x7f \\u00e9', '<i4'),]", 4},
  };
  for (const auto& [type, bytes] : types) EXPECT_EQ(npy_element_bytes(type), bytes) << type;
}

TEST(Npy, unusual_but_right_headers) {
  for (const char* text : {
           "{'shape':(),'descr':'<f8','fortran_order':True}\n",
           "{'shape': (3L, 4L), 'descr': '<f8', 'fortran_order': False}\n",
           "{ 'shape'\t:\n( 3 , ) , \"descr\": '=f8', 'fortran_order': False , } \n \n",
           "{'shape': (0, 5), 'descr': 'f8', 'fortran_order': False}\n",
           "{'shape': (1,), 'descr': [('\xe9', '<f8')], 'fortran_order': False}\n",
       })
    EXPECT_EQ(complaint(file_of(1, text)), "accepted") << text;
  EXPECT_EQ(complaint(file_of(
                3,
                "{'shape': (1,), 'descr': [('\xc3\xa9\xe2\x82\xac\xf0\x9f\x82\xa1', '<f8')], "
                "'fortran_order': False}\n")),
            "accepted");
}

TEST(Npy, written_headers_read_back_and_are_aligned) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    NpyHeader header = npy_header("<i4", {});
    header.version = random.below(4) == 0 ? 3 : 1;
    header.order = random.below(2) == 0 ? NpyHeader::Order::c : NpyHeader::Order::fortran;
    for (std::uint64_t axes = random.below(6); axes > 0; --axes)
      header.shape.push_back(random.below(1000));
    const std::string bytes = npy_header_bytes(header);
    EXPECT_EQ(bytes.size() % 64, 0U);
    EXPECT_EQ(parsed(bytes), header) << bytes;
  }
}

TEST(Npy, a_long_header_is_written_as_version_2) {
  NpyHeader header = npy_header("<i4", {2});
  header.type = "[";
  for (int i = 0; i < 6000; ++i) header.type += fmt::format("('f{}', '<i4'), ", i);
  header.type += "]";
  header.element_bytes = 24000;
  const std::string bytes = npy_header_bytes(header);
  EXPECT_EQ(bytes[6], 2);
  header.version = 2;
  EXPECT_EQ(parsed(bytes), header);
}

// Every cut and every changed byte either reads or is refused; nothing else may happen.
TEST(Npy, no_cut_and_no_changed_byte_does_harm) {
  NpyHeader header = npy_header("<i4", {3, 4, 5});
  header.type = "[('x', '<i4'), (('t', 'y'), '>f8', (2, 3))]";
  header.element_bytes = 52;
  const std::string bytes = npy_header_bytes(header);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_NE(complaint(bytes.substr(0, i)), "accepted") << i;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(value);
      accepted += complaint(changed) == "accepted" ? 1 : 0;
    }
  EXPECT_GT(accepted, bytes.size());
}

TEST(Npy, names_the_fields_of_a_structure) {
  const std::vector<NpyField> wanted{
      {"x", "'<i4'", 0}, {"y", "", 4}, {"z", "[('a', '<f8')]", 10}, {"t", "'|u1'", 18}};
  EXPECT_EQ(npy_fields("[('x', '<i4'), ('y', '>f2', (3,)), ('z', [('a', '<f8')]), "
                       "(('title', 't'), '|u1')]"),
            wanted);
  EXPECT_TRUE(npy_fields("'<f8'").empty());
}

}  // namespace
}  // namespace faro
