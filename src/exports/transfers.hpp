// A schedule of any machine as single elements on their way, each with where it started: what
// exports and pictures are made of.
//
//   cube:2, rule {where p1 = 1, slot 0, across 0, slot 1}
//     step 0:  2 -> 3 and 3 -> 2, slot 0 to 1, channel 0, homes (2, 0) and (3, 0)
//
// Rules are spelled out and every place is followed, so a machine has at most 2^22 processors and
// 2^26 places here. It shows what the steps say and judges nothing; a step that names a place which
// the machine does not have is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

struct Transfer {
  Word from = 0;
  Slot from_slot = 0;
  Word to = 0;
  Slot to_slot = 0;
  // Which of the sender's ways out: a cube's dimension; of a mesh 2d upwards and 2d + 1 downwards
  // along dimension d; the coupler to_group * groups + from_group of a POPS network.
  std::uint64_t channel = 0;
  // Where the element was at the start; nothing for results of computations and what was never set.
  struct Home {
    Word processor = 0;
    Slot slot = 0;
  };
  std::optional<Home> home = {};

  bool is_inside() const { return from == to; }
};

struct TransferStep {
  std::uint64_t number = 0;  // of the step, instruction or slot in the schedule
  std::uint64_t start = 0;   // unit of time at which it begins: steps that cost before it
  std::uint64_t length = 0;  // units that it takes; 0 where nothing leaves its processor
  std::span<const Transfer> transfers;
};

class TransferSink {
 public:
  virtual ~TransferSink() = default;
  virtual void begin(const ScheduleHeader& header) = 0;
  virtual void step(const TransferStep& step) = 0;
  virtual void finish() = 0;
};

// To push a schedule into; `to` must outlive it.
std::unique_ptr<ScheduleSink> transfers_into(TransferSink& to);

// "dimension 3", "+1", "coupler c(2,0)"; "port" where a processor has one.
std::string channel_name(const Machine& machine, std::uint64_t channel);
// How many there are, by number.
std::uint64_t channel_count(const Machine& machine);

}  // namespace faro::inline v1
