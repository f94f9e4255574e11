#include "faro/engine/permute.hpp"

namespace faro {

void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options) {
  PermutePlan::out_of_place(map, shape, options).execute(from, to);
}

void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options) {
  PermutePlan::in_place(map, shape, options).execute_in_place(data);
}

}  // namespace faro
