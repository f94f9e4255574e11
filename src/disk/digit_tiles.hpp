// The tiles of a pass over an array whose axes have any length.
//
//   r=6 c=10 -> c r, blocks of 4 and 5:   tile 0 reads rows 0..3 of columns 0..4, runs of 5, and
//   writes columns 0..4 of rows 0..3, runs of 4; tile 3 of 4 is the 2 x 5 that remain
//
// A tile is a block of each length times a coset of a space of the bits (tiles.hpp). Blocks are
// counted from the source's 0, so that the last of a length may be short; a length that arrives
// reversed has it at its beginning there. A length that is rolled is cut at its seam too, so that a
// block arrives in one piece; one that a tile has whole is rolled in memory. In memory a tile is a
// small array of the same digits.
#pragma once

#include <array>

#include "disk/tiles.hpp"
#include "faro/algebra/map.hpp"

namespace faro::inline v1::disk {

struct DigitPass {
  Map map;                   // of elements
  std::vector<Word> blocks;  // of each length, in the order of the source
  std::vector<Word> tile;    // a basis of the space of the bits
};

// Where in the source a digit of the destination is cut: what comes before and what follows arrive
// each in one piece. 0: nowhere.
Word seam_of(const Digit& digit);

class DigitTiles final : public FileTiles {
 public:
  DigitTiles(const DigitPass& pass, std::uint64_t element_bytes);

  Count tiles() const override { return tiles_; }
  std::uint64_t tile_bytes() const override { return static_cast<std::uint64_t>(tile_bytes_); }
  Map successors() const override { return {}; }  // none is in place
  // Of a full tile.
  Count read_run_bytes() const { return run_elements(reads_, blocks_) * element_bytes_; }
  Count write_run_bytes() const { return run_elements(writes_, blocks_) * element_bytes_; }
  Count reads() const { return requests(reads_); }
  Count writes() const { return requests(writes_); }

  TilePlace place(std::uint64_t index) const override;
  Pieces reads_of(const TilePlace& tile) const override { return requests_of(tile, reads_); }
  Pieces writes_of(const TilePlace& tile) const override { return requests_of(tile, writes_); }
  Request read(const TilePlace& tile, std::uint64_t i) const override;
  Request write(const TilePlace& tile, std::uint64_t i) const override;
  PermutePlan permuting(const TilePlace& tile, std::uint64_t alike,
                        const PermuteOptions& options) const override;

  // Runs that are read: how many a tile has, how long they are, and the i-th's first element.
  struct Runs {
    std::uint64_t count = 0;
    std::uint64_t elements = 0;
  };
  Runs read_runs(const TilePlace& tile) const;
  Word read_run(const TilePlace& tile, std::uint64_t i) const;

 private:
  static constexpr std::size_t lengths_max = 40;  // 3^40 > 2^63
  using Lengths = std::array<Word, lengths_max>;

  // What a tile has of a digit, fastest first.
  struct SideDigit {
    int which = Digit::is_bit;  // a length's number
    Word length = 2;
    Word stride = 0;  // of a length, in elements
    bool reversed = false;
    Word roll = 0;
  };
  struct Side {
    std::vector<SideDigit> digits;
    std::size_t run_digits = 0;  // the first so many are a run
    TileSpace space;
    std::vector<Word> bit_strides;
  };
  Side side_of(const std::vector<Digit>& digits, TileSpace space) const;
  // Where in its lengths a tile begins, and how much of each it has.
  struct Corner {
    Lengths begin{};
    Lengths extent{};
    Word coset = 0;
  };
  Corner corner(std::uint64_t index) const;
  Word blocks_of(std::size_t which) const;
  bool is_whole(const SideDigit& digit) const;
  static Word extent_of(const SideDigit& digit, const Lengths& extents);
  static std::uint64_t run_elements(const Side& side, const Lengths& extents);
  Count requests(const Side& side) const;
  Pieces requests_of(const TilePlace& tile, const Side& side) const;
  Word run_address(const Corner& corner, const Side& side, Word bits, std::uint64_t run) const;
  Request request(const TilePlace& tile, const Side& side, Word bits, std::uint64_t i) const;

  Digits digits_;
  std::uint64_t element_bytes_ = 1;
  std::size_t lengths_ = 0;
  Lengths length_{};
  Lengths blocks_{};
  Lengths seam_{};   // of a source's length where a block begins, as what follows arrives elsewhere
  BitMatrix local_;  // of the bits within a tile
  Side reads_;
  Side writes_;
  Count tiles_ = 1;
  Count tile_bytes_ = 0;
};

}  // namespace faro::inline v1::disk
