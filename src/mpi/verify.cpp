// Fingerprints of an exchange: sums, over all elements, of a hash of the place and the bytes.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "faro/base/count.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1 {
namespace {

using Sums = std::array<std::uint64_t, 2>;

void add_element(Sums& sums, Word place, const std::byte* element, std::uint64_t bytes) {
  std::uint64_t a = mpi::mixed(place + 0x9e3779b97f4a7c15U);
  std::uint64_t b = mpi::mixed(place ^ 0xd1342543de82ef95U);
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, element + at, std::min<std::uint64_t>(8, bytes - at));
    a = mpi::mixed(a ^ word) + 1;
    b = mpi::mixed(b + word) ^ 0x5851f42d4c957f2dU;
  }
  sums[0] += a;
  sums[1] += b;
}

// Places of consecutive indices, some at a time.
Sums sums_of(const BitMap& map, Word first, std::uint64_t element_bytes,
             std::span<const std::byte> data) {
  constexpr std::uint64_t piece = 4096;
  const std::uint64_t elements = data.size() / element_bytes;
  std::vector<Word> places(std::min(piece, elements));
  Sums sums{};
  for (std::uint64_t i = 0; i < elements; i += piece) {
    const std::span<Word> now(places.data(), std::min(piece, elements - i));
    apply_consecutive(map, first + i, now);
    for (std::uint64_t k = 0; k < now.size(); ++k) {
      add_element(sums, now[k], data.data() + (i + k) * element_bytes, element_bytes);
    }
  }
  return sums;
}

}  // namespace

bool verify_exchange(MPI_Comm communicator, const BitMap& map, std::uint64_t element_bytes,
                     std::span<const std::byte> from, std::span<const std::byte> to) {
  const mpi::Communicator ranks(communicator);
  mpi::Fingerprint same;
  same.add(element_bytes);
  same.add(hash_of(map));
  std::uint64_t elements = 0;
  ranks.agree(same, "map or element size", [&] {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    if (!is_power_of_two(size) || log2_exact(size) > map.width() || element_bytes == 0) {
      throw Error(ErrorCode::usage,
                  fmt::format("mpi: {} ranks, a map of {} bits, elements of {} bytes", size,
                              map.width(), element_bytes));
    }
    const int local_bits = map.width() - log2_exact(size);
    elements = local_bits == word_bits ? 0 : bit(local_bits);
    const std::uint64_t bytes = size_product(elements, element_bytes, "bytes of a rank");
    if (from.size() != bytes || to.size() != bytes) {
      throw Error(ErrorCode::usage, fmt::format("mpi: arrays of {} and {} bytes; the map has {}",
                                                from.size(), to.size(), bytes));
    }
  });
  const Word first = static_cast<Word>(ranks.rank()) * elements;
  const Sums old = sums_of(map, first, element_bytes, from);
  const Sums now = sums_of(BitMap::identity(map.width()), first, element_bytes, to);
  bool same_sums = true;
  for (std::size_t k = 0; k < 2; ++k) same_sums = ranks.sum(old[k] - now[k]) == 0 && same_sums;
  return same_sums;
}

}  // namespace faro::inline v1
