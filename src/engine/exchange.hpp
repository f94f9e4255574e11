// A tensor map in place. An involution exchanges what lies at two places, both ends at once:
//
//   r=6001 c=6001 -> c r      blocks: block (i, j) and block (j, i) go through the kernels into two
//                             stages, which are written to each other's place
//   a=100 b=999 -> a ~b       rows: the fastest axis runs backwards
//   a=30 b=30 c=500 -> b a c  units: what stays together changes places
//
// Any other map by its cycles: a unit is held, those that follow move up. One bit of memory a unit:
//
//   r=7 c=300 x=1000 -> c r x     cycles, units of 1000 elements
//   r=100 c=300 -> c r            cycles of rows of 100 within 100 x (3 x 100), then 3 squares
//
// Digits that are rolled are rolled when the rest is done, one pass each:
//
//   r=100 c=12 -> r roll(~c, 5)   rows, then rolls: the ranges of 7 and 5 elements change places
#pragma once

#include <optional>
#include <vector>

#include "engine/normal_form.hpp"
#include "engine/strided_plan.hpp"
#include "faro/base/progress.hpp"

namespace faro::inline v1::engine {

struct Exchange {
  enum class Way { blocks, rows, units, cycles, rolls };

  NormalForm form;
  Way way = Way::units;
  // Of blocks: D and S, one axis each; of rows: D.
  int d = -1;
  int s = -1;
  std::vector<int> outer;
  std::vector<Offset> cuts{0, 1};  // of either axis: where blocks begin, and the end
  StridedPlan there;               // from a block to a stage
  StridedPlan back;                // from its partner's
  Offset stage_row = 0;
  Offset stage_bytes = 0;
  int threads = 1;
  // Of cycles, in an array without gaps.
  Map inverse;
  std::uint64_t element_bytes = 1;
  // Of rolls, in an array without gaps: each range of so many bytes is rolled by so many.
  std::uint64_t range_bytes = 0;
  std::uint64_t roll_bytes = 0;

  Word blocks() const { return static_cast<Word>(cuts.size() - 1); }
  std::uint64_t working_bytes() const;
};
const char* name(Exchange::Way way);

// A map of an array without gaps as one that rolls nothing, and the rolls that come after it.
// Requires elements whose bytes fit an address.
struct RollsApart {
  Map plain;
  std::vector<Exchange> rolls;
};
RollsApart rolls_apart(const Map& map, std::uint64_t element_bytes, const PermuteOptions& options);

// A destination of which nothing is told is where the source is.
TensorShape shape_in_place(TensorShape shape);

// The map as exchanges and cycles, one after another. Throws Error(impossible) for arrays that do
// not stay where they are, and for what would move units shorter than `cycles_run_min` by their
// cycles, unless the options allow it.
inline constexpr std::uint64_t cycles_run_min = 1024;
std::vector<Exchange> plan_in_place(const Map& map, const TensorShape& shape,
                                    const PermuteOptions& options);

void run_exchange(const Exchange& plan, std::byte* data, const Progress& progress);

}  // namespace faro::inline v1::engine
