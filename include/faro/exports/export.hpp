// Schedules in the formats of other tools: tables, trace viewers, network simulators, graphs.
//
//   const MachinePlan plan = ...;
//   export_schedule([&](ScheduleSink& sink) { plan.push(sink); }, "csv", bytes);
//   export_schedule([&](ScheduleSink& sink) { read_schedule("s.json", sink); }, "perfetto", bytes);
//
// Every element's move is written out, so a machine has at most 2^22 processors and 2^26 places; a
// C program keeps the rules and may be for any cube.
// What is not verified is exported as it is. docs/exports.md says what each format holds.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "faro/base/progress.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

struct ExportFormat {
  std::string_view name;    // "csv"
  std::string_view ending;  // ".csv": of the files that hold it
  std::string_view what;    // a line for people
  bool is_text = true;
};

std::span<const ExportFormat> export_formats();

// `push` pushes the whole schedule into the sink; it is called once, or several times where the
// format wants an order of its own. Throws Error(usage) for an unknown format, naming those
// that there are; Error(limit); Error(refused) where a step names a place that is none.
void export_schedule(const std::function<void(ScheduleSink&)>& push, std::string_view format,
                     ByteSink& to);

}  // namespace faro::inline v1
