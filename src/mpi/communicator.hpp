// A communicator of one's own, and how its ranks come to one mind.
//
//   Communicator ranks(comm);
//   ranks.agree(fingerprint, [&] { plan.emplace(...); });     all throw, or none
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "base/mixing.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::mpi {

// Throws Error(environment) with MPI's own words.
void check(int code, const char* what);

// Refuses a span that is not the `wanted` bytes of a rank.
void check_span(const void* data, std::uint64_t found, std::uint64_t wanted, const char* what);

// Thrown by all ranks of a communicator alike.
class AgreedError : public Error {
 public:
  using Error::Error;
};

// 128 bits of whatever must be equal on all ranks.
class Fingerprint {
 public:
  void add(std::uint64_t word);
  std::array<std::uint64_t, 2> value() const { return {a_, b_}; }

 private:
  std::uint64_t a_ = 0x243f6a8885a308d3U;
  std::uint64_t b_ = 0x13198a2e03707344U;
};

class Communicator {
 public:
  // Collective. Error(usage) for MPI_COMM_NULL and where MPI is not running.
  explicit Communicator(MPI_Comm from);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  // Collective. Runs `local`; if it throws on any rank, or fingerprints differ, all ranks throw the
  // same error: that of the lowest rank that failed, or Error(usage) naming the lowest that differs
  // from rank 0. `what` names the thing that must be equal. Returns whether any rank says yes.
  enum class Vote { no, yes };
  bool agree(const Fingerprint& fingerprint, const char* what, const std::function<void()>& local,
             Vote vote = Vote::no) const;
  // Collective; the same on all ranks.
  std::uint64_t sum(std::uint64_t x) const;
  std::uint64_t least(std::uint64_t x) const;
  double most(double x) const;

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

// True between MPI_Init and MPI_Finalize.
bool running();

}  // namespace faro::inline v1::mpi
