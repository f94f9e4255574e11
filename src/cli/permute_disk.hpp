// The file side of `faro permute`: arrays larger than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "arrays/move.hpp"
#include "cli/arguments.hpp"
#include "cli/output.hpp"

namespace faro::cli {

struct DiskOptions {
  std::optional<std::string> memory;
  std::optional<std::string> run;
  std::optional<std::uint64_t> passes;
  std::optional<std::string> device;
  std::optional<std::string> temporary;
  std::optional<std::string> io;
  std::optional<double> checkpoint;
  std::optional<std::string> tiles;
  std::optional<std::uint64_t> pass;
  std::optional<std::string> chunks;
  std::optional<std::string> shards;
  std::optional<std::string> shape;
  std::optional<std::string> codec;
  bool no_temporary = false;
  bool plan = false;
  bool resume = false;
  bool fresh = false;
  bool unchanged = false;

  // Any of those that say what a Zarr array becomes.
  bool zarr() const;
  // Any of the others was said.
  bool any() const;
};
void declare_disk_options(Arguments& arguments, DiskOptions& options);

// What is to be done, as the options of the command say it.
struct DiskRequest {
  std::string in;
  std::string out;
  std::string map;
  AxisWords words;
  std::optional<std::uint64_t> element_bytes;
  int threads = 0;
  bool in_place = false;
  bool is_shaped = false;  // by --axes or --order
  bool verify = false;
  // The move of an array with this header.
  std::function<ArrayMove(const NpyHeader& header)> move;
  DiskOptions disk;
};

// True where the files do not fit the memory together, or something of the disk was asked for.
bool goes_by_disk(const DiskRequest& request);
int permute_by_disk(const DiskRequest& request, Output& out);
int resume_by_disk(const std::string& target, const DiskRequest& request, Output& out);

}  // namespace faro::cli
