// All ranks of an exchange in one process: messages are copied from one array to the other.
#include <fmt/format.h>

#include <cstring>

#include "base/aligned_bytes.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1 {
namespace {

// The steps of all ranks, one after another; from and to are one array in place.
class Loopback {
 public:
  Loopback(const ExchangePlan& plan, const std::byte* from, std::byte* to)
      : plan_(plan), from_(from), to_(to) {
    if (plan.packs()) send_ = AlignedBytes(plan.ranks() * plan.step_bytes());
    if (plan.unpacks()) received_ = AlignedBytes(plan.ranks() * plan.step_bytes());
  }

  LoopbackCounts run() {
    for (Word step = 0; step < plan_.steps(); ++step) {
      for (Word rank = 0; plan_.packs() && rank < plan_.ranks(); ++rank) {
        if (is_kept(rank, step)) continue;
        plan_.pack(rank, step, {from_ + rank * plan_.local_bytes(), plan_.local_bytes()},
                   send_.all().subspan(rank * plan_.step_bytes(), plan_.step_bytes()));
      }
      for (Word rank = 0; rank < plan_.ranks(); ++rank) carry(rank, step);
      for (Word rank = 0; plan_.unpacks() && rank < plan_.ranks(); ++rank) {
        if (is_kept(rank, step)) continue;
        plan_.unpack(rank, step,
                     received_.all().subspan(rank * plan_.step_bytes(), plan_.step_bytes()),
                     {to_ + rank * plan_.local_bytes(), plan_.local_bytes()});
      }
    }
    for (Word rank = 0; rank < plan_.ranks(); ++rank) {
      if (!plan_.keeps_apart(rank)) continue;
      constexpr Word shares = 3;
      const std::uint64_t bytes = plan_.local_bytes();
      for (Word share = 0; share < shares; ++share) {
        plan_.move_kept(rank, share, shares, {from_ + rank * bytes, bytes},
                        {to_ + rank * bytes, bytes});
      }
    }
    return counts_;
  }

 private:
  bool is_kept(Word rank, Word step) const {
    return plan_.keeps_apart(rank) && plan_.target(rank, step, 0) == rank;
  }
  void carry(Word rank, Word step) {
    if (is_kept(rank, step)) return;
    const std::uint64_t bytes = plan_.block_bytes();
    for (Word block = 0; block < plan_.blocks(); ++block) {
      const Word target = plan_.target(rank, step, block);
      const std::byte* out = (plan_.packs() ? send_.data() + rank * plan_.step_bytes()
                                            : from_ + rank * plan_.local_bytes()) +
                             plan_.send_offset(rank, step, block);
      std::byte* in = (plan_.unpacks() ? received_.data() + target * plan_.step_bytes()
                                       : to_ + target * plan_.local_bytes()) +
                      plan_.receive_offset(target, step, block);
      std::memcpy(in, out, bytes);
      if (target == rank) continue;
      ++counts_.messages;
      counts_.bytes += bytes;
    }
  }

  const ExchangePlan& plan_;
  const std::byte* from_;
  std::byte* to_;
  AlignedBytes send_, received_;
  LoopbackCounts counts_;
};

void check(const ExchangePlan& plan, std::uint64_t bytes, bool in_place) {
  const std::uint64_t wanted = size_product(plan.ranks(), plan.local_bytes(), "bytes of all ranks");
  if (bytes != wanted) {
    throw Error(ErrorCode::usage,
                fmt::format("exchange: {} bytes; all ranks together have {}", bytes, wanted));
  }
  if (plan.options().in_place != in_place) {
    throw Error(ErrorCode::usage, in_place ? "exchange: this plan moves data to other arrays; make "
                                             "it with in_place"
                                           : "exchange: this plan moves data in place");
  }
}

}  // namespace

LoopbackCounts exchange_in_process(const ExchangePlan& plan, std::span<const std::byte> from,
                                   std::span<std::byte> to) {
  check(plan, from.size(), false);
  check(plan, to.size(), false);
  if (plan.has_exchange()) return Loopback(plan, from.data(), to.data()).run();
  for (Word rank = 0; rank < plan.ranks(); ++rank) {
    PermutePlan::out_of_place(plan.local_map(rank), {.element_bytes = plan.element_bytes()},
                              {.simd = plan.options().simd})
        .execute(from.subspan(rank * plan.local_bytes(), plan.local_bytes()),
                 to.subspan(rank * plan.local_bytes(), plan.local_bytes()));
  }
  return {};
}

LoopbackCounts exchange_in_process_in_place(const ExchangePlan& plan, std::span<std::byte> data) {
  check(plan, data.size(), true);
  LoopbackCounts counts;
  if (plan.has_exchange()) counts = Loopback(plan, data.data(), data.data()).run();
  for (Word rank = 0; plan.has_local_map() && rank < plan.ranks(); ++rank) {
    PermutePlan::in_place(plan.local_map(rank), {.element_bytes = plan.element_bytes()},
                          {.simd = plan.options().simd})
        .execute_in_place(data.subspan(rank * plan.local_bytes(), plan.local_bytes()));
  }
  return counts;
}

}  // namespace faro::inline v1
