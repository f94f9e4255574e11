// A sink that becomes another one when the header comes, by the machine that it names.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

template <class Sink>
class ByHeader : public Sink {
 public:
  using Make = std::function<std::unique_ptr<Sink>(const ScheduleHeader&)>;
  explicit ByHeader(Make make) : make_(std::move(make)) {}

  void begin(const ScheduleHeader& header) override {
    sink_ = make_(header);
    sink_->begin(header);
  }
  void step(const CubeStep& step) override { sink().step(step); }
  void step(const MeshInstruction& instruction) override { sink().step(instruction); }
  void step(const PopsSlot& slot) override { sink().step(slot); }
  void loop(const CubeLoop& loop) override { sink().loop(loop); }
  void loop(const PopsLoop& loop) override { sink().loop(loop); }
  void finish() override { sink().finish(); }

 protected:
  Sink& sink() const {
    FARO_CHECK(sink_ != nullptr);
    return *sink_;
  }

 private:
  Make make_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace faro::inline v1
