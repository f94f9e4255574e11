// Elements copied from one strided place to another: a nest of loops, put into a good order.
//
//   {extent 3, from 400, to 8}, {extent 100, from 4, to 24}     a transpose of 3 x 100
//
// Loops that continue one another become one, what is dense on both sides is one copy, and where
// the two sides have different fastest loops these two go in tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace faro::inline v1 {

struct CopyLoop {
  std::uint64_t extent = 1;
  std::int64_t from_stride = 0;  // bytes
  std::int64_t to_stride = 0;
};

void copy_nest(std::vector<CopyLoop> loops, std::uint64_t element_bytes, const std::byte* from,
               std::byte* to);

}  // namespace faro::inline v1
