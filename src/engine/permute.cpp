#include "faro/engine/permute.hpp"

#include <string>

#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1 {

BitMap map_of(std::string_view text, std::size_t elements) {
  if (!is_power_of_two(elements))
    throw Error(ErrorCode::usage,
                std::to_string(elements) + " elements; a map of index bits needs a power of two");
  return say(text, {.elements = Count{elements}}).map.as_bits();
}

void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options) {
  PermutePlan::out_of_place(map, shape, options).execute(from, to);
}

void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options) {
  PermutePlan::in_place(map, shape, options).execute_in_place(data);
}

}  // namespace faro::inline v1
