// Tiles through memory: while one is permuted or written, the next is read.
//
//   buffers    A  B  C        read 0 -> A
//                             read 1 -> B  |  permute A -> C, write 0 from C
//                             read 2 -> A  |  permute B -> C, write 1 from C    ...
//
// In place, a step's content C(j), as it is to stand in the file, is kept somewhere safe before
// that of the step before is written over what C(j) was made from:
//
//   read 0 -> A               permute A -> B, keep C(0)
//             read 1 -> A  |  permute A -> C, keep C(1), write C(0) from B
//             read 2 -> A  |  permute A -> B, keep C(2), write C(1) from C       ...
//
// The buffers are made and touched once, before the first read; nothing that grows with the file is
// allocated afterwards.
#pragma once

#include <array>
#include <atomic>
#include <functional>

#include "disk/in_place.hpp"
#include "disk/tiles.hpp"
#include "disk/workers.hpp"
#include "faro/disk/permute_file.hpp"

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

// So many readers and writers of requests of 1 MiB, and up to four times as many of shorter ones.
Workers::Depth depth_of(int io_threads);

struct TileHooks {
  // A tile was read: its bytes in the order of the file. Called from one thread at a time, in
  // order; when tiles up to `done` are written, it was called for just these.
  std::function<void(const TilePlace&, std::span<const std::byte>)> read = {};
  // Tiles up to and without `done` are written, though not synced, and no later one is.
  std::function<void(std::uint64_t done)> written = {};
  // Writes what was read as it is: what the same reads and writes cost without the permuting.
  bool only_copies = false;
};

struct StepHooks {
  std::function<void(const TilePlace&, std::span<const std::byte>)> read = {};
  // Makes the content of a step durable, and before that all that was written to the file.
  std::function<void(std::uint64_t step, std::span<const std::byte> content)> keep = {};
  // The content that an earlier run kept.
  std::function<void(std::uint64_t step, std::span<std::byte> content)> recall = {};
  // The steps before `done` are written, though not synced.
  std::function<void(std::uint64_t done)> written = {};
};

class Pipeline {
 public:
  Pipeline(std::uint64_t tile_bytes, int io_threads, const PermuteOptions& permute);

  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  void run(const FileTiles& pass, const Range& range, RandomFile& from, RandomFile& to,
           const TileHooks& hooks);
  // Steps of a pass in place; `kept` of those before the range, at most 2, are not written yet.
  void run_in_place(const MoveSteps& moves, MoveOrder& order, const Range& range,
                    std::uint64_t kept, RandomFile& file, const StepHooks& hooks);
  // A contiguous range, of a log; what is read so is not counted.
  void write_in_order(RandomFile& to, std::uint64_t at, std::span<const std::byte> bytes);
  void read_in_order(RandomFile& from, std::uint64_t at, std::span<std::byte> into);
  // Reads `bytes` from the beginning of a file, `part_bytes` at a time, which a buffer holds.
  void visit_in_order(RandomFile& from, std::uint64_t bytes, std::uint64_t part_bytes,
                      const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit);
  FileCounts counts() const;

 private:
  void start_read(const FileTiles& pass, const TilePlace& tile, RandomFile& from,
                  std::size_t buffer);
  void start_write(const FileTiles& pass, const TilePlace& tile, RandomFile& to,
                   std::size_t buffer);
  // The tiles of a step, one behind the other in a buffer.
  using Step = std::vector<Word>;
  void start_read(const MoveSteps& moves, const Step& step, RandomFile& from);
  void write(const MoveSteps& moves, const Step& step, RandomFile& to, std::size_t buffer);
  void permute(const MoveSteps& moves, const Step& step, std::size_t buffer,
               const StepHooks& hooks) const;
  std::uint64_t bytes_of(const MoveSteps& moves, const Step& step) const;

  std::array<TileBuffer, 3> buffers_;
  Workers workers_;
  PermuteOptions permute_;
  std::atomic<std::uint64_t> reads_{0};
  std::atomic<std::uint64_t> writes_{0};
  std::atomic<std::uint64_t> bytes_read_{0};
  std::atomic<std::uint64_t> bytes_written_{0};
};

}  // namespace faro::inline v1::disk
