// Fingerprints of an exchange: sums, over all elements, of a hash of the place and the bytes.
#include <fmt/format.h>

#include "faro/base/count.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"
#include "mpi/sums.hpp"

namespace faro::inline v1 {

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
    if (bytes != 0 && (from.data() == nullptr || to.data() == nullptr)) {
      throw Error(ErrorCode::usage, "mpi: an array to verify is a null pointer");
    }
  });
  const Word first = static_cast<Word>(ranks.rank()) * elements;
  mpi::Sums old{};
  mpi::Sums now{};
  mpi::add_elements(old, map, first, element_bytes, from);
  mpi::add_elements(now, BitMap::identity(map.width()), first, element_bytes, to);
  return mpi::agree_sums(ranks, old, now);
}

}  // namespace faro::inline v1
