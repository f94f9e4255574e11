// Broken schedules made from good ones: one small change each, for any machine.
//
//   Mutator mutator(seed, good);
//   RecordingSink broken = mutator.next();     mutator.last() says what was done: "wrong parity"
//
// A mutant may still be right (a move that did not matter, a swap of steps that commute): whoever
// uses them asks an independent judge.
#pragma once

#include <string>

#include "base/random.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::testing {

class Mutator {
 public:
  Mutator(std::uint64_t seed, const RecordingSink& good) : random_(seed), good_(good) {}

  RecordingSink next();
  const std::string& last() const { return last_; }

 private:
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : random_.below(end); }
  int address_width() const { return address_bits(good_.header.machine).value_or(0); }
  // Each says what it did; nothing if there was nothing to change.
  template <class T>
  std::string mutate_order(std::vector<T>& steps);
  std::string mutate_conditions(std::vector<Parity>& where);
  std::string nudge(Slot& slot);
  Word other_processor(Word p);
  std::string mutate(CubeStep& step);
  std::string mutate(ButterflyRule& rule);
  std::string mutate(ButterflyGoal& goal);
  std::string mutate(MeshInstruction& instruction);
  std::string mutate(PopsSlot& slot);
  template <class T>
  std::string drop_or_duplicate(std::vector<T>& items, const char* what);

  Random random_;
  const RecordingSink& good_;
  std::string last_;
};

}  // namespace faro::testing
