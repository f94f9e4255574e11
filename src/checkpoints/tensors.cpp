// Single tensors of a checkpoint: where each lies, and what a rank of a layout has of it.
#include <algorithm>

#include "base/require.hpp"
#include "checkpoints/file_set.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/layout.hpp"
#include "faro/checkpoints/checkpoints.hpp"

namespace faro::inline v1 {

std::vector<CheckpointTensor> checkpoint_tensors(const std::string& path) {
  const checkpoints::FileSet set = checkpoints::open_whole_files(path);
  std::vector<CheckpointTensor> all;
  for (std::size_t i = 0; i < set.ranks[0].size(); ++i) {
    const checkpoints::SafeTensor& tensor = set.ranks[0][i];
    const checkpoints::HeldFile& file = set.files[set.file_of[0][i]];
    all.push_back({tensor.name, std::string(tensor.type->name), std::string(tensor.type->numpy),
                   tensor.type->bytes, tensor.shape, set.folder + "/" + file.name,
                   file.header.data_start + tensor.begin});
  }
  std::sort(all.begin(), all.end(), [](const CheckpointTensor& a, const CheckpointTensor& b) {
    return checkpoints::natural_less(a.name, b.name);
  });
  return all;
}

std::optional<CheckpointShare> checkpoint_share(const std::string& path, const std::string& words,
                                                std::uint64_t rank, const std::string& name) {
  const checkpoints::FileSet set = checkpoints::open_whole_files(path);
  checkpoints::Layout layout = checkpoints::Layout::parse(words);
  layout.fusions.clear();
  checkpoints::suppose_config(layout, set.folder);
  require(rank < layout.ranks(), "rank {}: '{}' has ranks 0 to {}", rank, words,
          layout.ranks() - 1);
  for (const checkpoints::LocalTensor& local : checkpoints::place_tensors(layout, set.ranks[0])) {
    if (local.rank != rank || local.name != name) continue;
    CheckpointShare share{local.shape, {}};
    for (const checkpoints::LocalBlock& block : local.blocks) {
      CheckpointPart part;
      for (std::size_t k = 0; k < block.whole.size(); ++k) {
        part.whole_start.push_back(block.whole[k].begin);
        part.local_start.push_back(block.local[k].begin);
        part.extent.push_back(block.whole[k].length());
      }
      share.parts.push_back(part);
    }
    return share;
  }
  return std::nullopt;
}

}  // namespace faro::inline v1
