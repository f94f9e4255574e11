// The tiles of a pass: where their runs lie in the files, and how a tile is permuted in memory.
//
//   bit reversal of 64 elements, tile {b0, b1, b4, b5}, runs of 4:   tile 2 of 4 begins at 8, reads
//   8..11, 24..27, 40..43, 56..59; in memory the 16 elements move by one map of 4 bits; the result
//   is written as 4 runs of 4, from element 4 on.
//
// A tile is a coset of a space with a reduced basis, so positions in memory ascend with addresses
// in the file, on both sides; the map between the two positions has the same matrix for every tile.
// Arrays that fit a tile whole are moved in groups, which are contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "disk/passes.hpp"
#include "disk/workers.hpp"
#include "faro/algebra/map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::disk {

// Direct I/O is in multiples of this almost everywhere.
inline constexpr std::uint64_t block_bytes = 4096;
// Longer runs are read and written in pieces, so that several threads share them.
inline constexpr std::uint64_t request_bytes_max = std::uint64_t{1} << 20U;

// A space of addresses by its reduced basis, ascending.
class TileSpace {
 public:
  TileSpace() = default;
  TileSpace(int width, const std::vector<Word>& vectors);

  int dimension() const { return static_cast<int>(basis_.size()); }
  Word vector(int i) const { return basis_[static_cast<std::size_t>(i)]; }
  // The k-th member, ascending; and the k of what x has in the space, x = (rest) ^ member(k).
  Word member(Word k) const;
  Word position(Word x) const;
  // The least address of the i-th coset, and the i of the coset that x is in.
  Word coset(Word i) const;
  Word index(Word x) const;

 private:
  std::vector<Word> basis_;
  Word leading_ = 0;
  int width_ = 0;
};

// Bytes of a file and of the tile's buffer.
struct Request {
  std::uint64_t file_offset = 0;
  std::uint64_t buffer_offset = 0;
  std::uint64_t bytes = 0;
};

struct TilePlace {
  std::uint64_t index = 0;
  std::uint64_t array_offset = 0;  // bytes before the array that it is part of
  Word from = 0;                   // least addresses
  Word to = 0;
  Word delta = 0;  // where in the tile its first element goes
  std::uint64_t bytes = 0;
};

// The tiles of a pass, as they go from one file to another.
class FileTiles {
 public:
  virtual ~FileTiles() = default;
  // Requires tiles that fit 64 bits, which those of real files do.
  virtual TilePlace place(std::uint64_t index) const = 0;
  // Requests of a tile.
  virtual Pieces reads_of(const TilePlace& tile) const = 0;
  virtual Pieces writes_of(const TilePlace& tile) const = 0;
  virtual Request read(const TilePlace& tile, std::uint64_t i) const = 0;
  virtual Request write(const TilePlace& tile, std::uint64_t i) const = 0;
  // What is done in memory with a tile, and with others like it that follow.
  virtual PermutePlan permuting(const TilePlace& tile, std::uint64_t alike,
                                const PermuteOptions& options) const = 0;
  virtual Count tiles() const = 0;
  virtual std::uint64_t tile_bytes() const = 0;  // of a full one
  // In place: from the index of a tile of an array to that of the tile whose place it takes.
  virtual Map successors() const = 0;

 protected:
  FileTiles() = default;
  FileTiles(const FileTiles&) = default;
  FileTiles& operator=(const FileTiles&) = default;
};

// What a pass moves.
struct TiledArray {
  std::uint64_t unit_bytes = 1;
  std::uint64_t outer = 1;
  std::uint64_t group = 1;  // arrays of a tile; above 1 only where a tile holds whole arrays
  // Read and written in whole pieces of so many bytes, as encoded chunks are; 1 for any.
  std::uint64_t read_piece_bytes = 1;
  std::uint64_t write_piece_bytes = 1;
};

class PassTiles final : public FileTiles {
 public:
  PassTiles(const DiskPass& pass, const TiledArray& array);

  Count tiles() const override { return tiles_; }
  std::uint64_t tile_bytes() const override { return tile_bytes_; }
  std::uint64_t read_run_bytes() const { return reads_.run_bytes; }
  std::uint64_t write_run_bytes() const { return writes_.run_bytes; }
  // Requests of the whole pass.
  Count reads() const { return requests(reads_); }
  Count writes() const { return requests(writes_); }
  TilePlace place(std::uint64_t index) const override;
  Pieces reads_of(const TilePlace& tile) const override { return requests_of(tile, reads_); }
  Pieces writes_of(const TilePlace& tile) const override { return requests_of(tile, writes_); }
  Request read(const TilePlace& tile, std::uint64_t i) const override {
    return request(tile, reads_, tile.from, i);
  }
  Request write(const TilePlace& tile, std::uint64_t i) const override {
    return request(tile, writes_, tile.to, i);
  }
  PermutePlan permuting(const TilePlace& tile, std::uint64_t alike,
                        const PermuteOptions& options) const override;
  Map successors() const override;
  std::uint64_t tiles_of_array() const {
    return whole_ ? 1 : bit(map_.width() - reads_.space.dimension());
  }

  // Units of a tile that are neighbours in the file that is read, and where the j-th such run
  // begins: its first index in its array, and how many places of the output come before that array.
  std::uint64_t neighbours() const { return whole_ ? bit(map_.width()) : bit(reads_.run_log2); }
  struct Neighbours {
    Word first = 0;
    Word places_before = 0;
  };
  Neighbours neighbours(const TilePlace& tile, std::uint64_t j) const;

 private:
  struct Side {
    TileSpace space;
    int run_log2 = 0;
    std::uint64_t run_bytes = 0;
    std::uint64_t request_bytes = request_bytes_max;
    std::uint64_t busy_bytes_min = 0;
  };
  Side side(TileSpace space, int run_log2, std::uint64_t piece_bytes) const;
  Count requests(const Side& side) const;
  Pieces requests_of(const TilePlace& tile, const Side& side) const;
  Request request(const TilePlace& tile, const Side& side, Word base, std::uint64_t i) const;

  BitMap map_;
  BitMap local_;  // without the complement of a tile
  TiledArray array_;
  bool whole_ = false;  // tiles are groups of whole arrays
  Count tiles_ = 0;
  Count array_bytes_ = 0;
  std::uint64_t tile_bytes_ = 0;
  Side reads_;
  Side writes_;
};

}  // namespace faro::inline v1::disk
