#include "mpi/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.hpp"

namespace faro::inline v1::mpi {
namespace {

// Blocks of a step that are under way at the same time.
constexpr Word blocks_under_way = 8;

int count_of(std::uint64_t bytes) {
  FARO_CHECK(bytes <= static_cast<std::uint64_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(bytes);
}

// Memory that is there: a rank that has none finds out while all can still be told.
AlignedBytes touched(std::uint64_t bytes) {
  AlignedBytes memory(bytes);
  std::memset(memory.data(), 0, bytes);
  return memory;
}

}  // namespace

Exchange::Exchange(const ExchangePlan& plan, int rank, How how)
    : plan_(plan), rank_(static_cast<Word>(rank)), how_(how) {
  if (!plan.has_exchange()) return;
  if (plan.keeps_apart(rank_)) {
    of_slice_ = plan.steps() / plan.slices();
    partners_ = of_slice_ - 1;
    for (kept_ = 0; plan.target(rank_, kept_, 0) != rank_;) ++kept_;
  }
  const bool buffered = plan.packs() || plan.unpacks();
  const Word deep = buffered ? 2 : std::max<Word>(2, 2 * blocks_under_way / plan.blocks());
  slots_.resize(std::min(sent_steps(), deep));
  for (Slot& one : slots_) {
    if (plan.packs()) one.send = touched(plan.step_bytes());
    if (plan.unpacks()) one.received = touched(plan.step_bytes());
    one.requests.reserve(2 * blocks_under_way);
  }
}

void Exchange::split(const Communicator& ranks) {
  // Colours are ints; ranks are too.
  check(MPI_Comm_split(ranks.handle(), static_cast<int>(plan_.group_of(rank_)),
                       static_cast<int>(plan_.place_in_group(rank_)), &group_),
        "MPI_Comm_split");
  MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN);
}

void Exchange::free() {
  if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
}

Word Exchange::step_of(Word n) const {
  const Word within = n % partners_;
  return n / partners_ * of_slice_ + within + (within >= kept_ ? 1 : 0);
}

// The next few blocks of a step: received before they are sent, the rank's own copied.
void Exchange::post(const Communicator& ranks, Word n, const std::byte* from, std::byte* to) {
  Slot& now = slot(n);
  const Word step = step_of(n);
  const Word end = std::min(plan_.blocks(), now.next + blocks_under_way);
  const int bytes = count_of(plan_.block_bytes());
  // Of two ranks' messages with one tag the first is received first, and both begin steps in order.
  const int tag = static_cast<int>(step % 2);
  now.requests.clear();
  const std::byte* out = plan_.packs() ? now.send.data() : from;
  std::byte* in = plan_.unpacks() ? now.received.data() : to;
  for (Word block = now.next; block < end; ++block) {
    const Word origin = plan_.origin(rank_, step, block);
    if (origin == rank_) continue;
    now.requests.emplace_back();
    check(MPI_Irecv(in + plan_.receive_offset(rank_, step, block), bytes, MPI_BYTE,
                    static_cast<int>(origin), tag, ranks.handle(), &now.requests.back()),
          "MPI_Irecv");
  }
  for (Word block = now.next; block < end; ++block) {
    const Word target = plan_.target(rank_, step, block);
    const std::byte* at = out + plan_.send_offset(rank_, step, block);
    if (target != rank_) {
      now.requests.emplace_back();
      check(MPI_Isend(at, bytes, MPI_BYTE, static_cast<int>(target), tag, ranks.handle(),
                      &now.requests.back()),
            "MPI_Isend");
    } else if (plan_.origin(rank_, step, block) == rank_) {
      std::memcpy(in + plan_.receive_offset(rank_, step, block), at, plan_.block_bytes());
    }
  }
  now.next = end;
}

void Exchange::begin(const Communicator& ranks, Word n, const std::byte* from, std::byte* to) {
  Slot& now = slot(n);
  now.next = 0;
  if (plan_.packs()) {
    plan_.pack(rank_, step_of(n), {from, plan_.local_bytes()}, now.send.all());
  }
  if (how_ == How::all_to_all) {
    now.requests.assign(1, MPI_REQUEST_NULL);
    const int bytes = count_of(plan_.block_bytes());
    check(MPI_Ialltoall(now.send.data(), bytes, MPI_BYTE, now.received.data(), bytes, MPI_BYTE,
                        group_, now.requests.data()),
          "MPI_Ialltoall");
  } else {
    post(ranks, n, from, to);
  }
}

void Exchange::finish(const Communicator& ranks, Word n, const std::byte* from, std::byte* to) {
  Slot& now = slot(n);
  for (;;) {
    check(MPI_Waitall(static_cast<int>(now.requests.size()), now.requests.data(),
                      MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    if (how_ == How::all_to_all || now.next == plan_.blocks()) break;
    post(ranks, n, from, to);
  }
  if (!plan_.unpacks()) return;
  plan_.unpack(rank_, step_of(n), now.received.all(), {to, plan_.local_bytes()});
}

void Exchange::run(const Communicator& ranks, const std::byte* from, std::byte* to,
                   const Told& told) {
  const Word steps = sent_steps();
  const Word deep = slots_.size();
  const bool keeps = plan_.keeps_apart(rank_);
  const std::uint64_t step_bytes = plan_.local_bytes() / steps;
  for (Word step = 0; step < steps + deep - 1; ++step) {
    if (step < steps) begin(ranks, step, from, to);
    if (step < steps && keeps) {
      plan_.move_kept(rank_, step, steps, {from, plan_.local_bytes()}, {to, plan_.local_bytes()});
    }
    if (step + 1 < deep) continue;
    const Word done = step + 1 - deep;
    finish(ranks, done, from, to);
    if (told) told((done + 1) * step_bytes, plan_.local_bytes());
  }
}

}  // namespace faro::inline v1::mpi
