// The memory of a simulated machine as bytes, slot by slot, and its steps carried out. All machines
// do one thing: they move what lies in a slot of a processor into a slot of another, or of the
// same, and all that a step reads is read before anything is written. Nothing is checked that a
// verifier checks; run it on schedules that are verified.
//
//   MachineMemory memory(Hypercube{.dimensions = 2}, {.slots = 2, .element_bytes = 8});
//   std::memcpy(memory.at(p, 0), &value, 8);        before
//   memory.perform(step);                           rules, moves, sends, routes, copies
//   std::memcpy(&value, memory.at(q, 1), 8);        after
//
// Registers of POPS networks, ranks and SIMD meshes are slots. A slot costs processors times
// element_bytes bytes from its first use on; until it is written it is zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

class MachineMemory {
 public:
  struct Options {
    std::uint64_t slots = 1;
    std::size_t element_bytes = 1;
  };
  // Throws Error(limit) for more than limits::slots_max slots of a cube.
  MachineMemory(const Machine& machine, const Options& options);

  std::byte* at(Word processor, Slot slot);
  // Asks for a slot that will soon be read; nothing happens if it was never used.
  void fetch_ahead(Word processor, Slot slot) const {
    if (slot < slots_.size() && !slots_[slot].empty())
      __builtin_prefetch(slots_[slot].data() + processor * bytes_);
  }
  std::uint64_t processors() const { return processors_; }

  void perform(const CubeStep& step);
  void perform(const MeshInstruction& instruction);
  // Its sends and receives; operations are the business of who knows numbers.
  void perform(const PopsSlot& slot);

 private:
  using Place = std::pair<Word, Slot>;
  void move(Place from, Place to);
  void land();
  void drive(std::uint64_t to_group, const PopsSend& send);
  void receive(const PopsReceive& receive);

  Machine machine_;
  std::uint64_t processors_ = 0;
  int bits_ = 0;
  Pops star_;  // whose couplers carry messages; ranks are groups of one
  std::size_t bytes_ = 0;
  std::uint64_t slots_most_ = 0;
  std::vector<std::vector<std::byte>> slots_;  // up to the highest that was used
  std::vector<std::byte> stage_;               // what the step has read
  std::vector<Place> arrivals_;
  // What a coupler carries in the slot that is performed.
  std::vector<Place> dense_couplers_;
  std::unordered_map<std::uint64_t, Place> sparse_couplers_;
};

}  // namespace faro::inline v1
