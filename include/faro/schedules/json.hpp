// Schedule files, format faro-schedule/1 (docs/schedule-file.md), read as a stream: the sink gets
// the header and then step after step, and no more than one step is in memory. Nothing is believed:
// numbers are checked before anything is sized by them.
//
//   struct Told : ReadListener { void violation(Violation..) override ... };
//   const ReadOutcome outcome = read_schedule(source, replay, options, told);
//
// What is no JSON, or JSON of another format, throws Error(usage). What breaks the form (a missing
// key, a wrong kind of value, a key twice, a key after the steps, a number that fits no machine) is
// told as a breach and the reading goes on: the verdict is no. A step with a malformed rule is
// handed on empty, so that the steps after it keep their numbers. What the types can hold but the
// machine cannot is left for the verifiers. Unknown keys of the header are skipped with a warning;
// within a step they are a violation. Limits:
// limits.hpp; beyond them Error(limit).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "faro/base/count.hpp"
#include "faro/base/progress.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

struct ReadOptions {
  // The map that a text says on a machine; what it throws as Error(usage) is a breach "map".
  std::function<MapGoal(std::string_view text, const Machine& machine, std::uint64_t elements)>
      map_from;
  // The goal to hold the schedule to, in place of the file's.
  std::optional<std::string> map;
};

// What the reader has to say besides the schedule. Steps are counted from 0; the header is step 0.
class ReadListener {
 public:
  virtual ~ReadListener() = default;
  virtual void breach(Count step, const std::string& rule, const std::string& message) = 0;
  virtual void warning(const std::string& message) = 0;
};

// no_schedule: the header was so broken that the sink got nothing; at least one breach was told.
enum class ReadOutcome { complete, no_schedule };

ReadOutcome read_schedule(ByteSource& source, ScheduleSink& sink, const ReadOptions& options,
                          ReadListener& listener);

// Schedules as JSON, format faro-schedule/1, or /2 where the header announces loops:
// docs/schedule-file.md. Loops that no header announced are written lap after lap. A sink that
// writes as the steps come: the header's keys first, one step a line. Equal schedules give equal
// bytes. Numbers below 2^53 are numbers, larger ones decimal strings; masks are hexadecimal
// strings.
//
//   TextSink text;
//   JsonWriter writer(text);
//   schedule.replay_into(writer);

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
