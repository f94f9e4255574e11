// Judges a list of passes from the definition, by means that the planner does not use: ranks of
// matrices of any width, and for small arrays every element walked through every pass.
//
// Each returns what is wrong, or nothing.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "disk/digit_tiles.hpp"
#include "disk/passes.hpp"

namespace faro::inline v1::disk {

// The maps compose to `goal`; every tile is a space of at most tile_log2 dimensions that holds the
// runs read and the runs written, which are as long as claimed. Some microseconds at 64 bits.
std::optional<std::string> wrong_by_ranks(const BitMap& goal, std::span<const DiskPass> passes,
                                          int tile_log2);

// Of a pass in place: its tiles are written to places of tiles.
std::optional<std::string> wrong_in_place(const DiskPass& pass);

// Of axes of any length: blocks of the lengths and a space of the bits, which have at most so many
// elements and hold runs as long as claimed, in elements, on both sides. Tiles are then the cosets
// of the space in all blocks, so that each element is in one.
struct ClaimedRuns {
  Count read = 0;
  Count write = 0;
};
std::optional<std::string> wrong_blocks(const DigitPass& pass, const ClaimedRuns& runs,
                                        Count tile_elements);

// Walks all elements: every tile reads whole aligned runs and writes whole aligned runs, all is
// read and written exactly once in each pass, and every element ends at goal(i). Requires a width
// of at most limits::file_plan_walked_log2_max.
std::optional<std::string> wrong_by_enumeration(const BitMap& goal,
                                                std::span<const DiskPass> passes, int tile_log2);

// What no way of permuting by loads of the memory undercuts: max(1, ceil(rank / (M - B))), with the
// rank of the block of the matrix that maps low bits to high ones. Nothing: impossible in any
// number.
std::optional<int> passes_bound(const BitMatrix& matrix, int tile_log2, int run_log2);
int low_to_high_rank(const BitMatrix& matrix, int run_log2);

}  // namespace faro::inline v1::disk
