// Small JSON beside the tensors: the index of a sharded set, the numbers of a model's config.json,
// the digests that a resharding leaves. Parsed whole, so bounded.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "checkpoints/layout.hpp"

namespace faro::inline v1::checkpoints {

inline constexpr const char* digests_name = "faro-digests.json";

// Of each tensor the file it is in. Throws Error(usage) for what is no index, or names a file
// outside of its folder.
std::map<std::string, std::string> read_index(const std::string& path);
// {"metadata": {"total_size": ..}, "weight_map": {..}}, as transformers writes it.
std::string index_text(std::uint64_t bytes, const std::map<std::string, std::string>& files);

// heads, kv_heads, vocab and tied of config.json in the folder, where it is there and says so.
void suppose_config(Layout& layout, const std::string& folder);

// The published digest of each tensor; none where the file is not there.
std::map<std::string, std::string> read_digests(const std::string& folder);
struct TensorDigest {
  SafeTensor tensor;
  std::string digest;
};
std::string digests_text(const std::vector<TensorDigest>& digests);

}  // namespace faro::inline v1::checkpoints
