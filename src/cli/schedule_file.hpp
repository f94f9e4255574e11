// A schedule written to a file, or to stdout for "-"; the file appears when it is complete.
#pragma once

#include <memory>
#include <string>

#include "cli/output.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::cli {

class ScheduleFile {
 public:
  // unrolled: as they are, and loops lap after lap.
  enum class Rules { kept, expanded, unrolled };

  // `out` must outlive it.
  ScheduleFile(const std::string& path, Rules rules, Output& out);
  ~ScheduleFile();

  ScheduleSink& sink();
  // After the schedule's end: the file takes its name.
  void commit();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace faro::cli
