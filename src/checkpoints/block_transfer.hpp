// Between a job's part of a whole tensor, which lies in memory, and the blocks of it that a tensor
// in a file holds.
//
//   job rows 2..4 of [8, 6] ; the file has columns 3..6 as [8, 3]:
//     for_each_request: one request of rows 2..4 of [8, 3], 6 elements that are one run of bytes
//
// Blocks that lie side by side in the file (a third of q, of k and of v in each row) go in one
// request, where that is not much more than they are.
#pragma once

#include <functional>
#include <optional>

#include "checkpoints/reshard_plan.hpp"
#include "disk/box_copy.hpp"

namespace faro::inline v1::checkpoints {

// What a request and a block have in common, in both coordinates.
struct Shared {
  Box local;
  Box whole;
  bool is_first = true;
};

struct FileRequest {
  std::uint64_t start_byte = 0;  // in the file
  std::uint64_t bytes = 0;
  Box local;  // one run of the file
  std::vector<Shared> shared;
};

// Of the part `box` of the whole tensor. `exact`: no byte that belongs to no block; for writing.
// `only_first` leaves out blocks that another place has too.
struct TransferOptions {
  bool exact = false;
  bool only_first = false;
  std::uint64_t bytes_max = 0;
};
void for_each_request(const Place& place, const Box& box, std::uint64_t element,
                      const TransferOptions& options,
                      const std::function<void(const FileRequest&)>& work);

// Whether `part` is one run of an array that holds `outer` in C order.
bool is_run(const Box& part, const Box& outer);
disk::BoxCell cell_of(std::byte* base, const Box& where, std::uint64_t element);

}  // namespace faro::inline v1::checkpoints
