// How many threads this process may run at once.
//
//   taskset -c 0,1 on 64 cores             ->  2
//   a container with a quota of 1.5 cores  ->  1
#pragma once

#include <optional>
#include <string>

namespace faro::inline v1 {

// The cores that the calling thread's affinity and the container's quota leave, at least 1. The
// quota is read once.
int cores_available();

// What to use where nobody says how many: the first number of OMP_NUM_THREADS, which users of
// numeric libraries set, else cores_available().
int default_threads();

// Whole cores of the tightest quota on the way from a control group to the root; nothing where
// there is none. `groups` is the text of /proc/self/cgroup, `mount` where the groups are mounted.
std::optional<int> quota_cores(const std::string& groups, const std::string& mount);

}  // namespace faro::inline v1
