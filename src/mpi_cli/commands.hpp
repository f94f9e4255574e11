// The commands of faro-mpi. All ranks run them; rank 0 alone speaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "faro/distributed/grid_move.hpp"
#include "mpi/communicator.hpp"

namespace faro::mpi_cli {

struct PermuteOptions {
  std::string in, out, map;
  std::optional<std::uint64_t> element_bytes;
  std::string buffer = "64MiB";
  std::optional<std::string> memory;
  std::optional<std::string> shape;  // of a whole array that lies on ranks as placements say
  bool in_place = false;
  bool verify = false;
  bool relabel = false;
  bool json = false;
};
// Throws AgreedError. True if nothing was found wrong.
bool permute_files(const mpi::Communicator& ranks, const PermuteOptions& options);

// With a shape: any number of ranks, any lengths.
bool permute_grid(const mpi::Communicator& ranks, const PermuteOptions& options);
// What a report says of a move of boxes, under "grid", and its words.
void add_grid(Report& report, const GridMove& move);

struct RunOptions {
  std::string schedule;
  std::optional<std::string> in, out, map;
  std::optional<std::uint64_t> element_bytes;
  bool json = false;
};
// Throws AgreedError. True if every element arrived.
bool run_schedule(const mpi::Communicator& ranks, const RunOptions& options);

struct BenchOptions {
  std::uint64_t local_log2 = 22;
  std::uint64_t element_bytes = 8;
  std::uint64_t rounds = 9;
  std::string buffer = "64MiB";
  std::string step = "0";
  std::vector<std::string> maps;  // in place of those that are always measured
  bool json = false;
};
void bench(const mpi::Communicator& ranks, const BenchOptions& options);

// 256MiB, 64K, 4096. Throws Error(usage).
std::uint64_t bytes_from(const std::string& text);

}  // namespace faro::mpi_cli
