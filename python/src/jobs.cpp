// Jobs of a rechunking and of a resharding: begun, run by number, finished. What is one in Python is
// made in _jobs.py.
#include "buffer.hpp"
#include "checkpoints.hpp"
#include "checkpoints/reshard_jobs.hpp"
#include "disk/box_jobs.hpp"
#include "stored.hpp"

namespace faro::python {
namespace {

using checkpoints::ReshardJobs;
using disk::RechunkJobs;
using disk::SharedJobs;

// Whatever was begun there with this id.
std::unique_ptr<SharedJobs> found(const nb::bytes& folder, const std::string& id) {
  const std::string path = path_from(folder);
  const nb::gil_scoped_release unlocked;
  if (ReshardJobs::is_request(SharedJobs::begun_request(path, id)))
    return std::make_unique<ReshardJobs>(ReshardJobs::find(path, id));
  return std::make_unique<RechunkJobs>(RechunkJobs::find(path, id));
}

// Folder, id, and of each stage how many jobs and what one holds.
nb::tuple told(const SharedJobs& jobs) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> peaks;
  for (std::size_t pass = 0; pass < jobs.passes(); ++pass) {
    counts.push_back(jobs.jobs(pass));
    peaks.push_back(jobs.peak_bytes(pass));
  }
  return nb::make_tuple(nb::bytes(jobs.folder().data(), jobs.folder().size()), jobs.id(), counts,
                        peaks);
}

nb::tuple begun(const nb::bytes& source, const nb::bytes& target, const nb::dict& given) {
  const std::string from = path_from(source);
  return told(RechunkJobs::begin(from, path_from(target), options_from(from, given)));
}

nb::tuple reshard_begun(const nb::bytes& source, const nb::bytes& target, const nb::dict& given) {
  return told(ReshardJobs::begin(path_from(source), path_from(target), reshard_options(given)));
}

nb::dict ran(const nb::bytes& folder, const std::string& id, std::size_t stage, std::uint64_t job,
             bool again) {
  disk::JobReport report;
  {
    const auto jobs = found(folder, id);
    const nb::gil_scoped_release unlocked;
    using Repeat = SharedJobs::Repeat;
    report = jobs->run(stage, job, again ? Repeat::always : Repeat::if_not_noted);
  }
  nb::dict facts;
  facts["digest_read"] = report.share.read.hex();
  facts["digest_written"] = report.share.written.hex();
  facts["bytes_written"] = report.was_done ? integer(report.share.written.bytes())
                                           : nb::object(nb::int_(report.bytes_written));
  facts["reads"] = report.reads;
  facts["bytes_read"] = report.bytes_read;
  facts["writes"] = report.writes;
  facts["buffer_bytes"] = report.buffer_bytes;
  facts["was_done"] = report.was_done;
  return facts;
}

nb::object finished(const nb::bytes& folder, const std::string& id, const nb::bytes& target) {
  const auto jobs = found(folder, id);
  const std::string out = path_from(target);
  if (const auto* resharding = dynamic_cast<const ReshardJobs*>(jobs.get())) {
    ReshardReport report;
    {
      const nb::gil_scoped_release unlocked;
      report = resharding->finish(out, {});
    }
    return facts_of(report);
  }
  RechunkReport report;
  {
    const nb::gil_scoped_release unlocked;
    report = dynamic_cast<const RechunkJobs&>(*jobs).finish(out);
  }
  return facts_of(report);
}

}  // namespace

void bind_jobs(nb::module_& m) {
  m.def("jobs_begin", begun);
  m.def("reshard_jobs_begin", reshard_begun);
  m.def("job_run", ran);
  m.def("jobs_finish", finished);
  m.def("jobs_remaining", [](const nb::bytes& folder, const std::string& id, std::size_t stage) {
    return found(folder, id)->remaining(stage);
  });
  m.def("jobs_finish_stage", [](const nb::bytes& folder, const std::string& id, std::size_t stage) {
    found(folder, id)->finish_pass(stage);
  });
  m.def("jobs_discard", [](const nb::bytes& target) { disk::discard_jobs(path_from(target)); });
}

}  // namespace faro::python
