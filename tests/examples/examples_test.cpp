// The programs of examples/ print what they say, as programs of their own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "faro/faro.hpp"
#include "files/scratch.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using testing::read_all;
using testing::Scratch;

struct Ran {
  int code = 0;
  std::string out;
  std::string error;
};

// In the scratch folder, by its shell.
Ran run(const Scratch& scratch, const std::string& program, const std::string& argument = "") {
  const std::string command = "cd '" + scratch.path() + "' && '" +
                              testing::build_path("examples/" + program) + "' " + argument +
                              " >out 2>error";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), read_all(scratch.path("out")), read_all(scratch.path("error"))};
}

TEST(Examples, are_quoted_word_for_word) {
  const std::string page = read_all(testing::source_path("docs/library.md"));
  std::size_t quoted = 0;
  for (std::size_t at = page.find("<!-- examples/"); at != std::string::npos;
       at = page.find("<!-- examples/", at + 1)) {
    const std::size_t from = at + std::string("<!-- ").size();
    const std::string file = page.substr(from, page.find(" -->", at) - from);
    const std::string fence = " -->\n```cpp\n";
    const std::size_t begin = page.find(fence, at) + fence.size();
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    EXPECT_EQ(text, read_all(testing::source_path(file))) << file;
    ++quoted;
  }
  EXPECT_EQ(quoted, 6U);
}

TEST(Examples, permute) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "permute").out, "16 2\n");
}

TEST(Examples, readme) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "readme").out, "row 0 was 0 1 2 3, column 0 is now row 0: 0 4 8 ...\n");
}

TEST(Examples, places) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "places").out,
            "memory: 1 passes, at least 1\ndisk:memory=80MiB: 1 passes, at least 1\n");
}

TEST(Examples, plan_and_verify_then_own_sink) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "plan_and_verify").out,
            "61 61 conversion-table 1\n1 ee38072bf98be795c14ff75cab225802\n");
  const Ran read = run(scratch, "own_sink", "s.json");
  EXPECT_EQ(read.code, 0) << read.error;
  EXPECT_EQ(read.out.rfind("cube:6, 100 elements in each processor, by conversion-table\n", 0), 0U)
      << read.out;
  EXPECT_NE(read.out.find("\nstep 61:"), std::string::npos);
  EXPECT_NE(read.out.find("\n61 of 62 steps over links\n"), std::string::npos);
  testing::write_all(scratch.path("s.json"), "{\"format\": \"faro-schedule/1\"}");
  const Ran broken = run(scratch, "own_sink", "s.json");
  EXPECT_EQ(broken.code, 1) << broken.error;
  EXPECT_EQ(run(scratch, "own_sink", "absent.json").code, 3);
}

TEST(Examples, one_axis) {
  const Scratch scratch;
  Array x{.shape = {3, 1024, 5}, .type = "<u2", .bytes = std::vector<std::byte>(3 * 1024 * 5 * 2)};
  for (std::size_t i = 0; i < x.bytes.size(); ++i)
    x.bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  write_npy(scratch.path("x.npy"), x);
  EXPECT_EQ(run(scratch, "one_axis").code, 0);
  const Array y = read_npy(scratch.path("y.npy"));
  ASSERT_EQ(y.shape, x.shape);
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t i = 0; i < 1024; ++i)
      for (std::size_t k = 0; k < 10; ++k)
        ASSERT_EQ(y.bytes[(o * 1024 + (i ^ (i >> 1U))) * 10 + k], x.bytes[(o * 1024 + i) * 10 + k])
            << o << ' ' << i << ' ' << k;
}

TEST(Examples, own_planner) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "own_planner").out, "flips 6 1\nbits-in-turn 3 1\n");
}

}  // namespace
}  // namespace faro
