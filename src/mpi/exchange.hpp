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
  // Of the n-th step in which this rank sends.
  void begin(const Communicator& ranks, Word n, const std::byte* from, std::byte* to);
  void post(const Communicator& ranks, Word n, const std::byte* from, std::byte* to);
  void finish(const Communicator& ranks, Word n, const std::byte* from, std::byte* to);
  Word sent_steps() const { return plan_.steps() / of_slice_ * partners_; }
  Word step_of(Word n) const;
  Slot& slot(Word n) { return slots_[n % slots_.size()]; }

  const ExchangePlan& plan_;
  Word rank_;
  How how_;
  MPI_Comm group_ = MPI_COMM_NULL;
  // Steps of a slice, those in which this rank sends, and the one in which it does not.
  Word of_slice_ = 1;
  Word partners_ = 1;
  Word kept_ = 1;
  std::vector<Slot> slots_;
};

}  // namespace faro::inline v1::mpi
