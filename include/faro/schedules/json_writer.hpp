// Schedules as JSON, format faro-schedule/1, or /2 where the header announces loops:
// docs/schedule-file.md. Loops that no header announced are written lap after lap. A sink that
// writes as the steps come: the header's keys first, one step a line. Equal schedules give equal
// bytes. Numbers below 2^53 are numbers, larger ones decimal strings; masks are hexadecimal
// strings.
//
//   TextSink text;
//   JsonWriter writer(text);
//   schedule.replay_into(writer);
#pragma once

#include <string>

#include "faro/base/byte_source.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class JsonWriter : public ScheduleSink {
 public:
  // `out` must outlive it.
  explicit JsonWriter(ByteSink& out) : out_(out) {}
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction& instruction) override;
  void step(const PopsSlot& slot) override;
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop& loop) override;
  void finish() override;

 private:
  void begin_step();
  void end_step();
  template <class Step>
  void write(const Loop<Step>& loop);

  ByteSink& out_;
  std::string line_;
  int width_ = 0;
  bool first_step_ = true;
  ScheduleHeader::Entries entries_ = ScheduleHeader::Entries::steps;
};

}  // namespace faro::inline v1
