// Sections on threads. The tiles are cut into parts that threads take as they get free; which
// thread moves a tile has no influence on the bytes.
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "faro/engine/reference.hpp"
#include "passes.hpp"

namespace faro::engine {
namespace {

// Each thread's stages begin on pages of their own.
constexpr std::size_t page_bytes = 4096;
constexpr Word parts_per_thread = 8;
// Progress is told after about this much.
constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 20U;

class Working {
 public:
  Working(std::size_t each, int threads)
      : each_((each + page_bytes - 1) / page_bytes * page_bytes) {
    if (each_ == 0) return;
    memory_.reset(static_cast<std::byte*>(
        std::aligned_alloc(page_bytes, each_ * static_cast<std::size_t>(threads))));
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  std::byte* of(int thread) const {
    return each_ == 0 ? nullptr : memory_.get() + each_ * static_cast<std::size_t>(thread);
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::size_t each_;
  std::unique_ptr<std::byte, Free> memory_;
};

// Tiles begin..end-1 of all repeats, numbered through.
void run_range(const Section& section, const KernelSet& kernels, const std::byte* from,
               std::byte* to, Word begin, Word end, std::byte* working) {
  const int tile_log2 = section.pass.plan.outer_bits;
  while (begin < end) {
    const Word repeat = begin >> tile_log2;
    const Word first = begin & low_mask(tile_log2);
    const Word stop = std::min(bit(tile_log2), first + (end - begin));
    const std::uint64_t at = section.offset + repeat * section.bytes;
    kernels.run_tiles(section.pass, from + at, to + at, first, stop, working);
    begin += stop - first;
  }
}

void run_tiles_section(const Section& section, const KernelSet& kernels, int threads,
                       const std::byte* from, std::byte* to, const Progress& progress,
                       std::uint64_t total) {
  const Word tiles = section.pass.plan.tiles() * section.repeat;
  const std::uint64_t tile_bytes = section.pass.plan.tile_bytes();
  const Word segment = progress ? std::max<Word>(1, segment_bytes / tile_bytes) : tiles;
  const Working working(working_bytes(section.pass.plan), threads);
  for (Word begin = 0; begin < tiles; begin += segment) {
    const Word end = std::min(tiles, begin + segment);
    if (threads == 1) {
      run_range(section, kernels, from, to, begin, end, working.of(0));
    } else {
      const Word parts = std::min<Word>(end - begin, static_cast<Word>(threads) * parts_per_thread);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
      for (Word part = 0; part < parts; ++part) {
        run_range(section, kernels, from, to, begin + (end - begin) * part / parts,
                  begin + (end - begin) * (part + 1) / parts, working.of(omp_get_thread_num()));
      }
    }
    report(progress, section.offset + end * tile_bytes, total);
  }
}

}  // namespace

std::uint64_t working_bytes(const TilePlan& plan) {
  if (!plan.method.stage_to) return 0;
  return plan.tile_bytes() * (plan.method.copy_in ? 4 : 2);
}

void run_passes(const Passes& passes, const std::byte* from, std::byte* to,
                const Progress& progress) {
  const Section& last = passes.sections.back();
  const std::uint64_t total = last.offset + last.repeat * last.bytes;
  for (const Section& section : passes.sections) {
    switch (section.path) {
      case Path::tiles:
        run_tiles_section(section, *passes.kernels, passes.threads, from, to, progress, total);
        break;
      case Path::elements:
      case Path::obvious:
        reference_permute(section.map,
                          {.element_bytes = section.unit_bytes, .outer = section.repeat},
                          from + section.offset, to + section.offset);
        report(progress, section.offset + section.repeat * section.bytes, total);
        break;
    }
  }
}

}  // namespace faro::engine
