// What is said of an array's axes on the command line: lengths of chunks, orders, reversals.
//
//   365,72,auto            one for each axis; `all` is the whole axis
//   time=365,lon=auto      by names, the others stay
//   2,0,1    lon,time,lat  an order of axes
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faro/disk/rechunk.hpp"

namespace faro::cli {

// Axes of the output with their names, where there are any.
struct OutputAxes {
  std::vector<std::size_t> axes;  // of the input; empty: as they are
  std::vector<bool> reversed;
  ArrayWords words;  // of the output, with the input's chunks
};

// `order`, `flip` or `map` may be empty; a map moves whole axes: 't y x -> x ~t y'.
OutputAxes output_axes(const ArrayWords& input, const std::string& order, const std::string& flip,
                       const std::string& map);

// Throws Error(usage), naming the option. `others` are what is left out.
std::vector<std::uint64_t> lengths_from(const std::string& text, const std::string& option,
                                        const ArrayWords& words,
                                        const std::vector<std::uint64_t>& others);

}  // namespace faro::cli
