// Replacing a file: what it keeps, what it follows, what it refuses.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/claim.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

namespace fs = std::filesystem;
using testing::read_all;
using testing::Scratch;
using testing::write_all;

void replace(const std::string& path, std::string_view content) {
  Replacement out(path);
  out.write(content);
  out.commit();
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    return error.what();
  }
  return "";
}

TEST(Replacement, a_new_file_appears_with_commit) {
  const Scratch folder;
  {
    Replacement out(folder.path("a"));
    out.write("abc");
    EXPECT_FALSE(fs::exists(folder.path("a")));
    out.commit();
    EXPECT_EQ(read_all(folder.path("a")), "abc");
  }
  EXPECT_EQ(folder.count(), 1U);
}

TEST(Replacement, without_commit_the_old_file_stays_and_nothing_else) {
  const Scratch folder;
  write_all(folder.path("a"), "old");
  {
    Replacement out(folder.path("a"));
    out.write("new");
  }
  EXPECT_EQ(read_all(folder.path("a")), "old");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(Replacement, a_mapping_writes_the_reserved_file) {
  const Scratch folder;
  Replacement out(folder.path("a"));
  out.reserve(10000);
  {
    Mapping mapping = out.map();
    ASSERT_EQ(mapping.writable().size(), 10000U);
    std::memset(mapping.writable().data(), 'x', 10000);
  }
  out.commit();
  EXPECT_EQ(read_all(folder.path("a")), std::string(10000, 'x'));
}

TEST(Replacement, an_empty_file_can_be_made) {
  const Scratch folder;
  Replacement out(folder.path("a"));
  out.reserve(0);
  EXPECT_TRUE(out.map().bytes().empty());
  out.commit();
  EXPECT_EQ(fs::file_size(folder.path("a")), 0U);
}

TEST(Replacement, the_old_file_can_be_read_meanwhile) {
  const Scratch folder;
  write_all(folder.path("a"), "old content");
  const InputFile input = InputFile::open(folder.path("a"));
  const Mapping old = input.map();
  replace(folder.path("a"), "new");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(old.bytes().data()), old.bytes().size()),
            "old content");
  EXPECT_EQ(read_all(folder.path("a")), "new");
}

