// Who watches a schedule when nobody names a verifier:
//
//   up to 2^22 elements                      replay, and proof beside it
//   more, and the first step is in rules     proof
//   more, and the first step lists moves     replay, up to its limit of 2^26 elements
//
// A schedule with loops is always proved; replay steps back where the laps of its loops move more
// than 2^26 elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

class DefaultVerifiers : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override;

  // After finish: of those that watched to the end. One of the two always did.
  std::optional<Verdict> proof() const;
  std::optional<Verdict> replay() const;

 private:
  enum class First { rules, moves };
  void choose(First first, bool too_much);
  template <class Work>
  void watch(First kind, Work&& work);
  template <class Step>
  void watch_loop(First kind, const Loop<Step>& loop);

  std::optional<ScheduleHeader> header_;  // until the verifiers are chosen
  std::unique_ptr<Verifier> proof_;
  std::unique_ptr<Verifier> replay_;
  int width_ = 0;
  Count blocks_ = 1;       // of 64 processors
  Count in_loops_ = 0;     // rules, conditions and elements moved, in all laps
  Count written_out_ = 0;  // as ScheduleSink counts what it performs lap after lap
};

}  // namespace faro::inline v1
