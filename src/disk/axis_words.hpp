// What a user says of an array's axes: lengths of chunks, orders, reversals.
//
//   365,72,auto            one for each axis; `all` or -1 is the whole axis
//   64                     the same for every axis
//   time=365,lon=auto      by names, the others stay
//   2,0,1    lon,time,lat  an order of axes
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faro/disk/rechunk.hpp"

namespace faro::inline v1::disk {

// Each may be empty. A map moves and reverses whole axes, 't y x -> x ~t y', and stands in place of
// the order and the reversals.
struct AxisTexts {
  std::string chunks, shards;  // of the output
  std::string axes;            // of the output by those of the input
  std::string flip;            // of the output
  std::string map;
};

// Chunks, shards, axes and reversals of the options, for the array at `in` (options.raw says what a
// raw one holds). Throws Error(usage), naming the option of the program.
void read_axes(const AxisTexts& texts, const std::string& in, RechunkOptions& options);

}  // namespace faro::inline v1::disk
