// Every call of the file system, failing or fatal: afterwards there is the old file or the complete
// new one, never anything else.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "faro/files/array_file.hpp"
#include "files/scratch.hpp"
#include "full.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using testing::read_all;
using testing::write_all;

struct Fault {
  std::string mode = {};   // what FARO_FAULT takes
  std::string way;         // the victim's: map, write
  int error = EIO;         // what FARO_FAULT_ERRNO takes
  std::string extra = {};  // further environment
  bool target_exists = true;
};

class FaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::sanitized())
      GTEST_SKIP() << "a preloaded library does not go with sanitizers; runs in other builds";
    const std::string header = npy_header_bytes(npy_header("<i4", {1024}));
    std::string body;
    for (int i = 0; i < 4096; ++i) body += static_cast<char>(i * 7 % 251);
    write_all(folder_.path("in.npy"), header + body);
    old_ = "the old file";
    for (char& c : body) c = static_cast<char>(~c);
    complete_map_ = header + body;
    complete_write_ = header + body;
    for (std::size_t i = 0; i < header.size(); ++i)
      complete_write_[i] = static_cast<char>(~header[i]);
  }

  // Runs the victim with a fault at call k; true if that call was reached.
  bool run(const Fault& fault, int k) {
    const std::string target = folder_.path("out.npy");
    std::filesystem::remove(target);
    if (fault.target_exists) write_all(target, old_);
    const std::size_t before = folder_.count();
    const int status = std::system(
        fmt::format("{} FARO_FAULT_AT={} FARO_FAULT={} FARO_FAULT_ERRNO={} LD_PRELOAD={} {} {} {} "
                    "{} 2>{}",
                    fault.extra, k, fault.mode, fault.error,
                    testing::build_path("tests/libfaro_fault_shim.so"),
                    testing::build_path("tests/faro_fault_victim"), fault.way,
                    folder_.path("in.npy"), target, errors_.path("stderr"))
            .c_str());
    const std::string& complete = fault.way == "map" ? complete_map_ : complete_write_;
    const bool exists = std::filesystem::exists(target);
    const std::string found = exists ? read_all(target) : "";
    const bool is_old = fault.target_exists ? found == old_ : !exists;
    EXPECT_TRUE(is_old || found == complete) << "call " << k << ", " << fault.mode;
    const bool killed = WIFSIGNALED(status) || WEXITSTATUS(status) == 128 + SIGKILL;
    if (!killed) {
      // Nothing is left lying about by a program that could still act.
      EXPECT_EQ(folder_.count(), before + (!fault.target_exists && exists ? 1U : 0U)) << k;
      if (WEXITSTATUS(status) == 0) {
        EXPECT_EQ(found, complete) << k;
      } else {
        EXPECT_EQ(WEXITSTATUS(status), 3) << k;
        EXPECT_FALSE(read_all(errors_.path("stderr")).empty()) << k;
      }
    } else {
      for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
        if (entry.path().filename().string().front() == '.') std::filesystem::remove(entry.path());
    }
    return fault.mode == "fail" ? WEXITSTATUS(status) != 0 : killed;
  }

  // All k, until twenty in a row were beyond the last call (failures of closing a file that was
  // read are rightly ignored). Returns how many calls mattered.
  int run_all(const Fault& fault) {
    int mattered = 0;
    int quiet = 0;
    for (int k = 0; quiet < 20 && k < 200; ++k) {
      const bool reached = run(fault, k);
      mattered += reached ? 1 : 0;
      quiet = reached ? 0 : quiet + 1;
    }
    return mattered;
  }

  testing::Scratch folder_;
  testing::Scratch errors_;
  std::string old_;
  std::string complete_map_;
  std::string complete_write_;
};

TEST_F(FaultTest, every_call_fails) {
  EXPECT_GE(run_all({.mode = "fail", .way = "map"}), 12);
  EXPECT_GE(run_all({.mode = "fail", .way = "write", .error = ENOSPC}), 12);
  EXPECT_GE(run_all({.mode = "fail", .way = "map", .target_exists = false}), 9);
}

TEST_F(FaultTest, every_call_fails_without_nameless_files) {
  EXPECT_GE(run_all({.mode = "fail", .way = "map", .extra = "FARO_FAULT_NO_TMPFILE=1"}), 12);
  EXPECT_GE(run_all({.mode = "fail",
                     .way = "write",
                     .extra = "FARO_FAULT_NO_TMPFILE=1",
                     .target_exists = false}),
            9);
}

TEST_F(FaultTest, killed_at_every_call) {
  EXPECT_GE(run_all({.mode = "kill", .way = "map"}), 14);
  EXPECT_GE(run_all({.mode = "kill", .way = "write", .extra = "FARO_FAULT_NO_TMPFILE=1"}), 14);
  EXPECT_GE(run_all({.mode = "kill-after", .way = "map"}), 14);
  EXPECT_GE(run_all({.mode = "kill-after",
                     .way = "write",
                     .extra = "FARO_FAULT_NO_TMPFILE=1",
                     .target_exists = false}),
            10);
}

// An interrupted call is repeated, not reported.
TEST_F(FaultTest, interrupted_reads_and_writes_go_on) {
  int reached = 0;
  for (int k = 0; k < 60; ++k)
    reached += run({.mode = "fail", .way = "write", .error = EINTR}, k) ? 0 : 1;
  EXPECT_GE(reached, 40);
}

}  // namespace
}  // namespace faro
