// The devices that plans are made for. Everything here is a data sheet's or a vendor's manual's
// word; nothing has been measured.
#include <fmt/format.h>

#include <array>

#include "faro/base/error.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr const char* nvidia_source =
    "CUDA C++ Programming Guide: compute capabilities, shared memory; NVIDIA Nsight Compute: "
    "sectors of 32 bytes, lines of 128";
constexpr std::array<Machine, 5> known_machines = {{
    {"any", "every NVIDIA GPU since Volta", 5, 5, 7, 5, 49152, nvidia_source},
    {"a100", "NVIDIA A100", 5, 5, 7, 5, 49152, nvidia_source},
    {"h100", "NVIDIA H100", 5, 5, 7, 5, 49152, nvidia_source},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 5, 5, 7, 5, 49152, nvidia_source},
    {"mi300", "AMD Instinct MI300", 6, 6, 7, 5, 65536,
     "AMD CDNA 3 ISA reference guide: LDS of 64 KiB in 32 banks; AMD CDNA 3 white paper: lines of "
     "128 bytes; rocprof: requests of 64 bytes"},
}};

}  // namespace

std::span<const Machine> machines() {
  return known_machines;
}

const Machine& machine(std::string_view name) {
  std::string known;
  for (const Machine& row : known_machines) {
    if (row.name == name) return row;
    known += known.empty() ? row.name : fmt::format(", {}", row.name);
  }
  throw Error(ErrorCode::usage, fmt::format("no GPU named '{}'; there are {}", name, known));
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::tile:
      return "tile";
    case Kind::direct:
      return "direct";
    case Kind::element:
      return "element";
    case Kind::odd:
      return "odd";
    case Kind::window:
      return "window";
  }
  return "";
}

Language language(std::string_view name) {
  if (name == "cuda") return Language::cuda;
  if (name == "hip") return Language::hip;
  if (name == "opencl") return Language::opencl;
  throw Error(ErrorCode::usage, fmt::format("no language '{}'; there are cuda, hip, opencl", name));
}

}  // namespace faro::inline v1::gpu
