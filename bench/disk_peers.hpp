// What else rearranges files larger than memory, where it is installed: NumPy's memmap, rechunker
// and h5repack, each in a process whose control group cannot hold the file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace faro::bench {

inline constexpr std::array<const char*, 3> disk_peers = {"memmap", "rechunker", "h5repack"};

struct PeerRun {
  std::string peer;  // of disk_peers
  std::string map;   // as bench_map names it
  std::string in;
  std::string folder;              // for what the peer writes; nothing stays there
  int bits = 0;                    // log2 of the elements, of 8 bytes each
  std::uint64_t memory_bytes = 0;  // as faro has; its control group holds 256 MiB more
  double seconds_max = 0;
};
struct PeerTime {
  double seconds = 0;
  bool finished = false;  // within seconds_max
};
// Nothing where the peer is not there, cannot say the map or was ended for lack of memory, or no
// control group can be made; `why` then says which.
std::optional<PeerTime> time_peer(const PeerRun& run, std::string& why);

}  // namespace faro::bench
