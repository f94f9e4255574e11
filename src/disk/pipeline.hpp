// Tiles through memory: while one is permuted and written, the next is read.
//
//   buffers    A  B  C        read 0 -> A
//                             read 1 -> B  |  permute A -> C, write 0 from C
//                             read 2 -> A  |  permute B -> C, write 1 from C    ...
//
// The buffers are made and touched once, before the first read; nothing that grows with the file is
// allocated afterwards.
#pragma once

#include <array>
#include <atomic>
#include <functional>

#include "disk/tiles.hpp"
#include "disk/workers.hpp"
#include "faro/disk/file_permute_plan.hpp"

namespace faro::inline v1::disk {

// Memory of whole pages, there from construction on. Throws Error(environment).
class TileBuffer {
 public:
  explicit TileBuffer(std::uint64_t bytes);
  ~TileBuffer();
  TileBuffer(const TileBuffer&) = delete;
  TileBuffer& operator=(const TileBuffer&) = delete;
  std::span<std::byte> first(std::uint64_t bytes) const { return {data_, bytes}; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct TileHooks {
  // A tile was read: its bytes in the order of the file. Called from one thread at a time, in
  // order.
  std::function<void(const Tile&, std::span<const std::byte>)> read = {};
  // Tiles up to and without `done` are written, though not synced.
  std::function<void(std::uint64_t done)> written = {};
  // Writes what was read as it is: what the same reads and writes cost without the permuting.
  bool only_copies = false;
};

class Pipeline {
 public:
  Pipeline(std::uint64_t tile_bytes, int io_threads, const PermuteOptions& permute);

  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  void run(const PassTiles& pass, const Range& range, RandomFile& from, RandomFile& to,
           const TileHooks& hooks);
  // Reads `bytes` from the beginning of a file, a tile at a time.
  void read_in_order(RandomFile& from, std::uint64_t bytes, std::uint64_t tile_bytes,
                     const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit);
  FileCounts counts() const;

 private:
  void start_read(const PassTiles& pass, const Tile& tile, RandomFile& from, std::size_t buffer);
  void write(const PassTiles& pass, const Tile& tile, RandomFile& to,
             std::span<const std::byte> data);

  std::array<TileBuffer, 3> buffers_;
  Workers readers_;
  Workers writers_;
  PermuteOptions permute_;
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> writes_{0};
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
};

}  // namespace faro::inline v1::disk
