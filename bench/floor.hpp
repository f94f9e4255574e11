// What memory allows a map: bare loops that move the lines of its tiles and shuffle nothing.
//
// A tile is the smallest set that is whole runs of both sides: bit reversal of 8 bytes, runs of 512
// bytes to runs of 512: 64 runs of the source, 64 of the destination. A floor loop copies the runs
// of a tile to a stage and from there, as they are, to the places of the result's runs, or from
// place to place without a stage. It does everything that the engine does for the map but to put
// elements where they belong, in many lengths of runs, and the fastest is called the floor. It is
// what such loops reach, so the engine may be below it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "rows.hpp"

namespace faro::bench {

class FloorLoop {
 public:
  enum class Order { from, to };  // the side whose tiles come one after another
  struct Way {
    int from_log2;  // bytes of a run
    int to_log2;
    Order order;
    bool staged;
    bool streaming;
    bool prefetched;
  };
  static constexpr int stage_log2_max = 19;

  // `map` sends bytes to bytes. Nothing where the data is shorter than the runs, a tile larger than
  // a stage may be, or a stage of no use: the tile is one run of a side.
  static std::optional<FloorLoop> of(const BitMap& map, const Way& way);

  // Of 2^width bytes each, whose lines are whole.
  void run(const std::byte* from, std::byte* to) const;

 private:
  struct Walk {
    std::vector<Word> from;  // the places of tile i: these, xor-ed for the bits of i
    std::vector<Word> to;
  };
  struct Tile {  // places, which those of its runs are xor-ed with
    Word from = 0;
    Word to = 0;
    Word soon = 0;  // of the source of a later tile
  };
  explicit FloorLoop(const Way& way) : way_(way) {}
  template <bool streaming>
  void run_all(const std::byte* from, std::byte* to) const;
  template <bool streaming>
  void run_tile(const std::byte* from, std::byte* to, const Tile& tile) const;

  Way way_;
  std::vector<Word> from_runs_;
  std::vector<Word> to_runs_;
  Walk walk_;
  Word to_start_ = 0;
  Word ahead_ = 1;  // tiles
  std::shared_ptr<std::byte[]> stage_;
};

// The fastest loop for a row, tried on these buffers; nothing for rows in place and for elements
// and batches that are no powers of two.
std::optional<FloorLoop> floor_of(const BenchRow& row, std::span<const std::byte> from,
                                  std::span<std::byte> to);

// Streaming copies, gathers and scatters, both sides by a stage, half lines, on pages of 4 KiB and
// on huge ones: times over memcpy's of 2^bytes_log2 bytes on the same pages.
void print_limits(int bytes_log2, int rounds);

}  // namespace faro::bench
