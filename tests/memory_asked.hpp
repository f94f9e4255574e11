// What a call asks of memory: how often, and how many bytes in all. This count is the same on every
// machine, where a time is not: work that grows where it should not asks more often, or for more.
//
//   const MemoryAsked asked = memory_asked([&] { PermutePlan::out_of_place(map); });
//   EXPECT_LT(asked.times, 2000U);
//
// Of this thread alone. A sanitizer has requests of its own, so there nothing is counted: all is 0.
#pragma once

#include <cstdint>

namespace faro::testing {

struct MemoryAsked {
  std::uint64_t times = 0;
  std::uint64_t bytes = 0;
};

MemoryAsked memory_asked_so_far();

template <class Work>
MemoryAsked memory_asked(Work&& work) {
  const MemoryAsked before = memory_asked_so_far();
  work();
  const MemoryAsked after = memory_asked_so_far();
  return {after.times - before.times, after.bytes - before.bytes};
}

}  // namespace faro::testing
