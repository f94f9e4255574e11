#include "disk/rechunk_report.hpp"

#include "files/words.hpp"

namespace faro::inline v1 {

Report report_of(const RechunkFacts& plan) {
  Report report = Report::of_json(plan.json);
  report.set_words(plan.describe);
  return report;
}

Report report_of(const RechunkReport& report) {
  const RechunkFacts& plan = report.plan;
  Report row{{"in", report.in},
             {"out", report.out},
             {"bytes", plan.data_bytes},
             {"passes", plan.passes.size()},
             {"memory_bytes", plan.memory_bytes},
             {"peak_bytes", plan.peak_bytes},
             {"reads", report.reads},
             {"bytes_read", report.bytes_read},
             {"writes", report.writes},
             {"resumed_jobs", report.resumed_jobs},
             {"digest", report.digest},
             {"verified", report.verified},
             {"seconds", report.seconds}};
  const std::string before =
      report.resumed_jobs != 0 ? fmt::format(", {} jobs done before", report.resumed_jobs) : "";
  row.say("{}: {} in {} {}, peak {} of {}{}; {}\n", report.out, files::size_text(plan.data_bytes),
          plan.passes.size(), plan.passes.size() == 1 ? "pass" : "passes",
          files::size_text(plan.peak_bytes), files::size_text(plan.memory_bytes), before,
          report.digest.empty() ? "this worker's part is done" : report.digest);
  if (report.verified) row.say("  verified: the finished output was read again\n");
  return row;
}

std::string RechunkReport::describe() const {
  return report_of(*this).words();
}

std::string RechunkReport::json() const {
  return report_of(*this).json();
}

}  // namespace faro::inline v1
