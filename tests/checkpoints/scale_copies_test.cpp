// Scales that are gathered: one for all, or one for the part that each rank has.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "checkpoints/reshard_jobs.hpp"
#include "checkpoints/safetensors.hpp"
#include "faro/base/error.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/scratch.hpp"

namespace faro::checkpoints {
namespace {

using testing::Scratch;
namespace fs = std::filesystem;

// A weight that tp cuts along its columns, 8 x 512, and its scales, each number another one.
void write_quantised(const std::string& folder, const std::vector<std::uint64_t>& scales) {
  const std::string weight = "model.layers.0.mlp.down_proj.weight";
  SafeHeader header;
  header.tensors.push_back({weight, find_type("BF16"), {8, 512}});
  header.tensors.push_back({weight + "_scale", find_type("BF16"), scales});
  lay_out(header.tensors, folder);
  fs::create_directory(folder);
  std::ofstream file(folder + "/model.safetensors", std::ios::binary);
  file << safetensors_bytes(header);
  for (std::uint64_t i = 0; i < header.tensors.back().end / 2; ++i) {
    const auto value = static_cast<std::uint16_t>(i + 1);
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

struct Gathered {
  Scratch scratch;
  std::string whole = scratch.path("whole"), ranks = scratch.path("ranks"),
              back = scratch.path("back");

  explicit Gathered(const std::vector<std::uint64_t>& scales) {
    write_quantised(whole, scales);
    reshard(whole, ranks, options("whole", "llama:tp=4"));
    // As another program makes them.
    fs::remove(ranks + "/faro-digests.json");
  }
  static ReshardOptions options(const std::string& from, const std::string& to) {
    ReshardOptions options;
    options.from = from;
    options.to = to;
    options.memory_bytes = 64ULL << 20U;
    options.threads = 1;
    return options;
  }
  bool is_alike() const {
    return testing::read_all(back + "/model.safetensors") ==
           testing::read_all(whole + "/model.safetensors");
  }
};

TEST(ScaleCopies, one_for_each_part_is_not_taken_for_one_for_all) {
  const Gathered groups({8, 4});  // of 128 columns
  const auto from_parts = Gathered::options("llama:tp=4", "whole");
  try {
    reshard(groups.ranks, groups.back, from_parts);
    FAIL() << "columns were lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_NE(std::string(error.what()).find("block=128"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(groups.back));
  const std::string by_jobs = groups.scratch.path("jobs");
  const ReshardJobs jobs = ReshardJobs::begin(groups.ranks, by_jobs, from_parts);
  EXPECT_THROW(jobs.run(0, 0), Error);
  auto said = Gathered::options("llama:tp=4,block=128", "whole");
  said.unfinished = ReshardOptions::Unfinished::fresh;
  reshard(groups.ranks, groups.back, said);
  EXPECT_TRUE(groups.is_alike());
}

TEST(ScaleCopies, one_for_each_row_or_for_all_is_gathered) {
  for (const std::vector<std::uint64_t>& scales :
       std::vector<std::vector<std::uint64_t>>{{8, 1}, {8}, {1}, {1, 1}, {}}) {
    const Gathered gathered(scales);
    reshard(gathered.ranks, gathered.back, Gathered::options("llama:tp=4", "whole"));
    EXPECT_TRUE(gathered.is_alike());
  }
}

}  // namespace
}  // namespace faro::checkpoints
