// What `faro emit` and `faro gpu` take, and their commands on devices.
#pragma once

#include <optional>
#include <string>

#include "cli/output.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::cli {

struct GpuWords {
  std::string what;
  std::optional<std::string> map;
  std::optional<std::uint64_t> element, width, tile, threads, log2_bytes;
  std::string on = "any";
  std::string name = "faro_permute";
  std::optional<std::string> device, only;
  bool in_place = false;

  gpu::Options options() const;
};

// A power of two, as `--tile 8192`; throws Error(usage).
int log2_of(const char* option, std::uint64_t value);

int list_devices(Output& out);
int bench_kernels(const GpuWords& words, Output& out);
int tune_kernel(const GpuWords& words, Output& out);

}  // namespace faro::cli
