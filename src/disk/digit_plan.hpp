// One pass over an array whose axes have any length: which blocks of them are its tiles.
//
// What is contiguous in a tile is a run: of a file that is read the fastest digits of the source,
// whole, and a part of the next one; of one that is written those of the destination. Any two such
// wishes can be met together, so that a pass exists for every memory, with runs of about the root
// of a tile at least: (12000, 12000) doubles in tiles of 4 MiB have runs of 4 and 8 KiB.
#pragma once

#include "disk/plan_state.hpp"

namespace faro::inline v1::disk {

// The cheapest by the profile within the memory. Throws Error(impossible), naming the memory that
// would do, where an element does not fit or a run is shorter than asked.
FilePermutePlan::State plan_lengths(const Map& map, std::uint64_t element_bytes,
                                    const FilePlanOptions& options);

// In place, by units (unit_tiles.hpp). Throws Error(impossible) where they are below the shortest
// run, which is a block of the disk unless another is asked for.
FilePermutePlan::State plan_units(const Map& map, std::uint64_t element_bytes,
                                  const FilePlanOptions& options);

}  // namespace faro::inline v1::disk