TEST(Replacement, permissions_are_kept) {
  const Scratch folder;
  write_all(folder.path("a"), "old");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0640), 0);
  replace(folder.path("a"), "new");
  struct stat status = {};
  ASSERT_EQ(::stat(folder.path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST(Replacement, new_files_obey_the_umask) {
  const Scratch folder;
  const mode_t before = ::umask(027);
  replace(folder.path("a"), "new");
  ::umask(before);
  struct stat status = {};
  ASSERT_EQ(::stat(folder.path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST(Replacement, symbolic_links_are_followed_and_stay) {
  const Scratch folder;
  fs::create_directory(folder.path("d"));
  write_all(folder.path("d/file"), "old");
  fs::create_symlink("d/link2", folder.path("link"));
  fs::create_symlink("file", folder.path("d/link2"));
  replace(folder.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_TRUE(fs::is_symlink(folder.path("d/link2")));
  EXPECT_EQ(read_all(folder.path("d/file")), "new");
}

TEST(Replacement, a_link_to_what_does_not_exist_yet_makes_it) {
  const Scratch folder;
  fs::create_symlink(folder.path("file"), folder.path("link"));
  replace(folder.path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(read_all(folder.path("file")), "new");
}

TEST(Replacement, other_hard_links_keep_the_old_content) {
  const Scratch folder;
  write_all(folder.path("a"), "old");
  fs::create_hard_link(folder.path("a"), folder.path("b"));
  replace(folder.path("a"), "new");
  EXPECT_EQ(read_all(folder.path("a")), "new");
  EXPECT_EQ(read_all(folder.path("b")), "old");
}

TEST(Replacement, what_cannot_be_replaced_is_refused) {
  const Scratch folder;
  fs::create_directory(folder.path("d"));
  fs::create_symlink("loop", folder.path("loop"));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const auto open = [](const std::string& path) {
    return complaint([&] { Replacement out(path); });
  };
  EXPECT_NE(open(folder.path("d")).find("directory"), std::string::npos);
  EXPECT_NE(open(folder.path("new/")).find("directory"), std::string::npos);
  EXPECT_NE(open(folder.path("loop")).find("symbolic links"), std::string::npos);
  EXPECT_NE(open(folder.path("pipe")).find("no regular file"), std::string::npos);
  EXPECT_NE(open("/dev/null").find("no regular file"), std::string::npos);
  EXPECT_NE(open(folder.path("missing/a")).find("missing"), std::string::npos);
  EXPECT_NE(open("").find("No such file"), std::string::npos);
}

// Root may write everywhere, so these run as nobody, in a child.
int as_nobody(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) _exit(99);
    _exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Replacement, a_write_protected_file_is_refused) {
  const Scratch folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  write_all(folder.path("a"), "old");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0444), 0);
  EXPECT_EQ(as_nobody([&] {
              const std::string said = complaint([&] { Replacement out(folder.path("a")); });
              return said.find("write-protected") == std::string::npos ? 1 : 0;
            }),
            0);
}

TEST(Replacement, a_read_only_folder_is_refused) {
  const Scratch folder;
  write_all(folder.path("a"), "old");
  ASSERT_EQ(::chmod(folder.path("a").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(as_nobody([&] {
              const std::string said = complaint([&] { replace(folder.path("a"), "new"); });
              return said.find("in folder '") == std::string::npos ? 1 : 0;
            }),
            0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(read_all(folder.path("a")), "old");
}

TEST(Replacement, a_full_disk_says_so_before_anything_is_written) {
  const Scratch folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "mounting a small disk is not permitted here";
  write_all(folder.path("a"), "old");
  const std::string reserving = complaint([&] {
    Replacement out(folder.path("a"));
    out.reserve(2U << 20U);
  });
  EXPECT_NE(reserving.find("no room"), std::string::npos) << reserving;
  EXPECT_NE(reserving.find("2097152 bytes are needed"), std::string::npos) << reserving;
  const std::string writing =
      complaint([&] { replace(folder.path("a"), std::string(2U << 20U, 'x')); });
  EXPECT_NE(writing.find("No space left"), std::string::npos) << writing;
  EXPECT_EQ(read_all(folder.path("a")), "old");
  EXPECT_EQ(folder.count(), 1U);
  // What fits is made, even if old and new together nearly fill the disk.
  replace(folder.path("a"), std::string(900000, 'y'));
  EXPECT_EQ(read_all(folder.path("a")), std::string(900000, 'y'));
  ASSERT_EQ(::umount(folder.path().c_str()), 0);
}

TEST(Replacement, a_size_beyond_the_file_size_limit_is_an_error) {
  const Scratch folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit small = {.rlim_cur = 4096, .rlim_max = 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ::signal(SIGXFSZ, SIG_IGN);
    const std::string said = complaint([&] {
      Replacement out(folder.path("a"));
      out.reserve(8192);
    });
    _exit(said.find("too large") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.count(), 0U);
}

TEST(Claim, is_held_by_one_at_a_time_and_knows_that_the_file_was_replaced) {
  Scratch scratch;
  const std::string path = scratch.path("a");
  write_all(path, "old");
  {
    const Claim first(path);
    EXPECT_NE(complaint([&] { const Claim second(path); }).find("another process"),
              std::string::npos);
    // Another file of the name is another claim.
    replace(path, "new");
    EXPECT_EQ(complaint([&] { const Claim second(path); }), "");
  }
  EXPECT_EQ(complaint([&] { const Claim third(path); }), "");
  EXPECT_EQ(complaint([&] { const Claim absent(scratch.path("b")); }), "");
}

}  // namespace
}  // namespace faro
