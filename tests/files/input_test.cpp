// Files to read: mapped, streamed, refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using testing::Scratch;
using testing::write_all;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(InputFile, a_regular_file_is_mapped_whole) {
  const Scratch folder;
  write_all(folder.path("a"), "abcdef");
  const InputFile input = InputFile::open(folder.path("a"));
  EXPECT_TRUE(input.is_mappable());
  EXPECT_EQ(input.size_bytes(), 6U);
  EXPECT_EQ(text_of(input.map().bytes()), "abcdef");
}

TEST(InputFile, a_mapping_outlives_the_open_file_and_its_name) {
  const Scratch folder;
  write_all(folder.path("a"), "abcdef");
  const Mapping mapping = [&] {
    const InputFile input = InputFile::open(folder.path("a"));
    return input.map();
  }();
  ASSERT_EQ(::unlink(folder.path("a").c_str()), 0);
  EXPECT_EQ(text_of(mapping.bytes()), "abcdef");
}

TEST(InputFile, an_empty_file_is_an_empty_mapping) {
  const Scratch folder;
  write_all(folder.path("a"), "");
  const Mapping mapping = InputFile::open(folder.path("a")).map();
  EXPECT_TRUE(mapping.bytes().empty());
  mapping.prefault();
}

TEST(InputFile, fetching_ahead_changes_nothing) {
  const Scratch folder;
  const std::string bytes(100'000'000, 'x');
  write_all(folder.path("a"), bytes);
  const Mapping mapping = InputFile::open(folder.path("a")).map();
  mapping.prefault();
  EXPECT_TRUE(text_of(mapping.bytes()) == bytes);
}

TEST(InputFile, a_pipe_is_read_in_pieces_to_its_end) {
  const Scratch folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    const int end = ::open(folder.path("pipe").c_str(), O_WRONLY);
    for (const char* piece : {"abc", "defg", "hi"})
      EXPECT_GT(::write(end, piece, std::char_traits<char>::length(piece)), 0);
    ::close(end);
  });
  InputFile input = InputFile::open(folder.path("pipe"));
  EXPECT_FALSE(input.is_mappable());
  std::vector<std::byte> piece(5);
  EXPECT_EQ(input.read_full(piece), 5U);
  EXPECT_EQ(text_of(piece), "abcde");
  EXPECT_EQ(input.read_full(piece), 4U);
  EXPECT_EQ(text_of(piece).substr(0, 4), "fghi");
  EXPECT_EQ(input.read_full(piece), 0U);
  writer.join();
}

TEST(InputFile, standard_input_in_the_middle_of_a_file_is_streamed_from_there) {
  const Scratch folder;
  write_all(folder.path("a"), "abcdef");
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(folder.path("a").c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(file, 2, SEEK_SET), 2);
  ::dup2(file, STDIN_FILENO);
  {
    InputFile input = InputFile::open("-");
    EXPECT_EQ(input.name(), "standard input");
    EXPECT_FALSE(input.is_mappable());
    std::vector<std::byte> bytes(10);
    EXPECT_EQ(input.read_full(bytes), 4U);
  }
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

TEST(InputFile, what_cannot_be_opened_is_an_error_of_the_environment) {
  for (const char* path : {"/nowhere/at/all", "/", ""}) {
    try {
      InputFile::open(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment) << path;
    }
  }
}

}  // namespace
}  // namespace faro
