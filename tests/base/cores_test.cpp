// How many threads a process may run, from control groups made for the test, affinity and the
// environment.
#include "base/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "forked.hpp"

namespace faro {
namespace {

class Groups {
 public:
  explicit Groups(const std::string& name)
      : root_(std::filesystem::path(::testing::TempDir()) /
              ("faro-groups-" + std::to_string(::getpid()) + "-" + name)) {
    std::filesystem::create_directories(root_);
  }
  ~Groups() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  void write(const std::string& file, const std::string& text) const {
    const auto path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

TEST(Cores, the_tightest_quota_up_to_the_root_counts) {
  const Groups groups("unified");
  const std::string at = "0::/a/b\n";
  EXPECT_FALSE(quota_cores(at, groups.root()));
  groups.write("a/b/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota_cores(at, groups.root()));
  groups.write("a/cpu.max", "350000 100000\n");
  EXPECT_EQ(quota_cores(at, groups.root()), 3);
  groups.write("cpu.max", "1250000 100000\n");
  EXPECT_EQ(quota_cores(at, groups.root()), 3);
  groups.write("a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota_cores(at, groups.root()), 1);
  groups.write("a/b/cpu.max", "5000 100000\n");
  EXPECT_EQ(quota_cores(at, groups.root()), 1);
  // A path of the host, of which the container sees only the root.
  EXPECT_EQ(quota_cores("0::/docker/0123\n", groups.root()), 12);
  EXPECT_EQ(quota_cores("0::/\n", groups.root()), 12);
}

TEST(Cores, the_older_groups_count_too) {
  const Groups groups("legacy");
  groups.write("cpu/box/cpu.cfs_quota_us", "-1\n");
  groups.write("cpu/box/cpu.cfs_period_us", "100000\n");
  const std::string at = "12:memory:/box\n4:cpu,cpuacct:/box\n";
  EXPECT_FALSE(quota_cores(at, groups.root()));
  groups.write("cpu/box/cpu.cfs_quota_us", "420000\n");
  EXPECT_EQ(quota_cores(at, groups.root()), 4);
  EXPECT_FALSE(quota_cores("12:memory:/box\n3:cpuset:/box\n", groups.root()));
}

TEST(Cores, malformed_groups_say_nothing) {
  const Groups groups("malformed");
  for (const char* text : {"", "max", "many 100000", "100000", "100000 ", "100000 0", "0 100000",
                           "-5 100000", "99999999999999999999 100000", "100000 x"}) {
    groups.write("cpu.max", text);
    EXPECT_FALSE(quota_cores("0::/\n", groups.root())) << text;
  }
  groups.write("cpu.max", "200000 100000");
  for (const char* at : {"", "\n", "0", "0:", "x\n:\n", "1:memory:/\n"}) {
    EXPECT_FALSE(quota_cores(at, groups.root())) << at;
  }
  EXPECT_EQ(quota_cores("0::", groups.root()), 2);
  EXPECT_EQ(quota_cores("0::relative", groups.root()), std::nullopt);
}

TEST(Cores, affinity_counts_and_the_environment_decides_the_default) {
  EXPECT_GE(cores_available(), 1);
  EXPECT_TRUE(testing::works_in_child(10, [] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0 || cores_available() != 1) return false;
    ::unsetenv("OMP_NUM_THREADS");
    if (default_threads() != 1) return false;
    ::setenv("OMP_NUM_THREADS", "6,2", 1);
    if (default_threads() != 6) return false;
    for (const char* nonsense : {"", "0", "-3", "many"}) {
      ::setenv("OMP_NUM_THREADS", nonsense, 1);
      if (default_threads() != 1) return false;
    }
    ::setenv("OMP_NUM_THREADS", "1000000", 1);
    return default_threads() == 4096;
  }));
}

}  // namespace
}  // namespace faro
