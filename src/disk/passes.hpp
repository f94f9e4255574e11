// How few passes over a file perform an affine map, and which they are.
//
// Memory holds one tile of 2^M elements; I/O happens in aligned runs, 2^r elements where the file
// is first read and 2^w where it is last written. A pass cuts the array into the cosets of a space
// T of at most M dimensions, reads each whole, permutes it in memory and writes it whole. With S_r
// the span of the low r index bits, a pass by the matrix A needs exactly S_r and A^-1 S_w inside T.
//
//   bit reversal of 16 elements, M = 3, r = w = 2: S_2 = {b0, b1}, A^-1 S_2 = {b3, b2}: dimension 4
//   together, more than 3, so one pass cannot; two can, through a layout in runs of 2 elements.
//
// Exactly: k passes exist if and only if
//
//   r + w - o(r, w) + s_1 + ... + s_(k-1)  <=  k M        (r, w, s_i <= M)
//
// where o(r, w) = dim(S_r ∩ A^-1 S_w) and s_i is the shorter side of the runs in which the i-th
// layout between passes is written and read; the longer side may always be a whole tile. Why
// (docs/disk.md has the proof): S_0 ⊂ S_1 ⊂ ... and the A^-1 S_0 ⊂ A^-1 S_1 ⊂ ... are two flags,
// and by the Bruhat decomposition some basis v_0, v_1, ... is adapted to both, so that every affine
// map plans like one permutation q of bits, and planning is counting.
//
// For equal runs 2^B everywhere this says max(1, ceil(rho / (M - B))) passes, rho the rank of the
// lower left (p - B) x B block of A. No way of permuting by loads of the memory does with fewer.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1::disk {

// v[i] has the leading bit i, and A^-1 S_w = span{v[i] : q[i] < w} for every w.
struct AdaptedBasis {
  std::vector<Word> vectors;
  std::vector<int> order;  // q
};
AdaptedBasis adapted_basis(const BitMatrix& matrix);

// dim(S_r ∩ A^-1 S_w).
int overlap(const AdaptedBasis& basis, int read_log2, int write_log2);

// What all passes together are to look like, in log2 of elements.
struct PassShape {
  enum class Whole { write, read };  // which side of a layout between passes is in whole tiles
  int tile = 0;
  int first_read = 0;
  int last_write = 0;
  std::vector<int> between = {};  // s_1 ... s_(k-1)
  std::vector<Whole> whole = {};  // as many

  int passes() const { return static_cast<int>(between.size()) + 1; }
};

// The inequality above.
bool feasible(const AdaptedBasis& basis, const PassShape& shape);

// max(1, ceil(rho / (M - B))) by way of the basis; -1 where no number of passes does it, which is
// so for M = B and rho > 0 only.
int fewest_passes(const AdaptedBasis& basis, int tile_log2, int run_log2);
// The same for the least runs of each kind.
struct LeastRuns {
  int read = 0;     // of the first pass
  int write = 0;    // of the last
  int between = 0;  // of the layouts between
};
int fewest_passes(const AdaptedBasis& basis, int tile_log2, const LeastRuns& runs);

// One pass: `map` on indices, and a basis of the source's tile. The runs are as long as the tile
// allows, at least as long as asked for.
struct DiskPass {
  BitMap map;
  std::vector<Word> tile;
  int read_log2 = 0;
  int write_log2 = 0;
};

// With the longest runs that the tile allows.
DiskPass tiled_pass(const BitMap& map, std::vector<Word> tile);

// Requires a feasible shape with tile <= width.
std::vector<DiskPass> factor(const BitMap& map, const AdaptedBasis& basis, const PassShape& shape);

// Costs of one pass over the array in some unit of time, by log2 of the run.
struct RunCosts {
  std::vector<Count> read;
  std::vector<Count> write;
};
// The cheapest feasible shape whose runs are at least 2^run_log2_min, with `passes` passes if that
// is not 0. Nothing is feasible: an empty list of costs, `found` false.
struct Cheapest {
  bool found = false;
  Count cost = 0;
  PassShape shape;
};
struct Limits {
  int tile = 0;
  LeastRuns runs = {};
  int passes = 0;
};
Cheapest cheapest(const AdaptedBasis& basis, const Limits& limits, const RunCosts& costs);

}  // namespace faro::inline v1::disk
