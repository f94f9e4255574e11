// One pass of a plan of boxes at work: its buffers, a tile read, a tile written.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "disk/box_cells.hpp"
#include "disk/box_run.hpp"

namespace faro::inline v1::disk {

// A tile in memory.
struct HeldTile {
  Box box;
  std::vector<std::uint64_t> index;  // of the pass's grid
  std::span<std::byte> bytes;
  // Of each cell that the tile lies in: of those read, that it is absent; of those written, that
  // something present came into it.
  std::vector<std::atomic<std::uint8_t>> marks;
  Digest read;
};

class PassAtWork {
 public:
  PassAtWork(const BoxPlan& plan, std::size_t pass, StoredArray& from, StoredArray& to,
             BoxStorage& storage, const BoxRunOptions& options);

  // In the order of a job's tiles where an axis is walked; `begins_row`: nothing is kept from
  // before. May run beside write() of another tile.
  void read(HeldTile& tile, bool begins_row);
  Digest write(HeldTile& tile);
  // What the job wrote is durable under its names when this returns: so many files of the output.
  std::uint64_t finish_job(std::uint64_t job);

  std::span<std::byte> tile_buffer(std::size_t i) const;
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t writes() const { return writes_; }

 private:
  struct Kept {
    std::size_t slot;
    bool absent;
  };

  BoxCells read_cells(const Box& tile) const;
  BoxCells write_cells(const Box& tile) const;
  // The order that the tile lies in.
  BoxCells held_cells(const Box& tile) const;

  void read_runs(HeldTile& tile);
  void read_units(HeldTile& tile, bool begins_row);
  void read_units_in_place(HeldTile& tile, const BoxCells& cells);
  void read_meets(HeldTile& tile);
  void take_unit(HeldTile& tile, const BoxCells& held, const BoxCell& unit, bool absent,
                 Digest& share);
  void prepare_units(HeldTile& tile, const BoxCells& held);
  bool fetch_unit(const std::vector<std::uint64_t>& index, std::span<std::byte> into);
  void read_piece_file(const std::vector<std::uint64_t>& before, const HeldTile& tile,
                       std::uint64_t from_byte, std::span<std::byte> into);

  Digest write_runs(HeldTile& tile);
  Digest write_files(HeldTile& tile);
  void write_file_of(HeldTile& tile, const std::vector<std::uint64_t>& file, int worker,
                     Digest& share);
  void write_between(HeldTile& tile);
  // Copies a box of the tile, which lies in the order of what was read; false if all is absent.
  bool gather(const HeldTile& tile, const BoxCells& held, const BoxCell& to, const Box& box);
  std::span<std::byte> cell_bytes(const HeldTile& tile, const BoxCells& held,
                                  const std::vector<std::uint64_t>& index) const;
  std::size_t mark_of(const BoxCells& held, const std::vector<std::uint64_t>& index) const;

  // The places of a box in the array, whose axes may lie otherwise in the output.
  Box in_array(const Box& box) const;
  void add_digest(Digest& to, const BoxCell& cell, const Box& box) const;
  void add_constant(Digest& to, const Box& box, std::span<const std::byte> element) const;

  const BoxPlan& plan_;
  const BoxGrids& grids_;
  const BoxPass& pass_;
  std::size_t number_;
  bool first_;
  bool last_;
  bool plain_from_;
  bool plain_to_;
  bool plain_order_;  // the output's axes lie as they are
  bool same_order_;   // of all axes, and none reversed
  bool same_fill_;
  std::vector<std::uint64_t> shape_;  // of the array that the output is
  std::uint64_t element_;
  StoredArray& from_;
  StoredArray& to_;
  BoxStorage& storage_;
  BoxRunOptions options_;
  BoxCopier copier_;
  std::vector<std::unique_ptr<TileBuffer>> tiles_;
  std::vector<std::unique_ptr<TileBuffer>> read_buffers_;
  std::vector<std::unique_ptr<TileBuffer>> write_buffers_;
  std::unique_ptr<TileBuffer> pool_;  // of kept units
  std::uint64_t unit_bytes_ = 0;      // of the input
  std::uint64_t chunk_bytes_ = 0;     // of the output
  std::map<std::vector<std::uint64_t>, Kept> kept_;
  std::vector<std::size_t> free_slots_;
  std::uint64_t buffer_bytes_ = 0;
  std::mutex mutex_;
  std::map<std::vector<std::uint64_t>, std::unique_ptr<StoredFile>> open_;
  std::vector<std::unique_ptr<StoredFile>> sealed_;
  std::unique_ptr<RandomFile> between_;
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> writes_{0};
};

}  // namespace faro::inline v1::disk
