// Any bytes as a schedule file: refused with a library error, or read. What is read without a
// breach is written and read again to the same bytes, loops as loops and lap after lap; and small
// schedules are judged by both verifiers, which must agree (a difference is an InternalError).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "faro/base/error.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "fuzz.hpp"
#include "schedules/map_goal.hpp"

namespace {

using namespace faro;

struct Breaches : ReadListener {
  bool any = false;
  void breach(Count, const std::string&, const std::string&) override { any = true; }
  void warning(const std::string&) override {}
};

struct Reading {
  RecordingSink schedule;
  Breaches breaches;
  ReadOutcome outcome = ReadOutcome::no_schedule;
};

ReadOptions reading_maps() {
  ReadOptions options;
  options.map_from = [](std::string_view map, const Machine& machine, std::uint64_t elements) {
    return map_goal_from(map, machine, elements);
  };
  return options;
}

Reading read(std::string_view text) {
  Reading reading;
  TextSource source(text);
  reading.outcome = read_schedule(source, reading.schedule, reading_maps(), reading.breaches);
  return reading;
}

std::string written(const RecordingSink& schedule) {
  TextSink sink;
  JsonWriter writer(sink);
  schedule.replay_into(writer);
  return sink.text();
}

// As the reader hands it on, which keeps loops.
std::string rewritten(std::string_view text) {
  TextSink sink;
  JsonWriter writer(sink);
  TextSource source(text);
  Breaches breaches;
  read_schedule(source, writer, reading_maps(), breaches);
  return sink.text();
}

void check(std::string_view text) {
  const Reading reading = read(text);
  if (reading.outcome != ReadOutcome::complete) return;
  if (!reading.breaches.any) {
    const std::string once = written(reading.schedule);
    if (written(read(once).schedule) != once) std::abort();
    const std::string loops = rewritten(text);
    if (rewritten(loops) != loops || written(read(loops).schedule) != once) std::abort();
  }
  // Small enough that replay does not dominate the run.
  constexpr Count places_max = 4096;
  const ScheduleHeader& header = reading.schedule.header;
  if (header.slots > places_max || processors(header.machine) > places_max ||
      processors(header.machine) * header.slots > places_max)
    return;
  TextSource source(text);
  verify_schedule(source, {VerifyBy::both, {}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
