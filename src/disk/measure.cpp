// What a device costs, measured.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "disk/pipeline.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"

namespace faro::inline v1 {
namespace {

// Runs that are short enough to tell their own cost, and long enough to be of use.
constexpr std::uint64_t run_bytes = std::uint64_t{16} << 10U;
// No call of the system takes less; on a busy machine the difference of two times may say so.
constexpr std::uint64_t run_nanoseconds_min = 2000;
constexpr std::uint64_t bytes_min = std::uint64_t{16} << 20U;

struct Removed {
  std::string path;
  ~Removed() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

class Probe {
 public:
  Probe(RandomFile& file, std::uint64_t bytes, int io_threads)
      : file_(file),
        bytes_(bytes),
        workers_(disk::depth_of(io_threads)),
        buffer_(disk::request_bytes_max) {
    std::uint64_t seed = 0x9e3779b97f4a7c15U;
    for (std::byte& b : buffer_.first(disk::request_bytes_max))
      b = static_cast<std::byte>((seed = seed * 6364136223846793005U + 1442695040888963407U) >>
                                 56U);
  }

  // Seconds of everything in order, 1 MiB at a time, or in scattered runs. The file has areas of
  // as many bytes: 0 is written and read, others are copied to, each once.
  double write(std::uint64_t piece) {
    return timed(piece, [&](std::uint64_t at) { file_.write(at, buffer_.first(piece)); });
  }
  double read(std::uint64_t piece) {
    return timed(piece, [&](std::uint64_t at) { read_piece(at, piece); });
  }
  double copy(std::uint64_t piece, std::uint64_t area) {
    return timed(
        piece, [&](std::uint64_t at) { file_.write((area * bytes_) + at, read_piece(at, piece)); });
  }

 private:
  static constexpr std::uint64_t page = 4096;

  std::span<const std::byte> read_piece(std::uint64_t at, std::uint64_t piece) {
    thread_local std::vector<std::byte> memory;
    memory.resize(piece + page);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto into = std::span(memory).subspan((page - address % page) % page, piece);
    file_.read(at, into);
    return into;
  }

  template <class Piece>
  double timed(std::uint64_t piece, const Piece& one) {
    const std::uint64_t count = bytes_ / piece;
    // An odd step near the golden ratio visits all of a power of two, neighbours far apart.
    const std::uint64_t step = piece < disk::request_bytes_max ? (count * 618 / 1000) | 1U : 1;
    const auto start = std::chrono::steady_clock::now();
    workers_.start(disk::Lane::read, {count, piece},
                   [&](std::uint64_t i) { one(i * step % count * piece); });
    workers_.finish(disk::Lane::read);
    file_.sync();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  RandomFile& file_;
  std::uint64_t bytes_;
  disk::Workers workers_;
  disk::TileBuffer buffer_;
};

std::uint64_t rate(std::uint64_t bytes, double seconds) {
  return std::max<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-9)), 1);
}

std::uint64_t nanoseconds_of_a_run(std::uint64_t bytes, double scattered, double in_order) {
  const double each = (scattered - in_order) / static_cast<double>(bytes / run_bytes);
  return std::max(run_nanoseconds_min, static_cast<std::uint64_t>(std::max(each, 0.0) * 1e9));
}

}  // namespace

DiskProfile DiskProfile::measured(const std::string& folder, std::uint64_t bytes, int io_threads) {
  bytes = bit(highest_bit(std::max(bytes, bytes_min)));
  const Removed made{fmt::format("{}/.faro-measure-{}", folder, ::getpid())};
  const auto file = open_random_file(made.path, {.access = FileAccess::create});
  constexpr std::uint64_t areas = 3;
  file->reserve(areas * bytes);
  Probe probe(*file, bytes, io_threads);
  // The first writing of a file costs more than later ones, and is what outputs are.
  const double first_write = probe.write(disk::request_bytes_max);
  const double read = probe.read(disk::request_bytes_max);
  const double read_runs = probe.read(run_bytes);
  // Runs cost more where a disk reads and writes at the same time, which is what passes do: what
  // a run read and a run written take together is that of a copy.
  const double copy = probe.copy(disk::request_bytes_max, 1);
  const double copy_runs = probe.copy(run_bytes, 2);
  const std::uint64_t read_run = nanoseconds_of_a_run(bytes, read_runs, read);
  const std::uint64_t both_runs = nanoseconds_of_a_run(bytes, copy_runs, copy);
  return {.name = "measured",
          .read_bytes_per_second = rate(bytes, read),
          .read_run_nanoseconds = read_run,
          .write_bytes_per_second = rate(bytes, first_write),
          .write_run_nanoseconds =
              std::max(run_nanoseconds_min, both_runs - std::min(both_runs, read_run))};
}

}  // namespace faro::inline v1
