#include "mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/mixing.hpp"

namespace faro::inline v1::mpi {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  throw Error(
      ErrorCode::environment,
      fmt::format("{}: {}", what, std::string_view(text.data(), static_cast<std::size_t>(length))));
}

void check_span(const void* data, std::uint64_t found, std::uint64_t wanted, const char* what) {
  if (found != wanted)
    throw Error(ErrorCode::usage, fmt::format("mpi: {} has {} bytes; the plan moves {} of a rank",
                                              what, found, wanted));
  if (data == nullptr && wanted != 0)
    throw Error(ErrorCode::usage, fmt::format("mpi: {} is a null pointer", what));
}

void Fingerprint::add(std::uint64_t word) {
  a_ = mixed(a_ ^ word) + 0x9e3779b97f4a7c15U;
  b_ = mixed(b_ + word * 0xd1342543de82ef95U) + 1;
}

bool running() {
  int begun = 0;
  int ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

Communicator::Communicator(MPI_Comm from) {
  if (!running()) {
    throw Error(ErrorCode::usage,
                "mpi: MPI is not running; plans are made between MPI_Init and MPI_Finalize");
  }
  if (from == MPI_COMM_NULL) {
    throw Error(ErrorCode::usage, "mpi: the communicator is MPI_COMM_NULL");
  }
  check(MPI_Comm_dup(from, &handle_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(handle_, &rank_);
  MPI_Comm_size(handle_, &size_);
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && running()) MPI_Comm_free(&handle_);
}

bool Communicator::agree(const Fingerprint& fingerprint, const char* what,
                         const std::function<void()>& local, Vote vote) const {
  // More than a vote, so that the largest says it.
  constexpr std::uint64_t has_failed = 2;
  std::uint64_t state = vote == Vote::yes ? 1 : 0;
  std::string words;
  auto code = ErrorCode::internal;
  try {
    local();
  } catch (const Error& error) {
    state = has_failed;
    code = error.code();
    words = error.what();
  } catch (const std::bad_alloc&) {
    state = has_failed;
    code = ErrorCode::environment;
    words = "mpi: there is not enough memory; a smaller buffer or more ranks may do";
  } catch (const std::exception& error) {
    state = has_failed;
    words = error.what();
  } catch (...) {
    state = has_failed;
    words = "mpi: what was thrown is no std::exception";
  }
  // The largest of h and of ~h: equal on all ranks exactly if the two are each other's complement.
  const auto h = fingerprint.value();
  const std::array<std::uint64_t, 5> mine{state, h[0], h[1], ~h[0], ~h[1]};
  std::array<std::uint64_t, 5> most{};
  check(MPI_Allreduce(mine.data(), most.data(), 5, MPI_UINT64_T, MPI_MAX, handle_),
        "MPI_Allreduce");
  if (most[0] != has_failed && most[1] == ~most[3] && most[2] == ~most[4]) return most[0] == 1;

  // From here on something is wrong, and all ranks know it.
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size_) * 5);
  check(MPI_Allgather(mine.data(), 5, MPI_UINT64_T, all.data(), 5, MPI_UINT64_T, handle_),
        "MPI_Allgather");
  const auto of = [&](int rank) { return all.begin() + static_cast<std::ptrdiff_t>(rank) * 5; };
  for (int rank = 0; rank < size_; ++rank) {
    if (*of(rank) != has_failed) continue;
    std::array<int, 2> head{static_cast<int>(code), static_cast<int>(words.size())};
    check(MPI_Bcast(head.data(), 2, MPI_INT, rank, handle_), "MPI_Bcast");
    words.resize(static_cast<std::size_t>(head[1]));
    check(MPI_Bcast(words.data(), head[1], MPI_CHAR, rank, handle_), "MPI_Bcast");
    throw AgreedError(static_cast<ErrorCode>(head[0]), fmt::format("rank {}: {}", rank, words));
  }
  for (int rank = 1; rank < size_; ++rank) {
    if (std::equal(of(rank) + 1, of(rank) + 5, all.begin() + 1)) continue;
    throw AgreedError(ErrorCode::usage,
                      fmt::format("mpi: rank {} was given another {} than rank 0; all ranks of a "
                                  "communicator must ask for the same",
                                  rank, what));
  }
  return false;
}

std::uint64_t Communicator::sum(std::uint64_t x) const {
  std::uint64_t all = 0;
  check(MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_SUM, handle_), "MPI_Allreduce");
  return all;
}

std::uint64_t Communicator::least(std::uint64_t x) const {
  std::uint64_t all = 0;
  check(MPI_Allreduce(&x, &all, 1, MPI_UINT64_T, MPI_MIN, handle_), "MPI_Allreduce");
  return all;
}

double Communicator::most(double x) const {
  double all = 0;
  check(MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, handle_), "MPI_Allreduce");
  return all;
}

}  // namespace faro::inline v1::mpi
