// A sink that does nothing: what listens to a part of a schedule derives from it.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class QuietSink : public ScheduleSink {
 public:
  void begin(const ScheduleHeader&) override {}
  void step(const CubeStep&) override {}
  void step(const MeshInstruction&) override {}
  void step(const PopsSlot&) override {}
  void finish() override {}
};

// Keeps the header.
class HeaderKeeper : public QuietSink {
 public:
  explicit HeaderKeeper(ScheduleHeader& header) : header_(header) {}
  void begin(const ScheduleHeader& header) override { header_ = header; }
  void loop(const CubeLoop&) override {}
  void loop(const PopsLoop&) override {}

 private:
  ScheduleHeader& header_;
};

}  // namespace faro::inline v1
