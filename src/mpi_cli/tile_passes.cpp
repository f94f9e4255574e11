#include "mpi_cli/tile_passes.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "faro/base/error.hpp"
#include "mpi/sums.hpp"
#include "mpi_cli/array_files.hpp"

namespace faro::mpi_cli {
namespace {

// A header of a block of the disk, so that data behind it is written directly.
constexpr std::size_t block_bytes = 4096;

// What `share` of `shares` does of so many.
struct Share {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
Share share_of(std::uint64_t all, const mpi::Communicator& ranks) {
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  const auto size = static_cast<std::uint64_t>(ranks.size());
  const auto until = [&](std::uint64_t r) {
    return static_cast<std::uint64_t>(Count{all} * Count{r} / Count{size});
  };
  return {until(rank), until(rank + 1) - until(rank)};
}

// The sums of a rank's part of a file, read a piece at a time: element i counts as one at map(i).
mpi::Sums sums_of_file(const std::string& path, std::uint64_t start, const BitMap& map,
                       const Share& share, std::uint64_t element_bytes) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20U;
  const auto file = open_random_file(path, {.access = FileAccess::read, .start_byte = start});
  const std::uint64_t piece = std::max<std::uint64_t>(1, piece_bytes / element_bytes);
  std::vector<std::byte> data(std::min(piece, share.count) * element_bytes);
  mpi::Sums sums{};
  for (std::uint64_t i = 0; i < share.count; i += piece) {
    const std::span<std::byte> now(data.data(), std::min(piece, share.count - i) * element_bytes);
    file->read((share.first + i) * element_bytes, now);
    mpi::add_elements(sums, map, share.first + i, element_bytes, now);
  }
  return sums;
}

}  // namespace

std::optional<FilePermutePlan> tiles_within(const BitMap& map, std::uint64_t element_bytes,
                                            std::uint64_t memory_bytes) {
  try {
    return FilePermutePlan::out_of_place(map, {.element_bytes = element_bytes},
                                         {.memory_bytes = memory_bytes});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) throw;
    return std::nullopt;
  }
}

bool permute_by_tiles(const mpi::Communicator& ranks, const TilePasses& job, const Told& told) {
  const FilePlanFacts& facts = job.plan.facts();
  const std::string front =
      job.header.type.empty() ? std::string() : npy_header_bytes(job.header, block_bytes);
  const std::uint64_t bytes = job.header.data_bytes();
  SharedReplacement out(ranks, job.out, front.size() + bytes);
  std::optional<SharedReplacement> temporary;
  if (facts.passes.size() > 1) temporary.emplace(ranks, job.out, bytes);

  const auto open = [&](const std::string& name, FileAccess access) {
    const bool in = name == "input";
    const bool result = name == "output";
    return open_random_file(in       ? job.in
                            : result ? out.name()
                                     : temporary->name(),
                            {.access = access,
                             .start_byte = in       ? job.start
                                           : result ? front.size()
                                                    : 0});
  };
  ranks.agree({}, "file", [&] { out.write_front(front); });
  for (std::size_t pass = 0; pass < facts.passes.size(); ++pass) {
    const FilePassFacts& now = facts.passes[pass];
    // Opened anew for each pass: file systems of several machines show others' writes from then on.
    ranks.agree({}, "file", [&] {
      const Share share = share_of(static_cast<std::uint64_t>(now.tiles), ranks);
      if (share.count == 0) return;
      const auto from = open(now.from, FileAccess::read);
      const auto to = open(now.to, FileAccess::write);
      const std::uint64_t mine = share.count * now.tile_bytes;
      const auto progress = [&](std::uint64_t done, std::uint64_t total) {
        if (told) told(pass * mine + std::min(done, mine), facts.passes.size() * mine);
        static_cast<void>(total);
        return Continue::yes;
      };
      job.plan.execute_tiles(
          {static_cast<int>(pass), share.first, share.count},
          {.from = *from, .to = *to, .permute = {.threads = 1}, .progress = progress});
      to->sync();
    });
  }
  if (job.verify) {
    mpi::Sums before{};
    mpi::Sums after{};
    ranks.agree({}, "file", [&] {
      const std::uint64_t element_bytes = job.header.element_bytes;
      const Share share = share_of(job.header.elements(), ranks);
      before = sums_of_file(job.in, job.start, job.map, share, element_bytes);
      after = sums_of_file(out.name(), front.size(), BitMap::identity(job.map.width()), share,
                           element_bytes);
    });
    if (!mpi::agree_sums(ranks, before, after)) return false;
  }
  out.commit();
  return true;
}

}  // namespace faro::mpi_cli
