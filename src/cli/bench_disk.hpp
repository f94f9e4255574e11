// `faro bench --disk DIR`: what the device costs, and permuted files beside copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output.hpp"

namespace faro::cli {

struct DiskBench {
  std::string folder;
  std::uint64_t bytes = std::uint64_t{1} << 30U;
  std::uint64_t memory_bytes = std::uint64_t{1} << 28U;
  std::uint64_t element_bytes = 8;
  int rounds = 3;
  bool peers = false;                    // beside memmap, rechunker and h5repack
  std::optional<std::string> save = {};  // measures the device, saves that, and no more
};
int bench_disk(const DiskBench& bench, Output& out);

}  // namespace faro::cli
