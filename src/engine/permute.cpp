// The one call in memory: a plan, made and executed.
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1 {

Map map_of(std::string_view text, std::size_t elements) {
  return say(text, {.elements = Count{elements}}).map;
}

void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options) {
  PermutePlan::out_of_place(map, shape, options).execute(from, to);
}

void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options) {
  PermutePlan::in_place(map, shape, options).execute_in_place(data);
}

void permute_bytes(const Map& map, std::uint64_t element_bytes, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options) {
  if (const BitMap* bits = map.bits())
    return permute_bytes(*bits, {.element_bytes = element_bytes}, from, to, options);
  PermutePlan::out_of_place(map, {element_bytes, {}, {}}, options).execute(from, to);
}

void permute_bytes_in_place(const Map& map, std::uint64_t element_bytes, std::span<std::byte> data,
                            const PermuteOptions& options) {
  if (const BitMap* bits = map.bits())
    return permute_bytes_in_place(*bits, {.element_bytes = element_bytes}, data, options);
  PermutePlan::in_place(map, {element_bytes, {}, {}}, options).execute_in_place(data);
}

}  // namespace faro::inline v1
