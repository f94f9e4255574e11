// Maxima of checkpoints, their files and layouts: one below, at and one above each.
#include "checkpoints/maxima.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "checkpoints/layout.hpp"
#include "checkpoints/reshard_plan.hpp"
#include "checkpoints/safetensors.hpp"
#include "faro/base/error.hpp"
#include "files/scratch.hpp"

namespace faro::checkpoints {
namespace {

using testing::Scratch;

// Whether what is asked for in this size is taken: nothing throws Error(limit).
bool taken(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::limit) << error.what();
    return false;
  }
  return true;
}

void expect_around(std::uint64_t max, const std::function<bool(std::uint64_t)>& is_taken) {
  EXPECT_TRUE(is_taken(max - 1)) << max;
  EXPECT_TRUE(is_taken(max)) << max;
  EXPECT_FALSE(is_taken(max + 1)) << max;
}

std::string with_length(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i, length >>= 8U) bytes += static_cast<char>(length & 0xffU);
  return bytes;
}

// A header of one tensor without elements.
bool reads(const std::string& name, const std::string& shape) {
  const std::string header =
      fmt::format(R"({{"{}":{{"dtype":"U8","shape":[{}],"data_offsets":[0,0]}}}})", name, shape);
  const std::string file = with_length(header.size()) + header;
  return taken([&] { parse_safetensors(std::as_bytes(std::span(file)), file.size(), "file"); });
}

bool lays_out(const std::string& text) {
  const Scratch scratch;
  std::ofstream(scratch.path("a.layout")) << text;
  return taken([&] { Layout::parse(scratch.path("a.layout")); });
}

// One tensor, of which each job has 64 KiB, in a file that is a hole.
bool has_jobs(std::uint64_t jobs) {
  const Scratch scratch;
  const std::uint64_t bytes = ((jobs - 1) << 16U) + 1;
  SafeHeader header;
  header.tensors.push_back({"a", find_type("U8"), {bytes}});
  lay_out(header.tensors, "file");
  const std::string start = safetensors_bytes(header);
  std::ofstream(scratch.path("model.safetensors"), std::ios::binary) << start;
  std::filesystem::resize_file(scratch.path("model.safetensors"), start.size() + bytes);
  const std::string names = "r{rank}-{part}.safetensors";
  return taken([&] {
    make_plan({.in = scratch.path(),
               .from = "whole",
               .to = "whole",
               .from_names = names,
               .to_names = names,
               .memory_bytes = 1ULL << 32U,
               .file_bytes = 1ULL << 40U,
               .threads = 1,
               .slab_bytes = 1ULL << 16U});
  });
}

TEST(CheckpointMaxima, one_more_is_refused_by_its_code) {
  using namespace limits;
  expect_around(checkpoint_json_bytes_max, [](std::uint64_t n) {
    const std::string first = with_length(n) + "{";
    return taken([&] { safetensors_data_start(std::as_bytes(std::span(first)), n + 8, "file"); });
  });
  expect_around(checkpoint_axes_max, [](std::uint64_t n) {
    std::string shape = "0";
    for (std::uint64_t i = 1; i < n; ++i) shape += ",1";
    return reads("a", shape);
  });
  expect_around(checkpoint_bytes_max, [](std::uint64_t n) {
    return taken([&] { tensor_bytes(*find_type("U8"), std::array{n}, "a"); });
  });
  expect_around(checkpoint_tensors_max,
                [](std::uint64_t n) { return taken([&] { check_tensors(n, "file"); }); });
  expect_around(checkpoint_name_bytes_max,
                [](std::uint64_t n) { return reads(std::string(n, 'a'), "0"); });
  expect_around(checkpoint_layout_bytes_max,
                [](std::uint64_t n) { return lays_out("a copy\n" + std::string(n - 7, '#')); });
  expect_around(checkpoint_blocks_max,
                [](std::uint64_t n) { return lays_out(fmt::format("a blocks 0 {}", n)); });
  expect_around(checkpoint_layers_max, [](std::uint64_t n) {
    const std::string name = fmt::format("model.layers.{}.input_layernorm.weight", n - 1);
    return taken([&] { place_tensors(Layout::parse("llama"), {{name, find_type("U8"), {1}}}); });
  });
  expect_around(checkpoint_ranks_max, [](std::uint64_t n) {
    return taken([&] { Layout::parse(fmt::format("llama:tp={}", n)); });
  });
  expect_around(checkpoint_jobs_max, has_jobs);
}

}  // namespace
}  // namespace faro::checkpoints
