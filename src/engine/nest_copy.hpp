// Elements copied from one strided place to another: a nest of loops, put into a good order.
//
//   {extent 3, from 400, to 8}, {extent 100, from 4, to 24}     a transpose of 3 x 100
//
// Loops that continue one another become one, what is dense on both sides is one copy, and where
// the two sides have different fastest loops these two go in tiles. A NestCopier gives what is
// large and has no run in common to the engine's plans of any strides, one for each nest that comes
// up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1 {

struct CopyLoop {
  std::uint64_t extent = 1;
  std::int64_t from_stride = 0;  // bytes; 0 repeats one element
  std::int64_t to_stride = 0;
};

class NestCopier {
 public:
  // Below `planned_bytes_min` no plan is made: it would cost more than the copy.
  NestCopier(std::uint64_t element_bytes, std::uint64_t planned_bytes_min)
      : element_(element_bytes), planned_bytes_min_(planned_bytes_min) {}
  // Any threads at the same time, on different elements of `to`.
  void copy(std::vector<CopyLoop> loops, const std::byte* from, std::byte* to) const;

 private:
  bool by_plan(const std::vector<CopyLoop>& loops, const std::byte* from, std::byte* to) const;

  std::uint64_t element_;
  std::uint64_t planned_bytes_min_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::int64_t>, std::shared_ptr<const PermutePlan>> plans_;
};

}  // namespace faro::inline v1
