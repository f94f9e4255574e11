// The tuning of the engine, for as long as this lives.
#pragma once

#include "faro/engine/permute_plan.hpp"

namespace faro::testing {

class Tuned {
 public:
  explicit Tuned(const MachineTuning& tuning) { use_machine_tuning(tuning); }
  ~Tuned() { use_machine_tuning(before_); }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;

 private:
  MachineTuning before_ = machine_tuning();
};

}  // namespace faro::testing
