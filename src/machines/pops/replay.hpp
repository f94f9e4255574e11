// Replay of a POPS schedule: every datum is a token, every slot is held against the rules R1 to R9
// of machines/pops/model.hpp, rules over address bits are spelled out processor by processor.
//
// A matrix product is executed on integers modulo 2^64 (every product compared exactly) and on
// reals beside them. After the first slot with a breach the state means nothing any more: the rest
// of the schedule is only counted.
//
// Limits: replay_elements_log2_max processors, pops_cells_max registers in use; beyond them
// Error(limit).
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> pops_replay();

}  // namespace faro::inline v1
