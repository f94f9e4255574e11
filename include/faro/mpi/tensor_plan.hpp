// An array with axes of any length on the ranks of an MPI communicator: any tensor map whose digits
// can be cut between ranks.
//
//   const auto text = say("r=12000 c=12000 -> c r");
//   faro::MpiTensorPlan plan(MPI_COMM_WORLD, text.map, 8);      8 ranks, 1500 rows each
//   plan.execute(from, to);
//
// Rank r holds the elements r * N .. (r + 1) * N - 1. What goes between ranks is bits, in units of
// what moves as one (1500 x 1500 elements above); each rank rearranges its own elements before and
// after, where they do not lie so already. A unit that is more than a quarter of the buffer goes in
// slices. The number of ranks must be a power of two and divide the digits that the cut meets on
// either side: 12001 rows are refused with Error(impossible). What MpiPlan says of errors, of
// threads and of MPI_Finalize holds here.
#pragma once

#include "faro/algebra/map.hpp"
#include "faro/mpi/mpi_plan.hpp"

namespace faro::inline v1 {

class MpiTensorPlan {
 public:
  // Not in place: Error(usage).
  MpiTensorPlan(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                const MpiOptions& options = {});
  ~MpiTensorPlan();
  MpiTensorPlan(MpiTensorPlan&&) noexcept;
  MpiTensorPlan& operator=(MpiTensorPlan&&) noexcept;

  // Spans of local_bytes() that do not overlap. Takes as much memory again where elements are
  // rearranged before or after.
  void execute(std::span<const std::byte> from, std::span<std::byte> to);

  std::uint64_t local_bytes() const;
  // Of one slice, on units.
  const ExchangePlan& exchange() const;
  std::uint64_t slices() const;
  std::uint64_t unit_elements() const;
  // Of a rank's elements; the identity where nothing is rearranged.
  const Map& before() const;
  const Map& after() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// As verify_exchange of a bit map (mpi_plan.hpp).
bool verify_exchange(MPI_Comm communicator, const Map& map, std::uint64_t element_bytes,
                     std::span<const std::byte> from, std::span<const std::byte> to);

}  // namespace faro::inline v1
