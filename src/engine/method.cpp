#include "engine/method.hpp"

#include <algorithm>

#include "engine/span.hpp"
#include "faro/algebra/classify.hpp"

namespace faro::inline v1::engine {
namespace {

// The last cache still answers for data of this size, sooner than memory does.
constexpr std::uint64_t last_cache_bytes = std::uint64_t{32} << 20U;
// Address translations of so many data bytes still sit in the second cache.
constexpr std::uint64_t walks_cheap_bytes_max = std::uint64_t{1} << 28U;
// Far enough to cover memory's latency, near enough not to evict what waits, where kernels write a
// stage (measured 16..64 on AMD).
constexpr std::uint32_t lines_ahead = 32;

struct Runs {
  int from = 0;
  int to = 0;
};

// Grows the shorter run while the tile stays within tile_log2 bytes and the runs within
// run_log2_max; the destination's counts as shorter until it is 2^lead times the source's. In bits
// of units.
Runs grown(const MethodQuestion& q, int tile_log2, int lead = 0, int run_log2_max = word_bits) {
  const int most = std::min(q.map.width(), run_log2_max - q.unit_log2);
  Runs runs{line_log2 - q.unit_log2, line_log2 - q.unit_log2};
  for (;;) {
    int& shorter = runs.to < most && runs.to < runs.from + lead ? runs.to : runs.from;
    if (shorter >= most) break;
    ++shorter;
    if (tile_dimension(q.inverse, runs.from, runs.to) + q.unit_log2 > tile_log2) {
      --shorter;
      break;
    }
  }
  return runs;
}

Method with_runs(const Runs& runs) {
  Method method;
  method.from_run_bits = runs.from;
  method.to_run_bits = runs.to;
  return method;
}

// log2 of how many source pages one kernel reads from.
int kernel_pages_log2(const MethodQuestion& q) {
  const int page = std::min(page_log2 - q.unit_log2, q.map.width());
  Span pages;
  for (int i = 0; i < q.kernels.vector_log2 - q.unit_log2; ++i) {
    pages.insert(q.inverse.column(i) >> page);
  }
  return pages.dimension();
}

// Kernels of 2 bytes read 32 places at once, of single bytes 64.
bool reads_many_pages(const MethodQuestion& q) {
  return kernel_pages_log2(q) >= (q.machine.stage_sources ? 5 : 6);
}

// Whether a tile that kernels read directly would have runs too short for the hardware to prefetch
// (measured: from 1 KiB on staging loses, up to 512 bytes it wins).
bool short_runs(const MethodQuestion& q, int tile_log2 = 15) {
  constexpr int short_log2 = 9;
  return grown(q, tile_log2).from + q.unit_log2 <= short_log2;
}

// log2 of how many regions of 2 MiB the whole pages of one tile are spread over: each has a table
// of translations of its own.
int regions_log2(const MethodQuestion& q) {
  constexpr int region_log2 = 21;
  const int page = std::min(page_log2 - q.unit_log2, q.map.width());
  const int region = std::min(region_log2 - q.unit_log2, q.map.width());
  Span regions;
  for (int i = 0; i < page; ++i) regions.insert(q.inverse.column(i) >> region);
  return regions.dimension();
}

// With vectors of half a line or less: whether the kernels' order completes lines at once.
bool completes_lines(const MethodQuestion& q) {
  if (q.kernels.vector_log2 == line_log2) return true;
  const int v = q.kernels.vector_log2 - q.unit_log2;
  const int line = line_log2 - q.unit_log2;
  Span near;
  for (int i = 0; i < line; ++i) near.insert(bit(i));
  for (int i = 0; i < v; ++i) near.insert(q.inverse.column(i));
  for (int i = v; i < line; ++i) {
    if (!near.contains(q.inverse.column(i))) return false;
  }
  return true;
}

// Vectors of less than a line (AVX2 and below), in units that a kernel writes few places of.
bool half_lines(const MethodQuestion& q) {
  return q.kernels.vector_log2 < line_log2 && q.unit_log2 >= 2;
}

// Whether kernels with parts of lines stream each line whole: two halves come from two kernels in a
// row. Four quarters do not, where lines of either side crowd one set of the first cache (square
// transposes take 1.2 to 1.6 times what a stage takes; other maps 0.55 to 0.9).
bool completes_parts(const MethodQuestion& q) {
  if (!half_lines(q)) return false;
  if (q.kernels.vector_log2 == line_log2 - 1) return true;
  return std::min(lines_of_a_set_log2(q.inverse, q.unit_log2),
                  lines_of_a_set_log2(q.map.matrix(), q.unit_log2)) < set_lines_log2;
}

bool streams(const MethodQuestion& q) {
  if (q.stores != Stores::automatic) return q.stores == Stores::streaming;
  return q.data_bytes > q.machine.ordinary_bytes_max;
}

// Pages side by side, and neighbouring lines where they are streamed: on Intel, where prefetches by
// hand read as well in any order, runs of pages take 15 % less and bit permutations 10 to 25 %. On
// AMD pages take 5 to 30 % more (a third with vectors below a line), streamed neighbours a fifth
// less (16 bytes) to half more (4).
bool interleaves(const MethodQuestion& q) {
  return !q.machine.stage_sources && q.kernels.vector_log2 == line_log2;
}

// More lines of the source that a line of the destination is made of fall into one set of the first
// cache than it has room for: each would be fetched for every vector of it (bit reversal of 4 bytes
// by halves of lines takes a third less so; single lines are read once, and smaller elements, whose
// kernels read more places than a set has, gain nothing).
bool crowds_sets(const MethodQuestion& q) {
  return half_lines(q) && lines_of_a_set_log2(q.inverse, q.unit_log2) > set_lines_log2;
}

Choice in_cache(const MethodQuestion& q) {
  Method method = with_runs(grown(q, 15));
  method.interleaved = true;
  method.pages_in_turn = interleaves(q);
  if (!crowds_sets(q)) return {method, "ordinary stores: the data fits the caches"};
  method.copy_in = true;
  return {method, "ordinary stores: the data fits the caches; source staged: its lines crowd"};
}

// Large data in runs too short for the hardware to prefetch.
bool scattered(const MethodQuestion& q) {
  return q.data_bytes > last_cache_bytes && short_runs(q);
}

// log2 of how many pages what is read in a row is written to, where it is read in order; else 0.
int streams_written_log2(const MethodQuestion& q) {
  if (regions_log2(q) != 0) return 0;
  const int page = std::min(page_log2 - q.unit_log2, q.map.width());
  Span pages;
  for (int i = 0; i < page; ++i) pages.insert(q.map.column(i) >> page);
  return pages.dimension();
}

// log2 of the bytes that stay together, 16 at most: units have 8.
int together_log2(const MethodQuestion& q) {
  return q.unit_log2 + (q.unit_log2 == 3 && q.map.column(0) == 1 ? 1 : 0);
}

// Where prefetches by hand read worse than the hardware's (AMD, Zen 4, 2^26 to 2^30 bytes; what is
// given is against tiles of 8 to 64 KiB): a line or two at a time to each of 8 to 32 rows of 4 or 8
// bytes saves 10 to 25 %, tiles of 128 KiB save 5 % with 4 bytes and, neighbouring lines together,
// 10 to 30 % with 16. Rows in 32 regions and more are scattered for this.
void fit_direct(const MethodQuestion& q, Method& method) {
  constexpr int rows_few_log2 = 3;
  constexpr int rows_many_log2 = 5;
  int tile_log2 = 13;
  const bool large = q.data_bytes > last_cache_bytes;
  const int rows = streams_written_log2(q);
  const int together = together_log2(q);
  if (q.unit_log2 <= 1) {
    tile_log2 = 16;
  } else if (large &&
             (short_runs(q, together == 4 ? tile_log2 : 15) || regions_log2(q) >= rows_many_log2)) {
    tile_log2 = together == 3 ? 16 : 17;
    method.interleaved = together == 4;
  } else if (large && together <= 3 && rows >= rows_few_log2 && rows <= rows_many_log2) {
    tile_log2 = 10;
  }
  const Runs runs = grown(q, tile_log2);
  method.from_run_bits = runs.from;
  method.to_run_bits = runs.to;
  method.lines_ahead = large ? q.machine.lines_ahead : q.machine.lines_ahead / 2;
}

// Whole pages of several rows: the hardware prefetches along each of them (Zen 4, 2^30 bytes to 8
// rows of 8 and 16 bytes: 1.58 and 2.30 of memcpy by hand, 1.10 and 1.22 without; at 2^27 by hand
// takes 3 % less).
bool reads_long_rows(const MethodQuestion& q, const Method& method) {
  const int runs = tile_dimension(q.inverse, method.from_run_bits, method.to_run_bits);
  return method.from_run_bits + q.unit_log2 >= page_log2 && runs > method.from_run_bits;
}

Choice direct(const MethodQuestion& q) {
  const bool far = q.data_bytes > walks_cheap_bytes_max;
  Method method;
  if (half_lines(q)) {
    // Neighbours complete every line at once: half lines written apart cost twice what lines cost.
    method = with_runs(grown(q, 16));
    method.interleaved = true;
    method.lines_ahead = far && reads_long_rows(q, method) ? 0 : q.machine.lines_ahead;
  } else if (interleaves(q)) {
    // Far apart a tile of long runs saves walks.
    method = with_runs(grown(q, q.unit_log2 <= 1 || far ? 16 : 15));
    method.interleaved = method.pages_in_turn = true;
    method.lines_ahead = q.machine.lines_ahead;
  } else {
    fit_direct(q, method);
  }
  method.streaming = true;
  return {method, q.kernels.vector_log2 == line_log2
                      ? "streaming stores from registers: every vector is a whole line"
                      : "streaming stores from registers: neighbouring vectors complete each line"};
}

// Runs of 512 bytes are worth a tile of 64 KiB where kernels have half lines (Zen 3: a tenth to a
// third less than runs of 256).
Choice staged_to(const MethodQuestion& q) {
  const int tile_log2 = q.unit_log2 <= 1 ? 16 : !half_lines(q) ? 14 : q.unit_log2 == 2 ? 16 : 15;
  Method method = with_runs(grown(q, tile_log2));
  method.streaming = true;
  method.stage_to = true;
  method.lines_ahead = lines_ahead;
  return {method, "streaming stores from a stage: vectors are parts of lines"};
}

// With a staged source consecutive kernels complete the lines that one begins; more than eight
// begun lines (small elements) are more than the CPU combines, and the destination is staged too.
bool stages_both(const MethodQuestion& q) {
  constexpr int begun_log2_max = 3;
  return !completes_lines(q) && q.kernels.vector_log2 - q.unit_log2 > begun_log2_max;
}

// Whether this CPU reads scattered runs worse by hand than by its own prefetch. Single bytes have
// kernels that read too many places at once for that.
bool stages_sources(const MethodQuestion& q) {
  constexpr int regions_log2_min = 6;
  if (half_lines(q) && !(bit_places(q.map) && regions_log2(q) >= regions_log2_min)) return false;
  return q.machine.stage_sources || q.unit_log2 == 0;
}

// Whether the rows of a tile lie so near each other that their translations stay at hand: then
// kernels that read them directly, in runs of 1 KiB, take 5 to 20 % less than a stage (AMD, square
// transposes; measured up to 2^5 regions, and from 2^7 on the stage is better).
bool rows_near(const MethodQuestion& q) {
  constexpr int regions_log2_max = 5;
  return q.unit_log2 >= 2 && completes_lines(q) && regions_log2(q) <= regions_log2_max;
}

// Two stages cost what they bring, but for single bytes.
bool staging_pays(const MethodQuestion& q) {
  return !stages_both(q) || q.unit_log2 == 0;
}

// Pages or parts of them, many at once, so that the hardware's prefetch is at work on all of them;
// the stage fits the second cache. The destination's runs grow to to_log2_max bytes, long enough
// for streaming stores.
Method staged_pages(const MethodQuestion& q, int from_log2, int to_log2_max, int stage_log2) {
  const int w = q.map.width();
  Runs runs{std::min(from_log2 - q.unit_log2, w), std::min(line_log2 - q.unit_log2, w)};
  while (runs.to < std::min(to_log2_max - q.unit_log2, w) &&
         tile_dimension(q.inverse, runs.from, runs.to + 1) + q.unit_log2 <= stage_log2) {
    ++runs.to;
  }
  Method method = with_runs(runs);
  method.streaming = true;
  method.copy_in = true;
  method.stage_to = stages_both(q);
  return method;
}

Choice staged_from(const MethodQuestion& q) {
  const bool wide = q.unit_log2 >= 2;
  return {staged_pages(q, wide ? page_log2 : page_log2 - 1, wide ? 9 : 7, 18),
          "source staged: it is read from many pages, whole and eight at once"};
}

// Runs of 256 bytes, or what a tile of 64 KiB allows.
Choice in_place_tiles(const MethodQuestion& q) {
  const int w = q.map.width();
  const int tile_log2 = q.unit_log2 == 3 ? 13 : q.unit_log2 == 2 ? 14 : 16;
  int run = line_log2 - q.unit_log2;
  while (run < w && tile_dimension(q.inverse, run + 1, run + 1) + q.unit_log2 <= tile_log2) ++run;
  Method method = with_runs({run, run});
  method.stage_to = true;
  method.streaming = q.stores == Stores::streaming;
  if (streams(q)) method.lines_ahead = q.machine.lines_ahead;
  return {method, "in place: the lines written have just been read"};
}

// Blocks of at most 4 MiB: what is written has been read so long ago that it has left the second
// cache, which streaming stores need.
Choice in_place_blocks(const MethodQuestion& q) {
  const bool wide = q.unit_log2 >= 2;
  return {staged_pages(q, wide ? page_log2 : page_log2 - 1, wide ? 9 : 8, wide ? 18 : 19),
          "in place, source staged: pages are read whole, and one block of two waits in a stage"};
}

// Below a line it is the units that decide (Zen 3: single bytes take 20 to 40 % less by two stages,
// affine maps of 4 bytes a tenth; others a tenth to a quarter more).
bool stages_off_grid(const MethodQuestion& q) {
  if (q.kernels.vector_log2 == line_log2) return q.machine.stage_sources;
  return q.unit_log2 <= 1 || (q.unit_log2 == 2 && !bit_places(q.map));
}

// Whether to read whole pages because their translations are the most of what a visit costs.
bool blocks_pay(const MethodQuestion& q) {
  constexpr int regions_log2_min = 8;  // measured: 2^7 and fewer lose
  return q.machine.in_place_blocks && staging_pays(q) && regions_log2(q) >= regions_log2_min;
}

}  // namespace

Choice choose_method(const MethodQuestion& q) {
  if (!streams(q)) return in_cache(q);
  const bool stage = scattered(q) && stages_sources(q) && staging_pays(q) && !rows_near(q);
  if (reads_many_pages(q) || stage) return staged_from(q);
  return completes_lines(q) || completes_parts(q) ? direct(q) : staged_to(q);
}

Method off_grid_method(const MethodQuestion& q) {
  constexpr int long_log2 = 11;
  constexpr int near_tile_log2 = 14;  // both stages in the first cache
  constexpr int far_tile_log2 = 18;
  const auto is_long = [&](const Runs& runs) { return runs.to + q.unit_log2 >= long_log2; };
  Runs runs = grown(q, near_tile_log2, 3, long_log2);
  if (!is_long(runs)) {
    runs = grown(q, far_tile_log2, 1, long_log2);
    // Both sides staged take half (2 bytes) to nine tenths (affine maps of 8) where scattered reads
    // are slow; bit permutations that reach long runs take a tenth to a third more. Kernels that
    // read many places at once gain at any size (AVX2, 32 MiB: single bytes 0.67 to 0.91).
    const bool pays = !is_long(runs) || !bit_places(q.map);
    if (pays && stages_off_grid(q) && (scattered(q) || reads_many_pages(q))) {
      Method both = staged_pages(q, 10, long_log2, q.unit_log2 == 0 ? 19 : far_tile_log2);
      both.stage_to = true;
      return both;
    }
  }
  Method method = with_runs(runs);
  method.streaming = true;
  method.stage_to = true;
  method.lines_ahead = lines_ahead;
  return method;
}

Choice choose_in_place(const MethodQuestion& q) {
  return streams(q) && blocks_pay(q) ? in_place_blocks(q) : in_place_tiles(q);
}

std::vector<Choice> in_place_candidates(const MethodQuestion& q) {
  Choice wide = in_place_tiles(q);
  const int w = q.map.width();
  int run = wide.method.from_run_bits;
  constexpr int wide_tile_log2 = 19;
  while (run < w && tile_dimension(q.inverse, run + 1, run + 1) + q.unit_log2 <= wide_tile_log2) {
    ++run;
  }
  wide.method.from_run_bits = wide.method.to_run_bits = run;
  wide.method.streaming = true;
  return {choose_in_place(q), in_place_tiles(q), in_place_blocks(q), wide};
}

std::vector<Choice> method_candidates(const MethodQuestion& q) {
  std::vector<Choice> all{choose_method(q)};
  const auto add = [&](const Choice& choice) {
    for (const Choice& other : all) {
      if (other.method == choice.method) return;
    }
    all.push_back(choice);
  };
  if (q.stores != Stores::streaming) add(in_cache(q));
  if (q.stores != Stores::ordinary) {
    add(direct(q));
    add(staged_from(q));
    add(staged_to(q));
    // What a sweep found best for one map or another, on one CPU or another.
    for (const int tile_log2 : {10, 13, 17}) {
      Choice choice = direct(q);
      choice.method = with_runs(grown(q, tile_log2));
      choice.method.streaming = true;
      choice.method.interleaved = choice.method.pages_in_turn = true;
      choice.method.lines_ahead = 2 * lines_ahead;
      add(choice);
    }
    if (half_lines(q)) {
      Choice slim = staged_from(q);
      slim.method = staged_pages(q, 10, 9, 17);
      add(slim);
    }
    Choice staged = staged_to(q);
    staged.method.lines_ahead = 2 * lines_ahead;
    add(staged);
  }
  return all;
}

}  // namespace faro::inline v1::engine
