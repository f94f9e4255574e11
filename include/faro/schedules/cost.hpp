// What a schedule costs, counted from its steps and from nothing else.
//
// Rules are counted without spelling them out: one that n - r address bits leave free stands for
// 2^(n-r) moves, and a loop for its laps times what one of them costs. On 2^60 processors with 100
// elements each the counts need 67 bits.
//
// The program of a SIMD mesh is performed once for each of the K elements of a processor. What is
// counted, claimed in a file and compared by verifiers is one performance, the program as it is
// listed; what a request costs is `performed`.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

struct MachineKind;

class CostCounter : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  // Only now are the performances of a schedule in turns multiplied.
  void finish() override;

  const Cost& cost() const { return cost_; }

 private:
  template <class Step>
  void count(const Loop<Step>& loop);
  int width_ = 0;
  const MachineKind* kind_ = nullptr;
  std::uint64_t times_ = 1;
  Cost cost_;
};

// A mesh with one route at a time: its schedules are programs.
bool is_simd_mesh(const Machine& machine);

// What a schedule of this cost takes for K elements in each processor: K times as much on a SIMD
// mesh, the same elsewhere.
Cost performed(const Cost& listed, const Machine& machine, std::uint64_t elements);

// How many processors of `width` address bits meet all conditions.
Count size_of(int width, const std::vector<Parity>& where);

}  // namespace faro::inline v1
