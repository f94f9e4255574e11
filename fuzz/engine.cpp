// Any bytes as a map, a shape and options: the engine against the obvious loop, out of place and in
// place.
//
//   byte 0  width (0..12)       1  element bytes (1..40)    2  outer (1..8)     3  inner (1..4)
//   byte 4  kernels             5  stores, threads          6  offsets of the buffers
//   then two bytes a column; a column that depends on those before it becomes an independent one
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const int width = static_cast<int>(bytes.next() % 13);
  const faro::PermuteShape shape{.element_bytes = 1 + bytes.next() % 40,
                                 .outer = 1 + bytes.next() % 8,
                                 .inner = 1 + bytes.next() % 4};
  faro::PermuteOptions options;
  options.simd = fuzz::kernels_of(bytes.next());
  const std::uint64_t how = bytes.next();
  options.stores = (how & 1U) != 0 ? faro::Stores::streaming : faro::Stores::ordinary;
  options.threads = 1 + static_cast<int>((how >> 1U) % 3);
  const std::uint64_t offsets = bytes.next();
  const faro::BitMap map = fuzz::bits_of(bytes, width);
  try {
    const auto plan = faro::PermutePlan::out_of_place(map, shape, options);
    const auto in_place = faro::PermutePlan::in_place(map, shape, options);
    const std::size_t count = plan.data_bytes();
    std::vector<std::byte> from(count + (offsets & 15U));
    std::vector<std::byte> to(count + (offsets >> 4U));
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = static_cast<std::byte>((i * 0x9e3779b97f4a7c15U) >> 56U);
    }
    const auto source = std::span(from).last(count);
    const auto result = std::span(to).last(count);
    plan.execute(source, result);
    if (faro::reference_compare(map, shape, source.data(), result.data()).found) std::abort();
    std::copy(source.begin(), source.end(), result.begin());
    in_place.execute_in_place(result);
    if (faro::reference_compare(map, shape, source.data(), result.data()).found) std::abort();
  } catch (const faro::InternalError&) {
    std::abort();
  } catch (const faro::Error& error) {
    // Only kernels that this CPU lacks may be refused.
    if (error.code() != faro::ErrorCode::impossible) std::abort();
  }
  return 0;
}
