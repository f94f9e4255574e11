// Fingerprints of an exchange: sums, over all elements, of a hash of the place and the bytes.
#include <fmt/format.h>

#include "algebra/digit_walk.hpp"
#include "faro/base/count.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi/communicator.hpp"
#include "mpi/sums.hpp"

namespace faro::inline v1 {

bool verify_exchange(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                     std::span<const std::byte> from, std::span<const std::byte> to) {
  const mpi::Communicator ranks(communicator);
  mpi::Fingerprint same;
  same.add(element_bytes);
  mpi::add_map(same, map);
  Word elements = 0;
  ranks.agree(same, "map or element size", [&] {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    const Count each = map.elements() / size;
    if (element_bytes == 0 || map.elements() % size != 0 || each > bit(word_bits - 1))
      throw Error(ErrorCode::usage,
                  fmt::format("mpi: {} ranks, a map of {} elements, elements of {} bytes", size,
                              to_string(map.elements()), element_bytes));
    elements = static_cast<Word>(each);
    const std::uint64_t bytes = size_product(elements, element_bytes, "bytes of a rank");
    mpi::check_span(from.data(), from.size(), bytes, "from");
    mpi::check_span(to.data(), to.size(), bytes, "to");
  });
  const Word first = static_cast<Word>(ranks.rank()) * elements;
  mpi::Sums old{};
  mpi::Sums now{};
  if (const BitMap* bits = map.bits()) {
    mpi::add_elements(old, *bits, first, element_bytes, from);
    mpi::add_elements(now, BitMap::identity(bits->width()), first, element_bytes, to);
  } else {
    const radix::DigitPlaces places(map);
    radix::DigitWalk walk(places, first);
    for (Word i = 0; i < elements; ++i, walk.next()) {
      mpi::add_element(old, walk.place(), from.data() + i * element_bytes, element_bytes);
      mpi::add_element(now, first + i, to.data() + i * element_bytes, element_bytes);
    }
  }
  return mpi::agree_sums(ranks, old, now);
}

}  // namespace faro::inline v1
