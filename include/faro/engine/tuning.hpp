// The machine that the engine finds itself on, and what it makes of it. Only speed depends on
// this: the bytes written never do.
//
//   machine_facts().cpu                          "Intel(R) Xeon(R) Processor"
//   machine_tuning().ordinary_bytes_max          16777215
//   use_machine_tuning(measure_machine());       what `faro tune` saves, for this process alone
//
// Plans take the tuning in effect when they are made:
//
//   1. what use_machine_tuning was given, else
//   2. the file that the environment variable FARO_MACHINE names, else
//      $XDG_CONFIG_HOME/faro/machine, else ~/.config/faro/machine, if it was measured on this CPU;
//      looked for once, and passed over where it is missing or malformed (origin says so), else
//   3. what is built in, by the second cache and by vectors against a line; never by maker.
//
// Nothing is measured unless somebody calls measure_machine or runs `faro tune`. The file has a
// line for each number:
//
//   faro-machine 1
//   cpu Intel(R) Xeon(R) Processor
//   ordinary_bytes_max 8388608
//   stage_sources no
//   lines_ahead 64
//   in_place_blocks no
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/progress.hpp"

namespace faro::inline v1 {

// 0 and empty where the system does not tell.
struct MachineFacts {
  std::string maker;           // "GenuineIntel", "AuthenticAMD", on ARM "implementer 0x41"
  std::string cpu;             // the model's name
  std::uint64_t l1_bytes = 0;  // of data, one core's
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;  // as reported, shared with whom nobody tells
  std::uint64_t page_bytes = 0;
  int cores = 1;                     // that this process may use
  std::vector<std::string> kernels;  // the kernel sets that run here, the best last
};
MachineFacts machine_facts();

struct MachineTuning {
  // Calls that move more bytes stream: their stores pass the caches by.
  std::uint64_t ordinary_bytes_max = 0;
  // Whether a source that would be read in short runs is copied in page by page first, or read
  // directly with prefetches. Elements of 1 byte are staged either way.
  bool stage_sources = false;
  // How many lines ahead a source that is read directly is prefetched.
  std::uint32_t lines_ahead = 0;
  // In place, large: whole blocks of pages change places rather than tiles.
  bool in_place_blocks = false;
  std::string origin;  // "built in for a second cache of 1024 KiB", "measured", a file's name
};

// For CPUs whose core has so large a second cache (0: not known), and widest vectors of so many
// bytes.
MachineTuning built_in_tuning(std::uint64_t l2_bytes, std::uint64_t vector_bytes = 64);

MachineTuning machine_tuning();
// From now on. Throws Error(usage) for numbers out of range: lines_ahead at most 1024.
void use_machine_tuning(const MachineTuning& tuning);

// Where `faro tune` saves and plans look; empty where no variable says a place.
std::string machine_tuning_path();
std::string tuning_text(const MachineTuning& tuning, std::string_view cpu);
// Throws Error(usage) with the line that is wrong, Error(impossible) if it is of another CPU.
MachineTuning tuning_from_text(std::string_view text, std::string_view cpu);

// Measures some ten seconds on one thread, with two buffers of buffer_bytes (a power of two from
// 2^24 on; what is measured on less than 2^28 says little of large arrays). `progress` hears of
// steps. What other work on the machine disturbs, measure again.
MachineTuning measure_machine(std::uint64_t buffer_bytes = std::uint64_t{1} << 28U,
                              const Progress& progress = {});

}  // namespace faro::inline v1
