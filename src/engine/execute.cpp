// Sections on threads. The tiles (in place, blocks of them) are cut into parts that threads take as
// they get free; which thread moves a tile has no influence on the bytes.
#include <algorithm>

#include "base/parallel.hpp"
#include "engine/passes.hpp"
#include "engine/working.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1::engine {
namespace {

// Progress is told after about this much.
constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 20U;

// One section on given buffers: which loop, on which plan.
struct Runner {
  const Section& section;
  const KernelSet& kernels;
  const TilePass& pass;
  Place place;
  const std::byte* from;
  std::byte* to;

  Runner(const Pass& all, const Section& one, const std::byte* from_data, std::byte* to_data)
      : section(one),
        kernels(*all.kernels),
        pass(one.off_grid && reinterpret_cast<std::uintptr_t>(to_data) % line_bytes != 0
                 ? *one.off_grid
                 : one.pass),
        place(all.place),
        from(from_data),
        to(to_data) {}

  // Tiles, in place blocks of them.
  Word blocks() const { return pass.plan.blocks() * section.repeat; }

  // Blocks begin..end-1 of all repeats, numbered through.
  void run(Word begin, Word end, std::byte* working) const {
    const int blocks_log2 = log2_exact(pass.plan.blocks());
    while (begin < end) {
      const Word repeat = begin >> blocks_log2;
      const Word first = begin & low_mask(blocks_log2);
      const Word stop = std::min(bit(blocks_log2), first + (end - begin));
      const std::uint64_t at = section.offset + repeat * section.bytes;
      if (section.path == Path::elements) {
        run_elements(section, place, from + at, to + at, first, stop);
      } else if (place == Place::same) {
        kernels.run_pairs(pass, to + at, first, stop, working);
      } else {
        kernels.run_tiles(pass, from + at, to + at, first, stop, working);
      }
      begin += stop - first;
    }
  }
};

std::uint64_t working_of(const Section& section, const TilePass& pass, Place place) {
  if (section.path == Path::elements) return 0;
  return place == Place::same ? pairs_working_bytes(pass.plan) : tiles_working_bytes(pass.plan);
}

void run_section(const Pass& pass, const Section& section, const std::byte* from, std::byte* to,
                 const Progress& progress, std::uint64_t total) {
  const Runner runner(pass, section, from, to);
  const Word blocks = runner.blocks();
  Working working(working_of(section, runner.pass, pass.place), pass.threads);
  const std::uint64_t block_bytes =
      std::max<std::uint64_t>(1, section.bytes / runner.pass.plan.blocks());
  const Word segment = progress ? std::max<Word>(1, segment_bytes / block_bytes) : blocks;
  for (Word begin = 0; begin < blocks; begin += segment) {
    const Word end = std::min(blocks, begin + segment);
    if (pass.threads == 1) {
      runner.run(begin, end, working.of(0));
    } else {
      const Word count = end - begin;
      const Word parts = std::min<Word>(count, static_cast<Word>(pass.threads) * parts_per_thread);
      in_parallel(pass.threads, parts, [&](Word part, int worker) {
        runner.run(begin + count * part / parts, begin + count * (part + 1) / parts,
                   working.of(worker));
      });
    }
    report(progress, section.offset + end * block_bytes, total);
  }
}

}  // namespace

std::uint64_t working_bytes(const Pass& pass) {
  std::uint64_t most = 0;
  for (const Section& section : pass.sections) {
    most = std::max(most, working_of(section, section.pass, pass.place));
    if (section.off_grid) most = std::max(most, working_of(section, *section.off_grid, pass.place));
  }
  return most * static_cast<std::uint64_t>(pass.threads);
}

void run_pass(const Pass& pass, const std::byte* from, std::byte* to, const Progress& progress) {
  if (pass.sections.empty()) return;
  const Section& last = pass.sections.back();
  const std::uint64_t total = last.offset + last.repeat * last.bytes;
  for (const Section& section : pass.sections) {
    run_section(pass, section, from, to, progress, total);
  }
}

void run_share(const Pass& pass, Word share, Word shares, const std::byte* from, std::byte* to) {
  for (const Section& section : pass.sections) {
    const Runner runner(pass, section, from, to);
    Working working(working_of(section, runner.pass, pass.place), 1);
    const Count blocks = runner.blocks();
    runner.run(static_cast<Word>(blocks * share / shares),
               static_cast<Word>(blocks * (share + 1) / shares), working.of(0));
  }
}

}  // namespace faro::inline v1::engine
