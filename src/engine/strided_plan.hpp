// How an array of any shape is moved: the destination's fastest axes D against the source's fastest
// axes S, tile by tile, the other axes as an odometer around them.
//
// Element (d, s) of a tile comes from  d.table[d] + s * s_from  and goes to  s.table[s] + d * d_to,
// where s_from = d_to = the element's bytes in every way but `elements`. A map of the index of an
// axis in D or S is only another table. Rows are the destination's, one for each s.
//
//   6001 x 6001 doubles, transposed:   D 6001 at 48008 bytes, S 6001 at 48008 bytes: carry
//
// What a way does with the destination's lines, which begin anywhere in a row:
//
//   direct    kernels write memory: streaming where all rows agree in where their lines begin
//   carry     kernels keep the last block of each row in 64 bytes; one pick joins two blocks to a
//             line, which is streamed
//   exact     the same by way of a stage, from which lines are loaded wherever they begin:
//             elements and rows at any byte
//   one       rows are complete and adjoin: a tile is one piece of the destination, staged
//   split, zip    one stream into at most 8, or they into one: lines picked whole from memory
//   reversed  an axis that is contiguous on both sides, backwards
//   runs      the element is long: copied
//   elements  element by element
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/normal_form.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

struct KernelSet;

enum class Way { direct, carry, exact, one, split, zip, reversed, runs, elements };
inline constexpr Way all_ways[] = {Way::direct, Way::carry,    Way::exact, Way::one,     Way::split,
                                   Way::zip,    Way::reversed, Way::runs,  Way::elements};
const char* name(Way way);

// The composite of one side's fastest axes. Offsets at the other side by its index, for a block of
// them; from block to block they grow by block_stride.
struct Side {
  std::vector<Offset> table{0};
  Offset length = 1;
  Offset table_block = 1;  // length of the table
  Offset block_stride = 0;
  bool plain = false;  // one axis without a map: any index may begin a block
  Offset stride = 0;   // of a plain one

  struct At {
    const Offset* table;
    Offset base;
    Offset count;  // how many indices of the table follow
  };
  At at(Offset i) const {
    if (plain) return {table.data(), i * stride, table_block};
    const Offset inside = i % table_block;
    return {table.data() + inside, i / table_block * block_stride, table_block - inside};
  }
};

// A mapped axis is in a table whole, and so at most this long; tables of others are blocks.
inline constexpr Offset mapped_max = Offset{1} << 16;

enum class SideOf { destination, source };
// The composite of these axes, fastest first, its tables not yet filled: blocks of whole squares.
Side side_of(const NormalForm& form, const std::vector<int>& axes, SideOf which, Offset square);
void fill_table(Side& side, const NormalForm& form, const std::vector<int>& axes, SideOf which);

struct StridedPlan {
  NormalForm form;
  Way way = Way::elements;
  bool streaming = false;
  Side d;
  Side s;
  Offset s_from = 0;
  Offset d_to = 0;
  Offset d_tile = 1;
  Offset s_tile = 1;
  Offset strip = 1;  // rows whose carry is kept
  std::vector<int> outer;
  // What one thread takes at a time.
  Offset d_chunk = 1;
  Offset s_chunk = 1;
  std::uint32_t lines_ahead = 0;
  bool lines_agree = false;  // tiles: all rows begin alike in their lines
  bool from_agree = false;   // and so do their columns at the source
  int threads = 1;
  std::uint64_t working_bytes = 0;  // a thread's
  double cost = 0;                  // estimated, in memcpys of the same bytes
  std::string reason;
  const KernelSet* kernels = nullptr;
  // For a buffer where rows do not begin at whole elements, which direct and carry need.
  std::shared_ptr<const StridedPlan> off_elements;

  const StridedPlan& for_place(const std::byte* to) const;
  Word d_chunks() const { return static_cast<Word>((d.length + d_chunk - 1) / d_chunk); }
  Word s_chunks() const { return static_cast<Word>((s.length + s_chunk - 1) / s_chunk); }
};

// A chunk of D x S at one place of the outer axes.
struct Panel {
  const std::byte* from;
  std::byte* to;
  Offset d_begin;
  Offset d_end;
  Offset s_begin;
  Offset s_end;
};
// Rows of a tile at most.
inline constexpr Offset exact_rows_max = 512;
inline constexpr Offset one_rows_max = 1024;

// From row to row of a stage, a line before each: an odd number of lines, so that a column of it
// does not fall into one set of the first cache.
constexpr Offset stage_pitch(Offset row_bytes) {
  return (((row_bytes + 63) / 64 + 1) | 1) * 64;
}

using RunPanel = void (*)(const StridedPlan& plan, const Panel& panel, std::byte* working);

// Elements that kernels take as lanes.
inline bool is_lane(std::uint64_t bytes) {
  return bytes <= 16 && is_power_of_two(bytes);
}

// What a plan takes, in memcpys of the same bytes.
double strided_cost(const StridedPlan& plan);

// The cheapest way, or the one asked for; nothing where that does not apply. `elements` or `runs`
// always do.
std::optional<StridedPlan> strided_plan(const NormalForm& form, const PermuteOptions& options,
                                        const MachineTuning& machine,
                                        std::optional<Way> wanted = std::nullopt);

void run_strided(const StridedPlan& plan, const std::byte* from, std::byte* to,
                 const Progress& progress);

}  // namespace faro::inline v1::engine
