// Cuts the blocks of a place into requests that each are one run of its file.
#include "checkpoints/block_transfer.hpp"

#include <algorithm>

#include "disk/box_runs.hpp"

namespace faro::inline v1::checkpoints {
namespace {

// The part of a whole tensor, where the block has it in the file.
Box local_of(const PlacedBlock& block, const Box& whole) {
  Box local = whole;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    local[k].begin = whole[k].begin - block.whole[k].begin + block.local[k].begin;
    local[k].end = whole[k].end - block.whole[k].begin + block.local[k].begin;
  }
  return local;
}

Box around(const std::vector<Shared>& all) {
  Box box = all[0].local;
  for (const Shared& one : all)
    for (std::size_t k = 0; k < box.size(); ++k) {
      box[k].begin = std::min(box[k].begin, one.local[k].begin);
      box[k].end = std::max(box[k].end, one.local[k].end);
    }
  return box;
}

}  // namespace

void for_each_request(const Place& place, const Box& box, std::uint64_t element,
                      const TransferOptions& options,
                      const std::function<void(const FileRequest&)>& work) {
  std::vector<Shared> all;
  std::uint64_t elements = 0;
  for (const PlacedBlock& block : place.blocks) {
    if (options.only_first && !block.is_first) continue;
    const Box whole = disk::common_box(block.whole, box);
    if (disk::elements_of(whole) == 0) continue;
    all.push_back({local_of(block, whole), whole, block.is_first});
    elements += disk::elements_of(whole);
  }
  if (all.empty()) return;
  const auto requests = [&](const Box& bound, const std::vector<Shared>& blocks) {
    disk::for_each_piece(bound, place.lengths, element, options.bytes_max, [&](const Box& piece) {
      FileRequest request;
      request.start_byte = place.start_byte + disk::byte_of(piece, place.lengths, nullptr, element);
      request.bytes = disk::elements_of(piece) * element;
      request.local = piece;
      for (const Shared& block : blocks) {
        const Box local = disk::common_box(block.local, piece);
        if (disk::elements_of(local) == 0) continue;
        Box whole = local;
        for (std::size_t k = 0; k < whole.size(); ++k) {
          whole[k].begin = local[k].begin - block.local[k].begin + block.whole[k].begin;
          whole[k].end = local[k].end - block.local[k].begin + block.whole[k].begin;
        }
        request.shared.push_back({local, whole, block.is_first});
      }
      work(request);
    });
  };
  const Box bound = around(all);
  const std::uint64_t around_elements = disk::elements_of(bound);
  if (around_elements == elements || (!options.exact && around_elements - elements <= elements / 4))
    return requests(bound, all);
  for (const Shared& one : all) requests(one.local, {one});
}

bool is_run(const Box& part, const Box& outer) {
  std::size_t k = 0;
  while (k < part.size() && part[k].length() == 1) ++k;
  for (++k; k < part.size(); ++k)
    if (!(part[k] == outer[k])) return false;
  return true;
}

disk::BoxCell cell_of(std::byte* base, const Box& where, std::uint64_t element) {
  return {base, where, disk::c_strides(disk::lengths_of(where), element)};
}

}  // namespace faro::inline v1::checkpoints
