// Jobs of a rechunking: begun, run by number, finished. What is one in Python is made in _jobs.py.
#include "buffer.hpp"
#include "disk/box_jobs.hpp"
#include "stored.hpp"

namespace faro::python {
namespace {

using disk::RechunkJobs;

// Folder, id, and of each stage how many jobs and what one holds.
nb::tuple begun(const nb::bytes& source, const nb::bytes& target, const nb::dict& given) {
  const std::string from = path_from(source);
  const auto jobs = RechunkJobs::begin(from, path_from(target), options_from(from, given));
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> peaks;
  for (std::size_t pass = 0; pass < jobs.passes(); ++pass) {
    counts.push_back(jobs.jobs(pass));
    peaks.push_back(jobs.peak_bytes(pass));
  }
  return nb::make_tuple(nb::bytes(jobs.folder().data(), jobs.folder().size()), jobs.id(), counts,
                        peaks);
}

nb::dict ran(const nb::bytes& folder, const std::string& id, std::size_t stage, std::uint64_t job,
             bool again) {
  disk::JobReport report;
  {
    const std::string path = path_from(folder);
    const nb::gil_scoped_release unlocked;
    using Repeat = RechunkJobs::Repeat;
    report =
        RechunkJobs::find(path, id).run(stage, job, again ? Repeat::always : Repeat::if_not_noted);
  }
  nb::dict facts;
  facts["digest_read"] = report.share.read.hex();
  facts["digest_written"] = report.share.written.hex();
  facts["bytes_written"] = integer(report.share.written.bytes());
  facts["reads"] = report.reads;
  facts["bytes_read"] = report.bytes_read;
  facts["writes"] = report.writes;
  facts["buffer_bytes"] = report.buffer_bytes;
  facts["was_done"] = report.was_done;
  return facts;
}

nb::object finished(const nb::bytes& folder, const std::string& id, const nb::bytes& target) {
  RechunkReport report;
  {
    const std::string path = path_from(folder);
    const std::string out = path_from(target);
    const nb::gil_scoped_release unlocked;
    report = RechunkJobs::find(path, id).finish(out);
  }
  return facts_of(report);
}

}  // namespace

void bind_jobs(nb::module_& m) {
  m.def("jobs_begin", begun);
  m.def("job_run", ran);
  m.def("jobs_finish", finished);
  m.def("jobs_remaining", [](const nb::bytes& folder, const std::string& id, std::size_t stage) {
    return RechunkJobs::find(path_from(folder), id).remaining(stage);
  });
  m.def("jobs_finish_stage", [](const nb::bytes& folder, const std::string& id, std::size_t stage) {
    RechunkJobs::find(path_from(folder), id).finish_pass(stage);
  });
  m.def("jobs_discard", [](const nb::bytes& target) { disk::discard_jobs(path_from(target)); });
}

}  // namespace faro::python
