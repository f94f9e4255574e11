// Performs the steps of an ExchangePlan with messages. Two steps alternate: one is packed while the
// other travels. Of steps that need no buffer more are under way, as their messages may be short.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/aligned_bytes.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1::mpi {

// Takes its buffers when it is made.
class Exchange {
 public:
  enum class How { pairwise, all_to_all };

  Exchange(const ExchangePlan& plan, int rank, How how);

  // Collective: the communicator of a rank's group. Before all_to_all.
  void split(const Communicator& ranks);
  void use(How how) { how_ = how; }
  // from == to in place. `told` after each step, if there is one.
  using Told = std::function<void(std::uint64_t done, std::uint64_t total)>;
  void run(const Communicator& ranks, const std::byte* from, std::byte* to, const Told& told);
  void free();

 private:
  struct Slot {
    AlignedBytes send, received;
    std::vector<MPI_Request> requests;
    Word next = 0;  // the first block that has not been posted
  };
  void begin(const Communicator& ranks, Word step, const std::byte* from, std::byte* to);
  void post(const Communicator& ranks, Word step, const std::byte* from, std::byte* to);
  void finish(const Communicator& ranks, Word step, const std::byte* from, std::byte* to);
  Slot& slot(Word step) { return slots_[step % slots_.size()]; }

  const ExchangePlan& plan_;
  Word rank_;
  How how_;
  MPI_Comm group_ = MPI_COMM_NULL;
  std::vector<Slot> slots_;
};

}  // namespace faro::inline v1::mpi
