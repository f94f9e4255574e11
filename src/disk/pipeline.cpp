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

Workers::Depth depth_of(int io_threads) {
  constexpr int short_requests = 4;  // for each long one
  const int requests = 2 * io_threads;
  return {.threads = short_requests * requests,
          .bytes = static_cast<std::uint64_t>(requests) * request_bytes_max};
}

Pipeline::Pipeline(std::uint64_t tile_bytes, int io_threads, const PermuteOptions& permute)
    : buffers_{TileBuffer(tile_bytes), TileBuffer(tile_bytes), TileBuffer(tile_bytes)},
      workers_(depth_of(io_threads)),
      permute_(permute) {}

void Pipeline::start_read(const FileTiles& pass, const TilePlace& tile, RandomFile& from,
                          std::size_t buffer) {
  const std::span<std::byte> into = buffers_[buffer].first(tile.bytes);
  workers_.start(
      Lane::read, pass.reads_of(tile), [this, &pass, tile, &from, into](std::uint64_t i) {
        const Request request = pass.read(tile, i);
        from.read(request.file_offset, into.subspan(request.buffer_offset, request.bytes));
        ++reads_;
        bytes_read_ += request.bytes;
      });
}

void Pipeline::start_write(const FileTiles& pass, const TilePlace& tile, RandomFile& to,
                           std::size_t buffer) {
  const std::span<const std::byte> data = buffers_[buffer].first(tile.bytes);
  workers_.start(Lane::write, pass.writes_of(tile), [this, &pass, tile, &to, data](auto i) {
    const Request request = pass.write(tile, i);
    to.write(request.file_offset, data.subspan(request.buffer_offset, request.bytes));
    ++writes_;
    bytes_written_ += request.bytes;
  });
}

namespace {

// Whatever is thrown, nobody may be at work on the buffers afterwards.
struct Settle {
  Workers& workers;
  ~Settle() {
    for (const Lane lane : {Lane::read, Lane::write}) {
      try {
        workers.finish(lane);
      } catch (...) {  // the first error is the one that is told
      }
    }
  }
};

}  // namespace

void Pipeline::run(const FileTiles& pass, const Range& range, RandomFile& from, RandomFile& to,
                   const TileHooks& hooks) {
  if (range.first >= range.end) return;
  // A copy is written from where it was read, so that three buffers take turns.
  const std::uint64_t inputs = hooks.only_copies ? 3 : 2;
  const auto input = [&](std::uint64_t i) { return static_cast<std::size_t>(i % inputs); };
  const auto written = [&](std::uint64_t done) {
    if (done == range.first) return;
    workers_.finish(Lane::write);
    if (hooks.written) hooks.written(done);
  };
  TilePlace next = pass.place(range.first);
  start_read(pass, next, from, input(range.first));
  const Settle settle{workers_};
  for (std::uint64_t i = range.first; i < range.end; ++i) {
    workers_.finish(Lane::read);
    const TilePlace tile = next;
    if (i + 1 < range.end) {
      next = pass.place(i + 1);
      start_read(pass, next, from, input(i + 1));
    }
    const std::span<const std::byte> data = buffers_[input(i)].first(tile.bytes);
    written(i);
    const std::size_t output = hooks.only_copies ? input(i) : 2;
    if (!hooks.only_copies)
      pass.permuting(tile, 1, permute_).execute(data, buffers_[output].first(tile.bytes));
    start_write(pass, tile, to, output);
    if (hooks.read) hooks.read(tile, data);
  }
  written(range.end);
}

std::uint64_t Pipeline::bytes_of(const MoveSteps& moves, const Step& step) const {
  // Tiles of a step are alike; the short one at the end of a batch is a step of its own.
  return step.size() * moves.tiles.place(step.front()).bytes;
}

void Pipeline::start_read(const MoveSteps& moves, const Step& step, RandomFile& from) {
  const FileTiles& pass = moves.tiles;
  const TilePlace first = pass.place(step.front());
  const Pieces pieces = pass.reads_of(first);
  const std::span<std::byte> into = buffers_[0].first(bytes_of(moves, step));
  workers_.start(
      Lane::read, {pieces.count * step.size(), pieces.bytes},
      [this, &pass, &step, &from, each = pieces.count, into](std::uint64_t i) {
        const TilePlace tile = pass.place(step[i / each]);
        const Request request = pass.read(tile, i % each);
        from.read(request.file_offset,
                  into.subspan((i / each * tile.bytes) + request.buffer_offset, request.bytes));
        ++reads_;
        bytes_read_ += request.bytes;
      });
}

