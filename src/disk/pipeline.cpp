#include "disk/pipeline.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "files/words.hpp"

namespace faro::inline v1::disk {

TileBuffer::TileBuffer(std::uint64_t bytes) : bytes_(std::max<std::uint64_t>(bytes, 1)) {
  void* memory =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(
        ErrorCode::environment,
        fmt::format("there is no memory for a tile of {}: {}; a smaller --memory takes less",
                    files::size_text(bytes_), std::strerror(errno)));
  data_ = static_cast<std::byte*>(memory);
  // Large pages where they are offered; and every page now, while failing is still harmless.
  ::madvise(memory, bytes_, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes_);
}

TileBuffer::~TileBuffer() {
  ::munmap(data_, bytes_);
}

Pipeline::Pipeline(std::uint64_t tile_bytes, int io_threads, const PermuteOptions& permute)
    : buffers_{TileBuffer(tile_bytes), TileBuffer(tile_bytes), TileBuffer(tile_bytes)},
      readers_(io_threads),
      writers_(io_threads),
      permute_(permute) {}

void Pipeline::start_read(const PassTiles& pass, const Tile& tile, RandomFile& from,
                          std::size_t buffer) {
  const std::span<std::byte> into = buffers_[buffer].first(tile.bytes);
  readers_.start(pass.read_count(tile), [this, &pass, tile, &from, into](std::uint64_t i) {
    const Request request = pass.read(tile, i);
    from.read(request.file_offset, into.subspan(request.buffer_offset, request.bytes));
    ++reads_;
    bytes_read_ += request.bytes;
  });
}

void Pipeline::write(const PassTiles& pass, const Tile& tile, RandomFile& to,
                     std::span<const std::byte> data) {
  writers_.start(pass.write_count(tile), [&](std::uint64_t i) {
    const Request request = pass.write(tile, i);
    to.write(request.file_offset, data.subspan(request.buffer_offset, request.bytes));
    ++writes_;
    bytes_written_ += request.bytes;
  });
  writers_.finish();
}

void Pipeline::run(const PassTiles& pass, const Range& range, RandomFile& from, RandomFile& to,
                   const TileHooks& hooks) {
  if (range.first >= range.end) return;
  Tile next = pass.tile(range.first);
  start_read(pass, next, from, 0);
  // Whatever is thrown below, nobody may be reading into the buffers afterwards.
  struct Settle {
    Workers& readers;
    ~Settle() {
      try {
        readers.finish();
      } catch (...) {  // the first error is the one that is told
      }
    }
  };
  const Settle settle{readers_};
  for (std::uint64_t i = range.first; i < range.end; ++i) {
    const std::size_t buffer = (i - range.first) % 2;
    readers_.finish();
    const Tile tile = next;
    if (i + 1 < range.end) {
      next = pass.tile(i + 1);
      start_read(pass, next, from, 1 - buffer);
    }
    const std::span<const std::byte> data = buffers_[buffer].first(tile.bytes);
    if (hooks.read) hooks.read(tile, data);
    const std::span<std::byte> permuted = buffers_[2].first(tile.bytes);
    if (!hooks.only_copies)
      PermutePlan::out_of_place(tile.map, tile.shape, permute_).execute(data, permuted);
    write(pass, tile, to, hooks.only_copies ? data : permuted);
    if (hooks.written) hooks.written(i + 1);
  }
}

void Pipeline::read_in_order(
    RandomFile& from, std::uint64_t bytes, std::uint64_t tile_bytes,
    const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) {
  for (std::uint64_t at = 0; at < bytes; at += tile_bytes) {
    const std::span<std::byte> into = buffers_[0].first(std::min(tile_bytes, bytes - at));
    const auto requests = static_cast<std::uint64_t>(ceil_div(into.size(), request_bytes_max));
    readers_.start(requests, [&](std::uint64_t i) {
      const std::uint64_t begin = i * request_bytes_max;
      const std::uint64_t size = std::min<std::uint64_t>(request_bytes_max, into.size() - begin);
      from.read(at + begin, into.subspan(begin, size));
    });
    readers_.finish();
    visit(at, into);
  }
}

FileCounts Pipeline::counts() const {
  return {.reads = reads_.load(),
          .writes = writes_.load(),
          .bytes_read = bytes_read_.load(),
          .bytes_written = bytes_written_.load()};
}

}  // namespace faro::inline v1::disk
