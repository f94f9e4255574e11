// Work cut into parts that some threads take as they get free.
//
//   in_parallel(2, 16, [&](std::uint64_t part, int worker) { ... });
//
// The caller works too, and helpers that are started when first needed and then wait, asleep, for
// the next call. What holds:
//
//   - Every part is done once, by some worker number below `threads`; one number is never at work
//     on two parts at once. Nothing else about order or threads is said.
//   - The first exception of a part reaches the caller, after all workers have left; parts not yet
//     begun are left out.
//   - A helper that the system does not give, or that is busy for another caller, is done without:
//     calls from many threads at once share the helpers, of which no more are awake than the
//     process has cores, unless one caller asked for more threads than that.
//   - A child forked at any moment between calls starts helpers of its own.
//   - Helpers take no signals.
#pragma once

#include <cstdint>
#include <functional>

namespace faro::inline v1 {

using PartWork = std::function<void(std::uint64_t part, int worker)>;

// Requires threads >= 1.
void in_parallel(int threads, std::uint64_t parts, const PartWork& work);

}  // namespace faro::inline v1