void Pipeline::write(const MoveSteps& moves, const Step& step, RandomFile& to, std::size_t buffer) {
  const FileTiles& pass = moves.tiles;
  const Pieces pieces = pass.writes_of(pass.place(step.front()));
  const std::span<const std::byte> data = buffers_[buffer].first(bytes_of(moves, step));
  const std::uint64_t each = pieces.count;
  workers_.start(Lane::write, {each * step.size(), pieces.bytes}, [&](std::uint64_t i) {
    const TilePlace tile = pass.place(step[i / each]);
    const Request request = pass.write(tile, i % each);
    to.write(request.file_offset,
             data.subspan((i / each * tile.bytes) + request.buffer_offset, request.bytes));
    ++writes_;
    bytes_written_ += request.bytes;
  });
  workers_.finish(Lane::write);
}

void Pipeline::permute(const MoveSteps& moves, const Step& step, std::size_t buffer,
                       const StepHooks& hooks) const {
  const FileTiles& pass = moves.tiles;
  const std::uint64_t bytes = bytes_of(moves, step);
  const std::uint64_t each = bytes / step.size();
  const std::span<const std::byte> from = buffers_[0].first(bytes);
  const std::span<std::byte> to = buffers_[buffer].first(bytes);
  for (std::size_t i = 0; i < step.size();) {
    const TilePlace tile = pass.place(step[i]);
    // Neighbours that are permuted alike are a batch.
    std::size_t alike = 1;
    while (i + alike < step.size() && pass.place(step[i + alike]).delta == tile.delta) ++alike;
    if (hooks.read)
      for (std::size_t n = i; n < i + alike; ++n)
        hooks.read(pass.place(step[n]), from.subspan(n * each, each));
    pass.permuting(tile, alike, permute_)
        .execute(from.subspan(i * each, alike * each), to.subspan(i * each, alike * each));
    i += alike;
  }
}

void Pipeline::run_in_place(const MoveSteps& moves, MoveOrder& order, const Range& range,
                            std::uint64_t kept, RandomFile& file, const StepHooks& hooks) {
  const auto content = [](std::uint64_t step) { return 1 + static_cast<std::size_t>(step % 2); };
  order.restart();
  for (std::uint64_t i = 0; i + kept < range.first; ++i) order.take(moves.tiles_of(i));
  std::array<Step, 3> steps;  // of step j in j % 3
  const auto step = [&](std::uint64_t j) -> Step& { return steps[j % 3]; };
  for (std::uint64_t j = range.first - kept; j < range.first; ++j) {
    step(j) = order.take(moves.tiles_of(j));
    hooks.recall(j, buffers_[content(j)].first(bytes_of(moves, step(j))));
    if (j + 1 < range.first) write(moves, step(j), file, content(j));
  }
  bool pending = kept != 0;
  const Settle settle{workers_};
  const auto start = [&](std::uint64_t j) {
    step(j) = order.take(moves.tiles_of(j));
    start_read(moves, step(j), file);
  };
  if (range.first < range.end) start(range.first);
  for (std::uint64_t j = range.first; j < range.end; ++j) {
    workers_.finish(Lane::read);
    permute(moves, step(j), content(j), hooks);
    // Nothing that is still to be read lies where step j - 1 goes.
    if (j + 1 < range.end) start(j + 1);
    if (hooks.keep) hooks.keep(j, buffers_[content(j)].first(bytes_of(moves, step(j))));
    if (pending) write(moves, step(j - 1), file, content(j - 1));
    pending = true;
    if (hooks.written && j != 0) hooks.written(j);
  }
  if (pending) write(moves, step(range.end - 1), file, content(range.end - 1));
  if (hooks.written && pending) hooks.written(range.end);
}

void Pipeline::write_in_order(RandomFile& to, std::uint64_t at, std::span<const std::byte> bytes) {
  const auto requests = static_cast<std::uint64_t>(ceil_div(bytes.size(), request_bytes_max));
  workers_.start(Lane::write, {requests, request_bytes_max}, [&](std::uint64_t i) {
    const std::uint64_t begin = i * request_bytes_max;
    const std::uint64_t size = std::min<std::uint64_t>(request_bytes_max, bytes.size() - begin);
    to.write(at + begin, bytes.subspan(begin, size));
    ++writes_;
    bytes_written_ += size;
  });
  workers_.finish(Lane::write);
}

void Pipeline::read_in_order(RandomFile& from, std::uint64_t at, std::span<std::byte> into) {
  const auto requests = static_cast<std::uint64_t>(ceil_div(into.size(), request_bytes_max));
  workers_.start(Lane::read, {requests, request_bytes_max}, [&](std::uint64_t i) {
    const std::uint64_t begin = i * request_bytes_max;
    const std::uint64_t size = std::min<std::uint64_t>(request_bytes_max, into.size() - begin);
    from.read(at + begin, into.subspan(begin, size));
  });
  workers_.finish(Lane::read);
}

void Pipeline::visit_in_order(
    RandomFile& from, std::uint64_t bytes, std::uint64_t part_bytes,
    const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) {
  for (std::uint64_t at = 0; at < bytes; at += part_bytes) {
    const std::span<std::byte> into = buffers_[0].first(std::min(part_bytes, bytes - at));
    read_in_order(from, at, into);
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
