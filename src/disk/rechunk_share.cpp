// Several processes rechunk one array on a file system that they share.
//
//   .OUT.faro-shared/request          what is asked for, by whoever came first
//   .OUT.faro-shared/jobs-0, ..       the journal of each worker, locked while it works
//   .OUT.faro-shared/data, pass1-0, ..
//
// Worker i does the jobs i, i + n, i + 2n, .. of a pass and waits for the others before the next.
// Worker 0 compares the digests and gives the output its name.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

#include "disk/rechunk_files.hpp"
#include "disk/rechunk_request.hpp"
#include "disk/shared_aside.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "files/claim.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1 {
namespace {

using disk::BoxJournal;

constexpr auto wait_between_looks = std::chrono::milliseconds(200);

// What all workers have done.
class Notes {
 public:
  Notes(std::string folder, std::uint64_t workers, std::string header)
      : folder_(std::move(folder)), workers_(workers), header_(std::move(header)) {}
  std::string name(std::uint64_t worker) const {
    return fmt::format("{}/{}{}", folder_, prefix, worker);
  }
  std::map<BoxJournal::JobId, disk::BoxShare> all() const {
    std::map<BoxJournal::JobId, disk::BoxShare> done;
    // Those that are there: workers may be many, and most of them not begun.
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
      const std::string file_name = entry.path().filename().string();
      std::uint64_t worker = 0;
      const char* end = file_name.data() + file_name.size();
      if (!file_name.starts_with(prefix)) continue;
      const auto [stopped, error] = std::from_chars(file_name.data() + prefix.size(), end, worker);
      if (error != std::errc{} || stopped != end || worker >= workers_) continue;
      const auto file = open_random_file(name(worker), {.io = FileIo::buffered});
      const BoxJournal journal(*file);
      if (journal.header() != header_) continue;
      done.insert(journal.done().begin(), journal.done().end());
    }
    return done;
  }

 private:
  static constexpr std::string_view prefix = "jobs-";
  std::string folder_;
  std::uint64_t workers_;
  std::string header_;
};

// How the journals of a request begin: those that are left of a forgotten one say another.
std::string header_of(const std::string& request) {
  Digest digest;
  digest.run(0, std::as_bytes(std::span<const char>(request)));
  return "jobs " + digest.hex();
}

// The jobs of a worker: its number, and on by the number of workers.
std::vector<std::uint64_t> jobs_of(const RechunkShare& share, std::uint64_t jobs) {
  std::vector<std::uint64_t> mine;
  for (std::uint64_t job = share.worker; job < jobs; job += share.workers) {
    mine.push_back(job);
    if (share.workers >= jobs - job) break;
  }
  return mine;
}

void wait_for_pass(const Notes& notes, std::size_t pass, std::uint64_t jobs,
                   const RechunkOptions& options) {
  for (;;) {
    std::uint64_t count = 0;
    for (const auto& [job, share] : notes.all()) count += job.first == pass ? 1 : 0;
    if (options.progress && options.progress(count, jobs) == Continue::no)
      throw Error(ErrorCode::cancelled, "stopped on request");
    if (count == jobs) return;
    std::this_thread::sleep_for(wait_between_looks);
  }
}

}  // namespace

RechunkReport rechunk_share(const std::string& in, const std::string& out,
                            const RechunkShare& share, const RechunkOptions& options) {
  if (share.workers == 0 || share.worker >= share.workers)
    throw Error(ErrorCode::usage, fmt::format("worker {} of {}: they are numbered from 0",
                                              share.worker, share.workers));
  const auto start = std::chrono::steady_clock::now();
  const FileTarget target = disk::target_of(out);
  disk::refuse_existing(target, disk::Worker::of_several);
  const auto from = disk::open_stored(in, options.raw);
  const disk::RechunkRequest request = disk::shared_request(in, out, *from, options);
  const auto plan = disk::BoxPlan::from_json(disk::problem_of(request, from->grid()), request.plan);
  const std::string text = fmt::format("{} {}", share.workers, request.json());
  const std::string folder = disk::shared_path(target);
  if (options.unfinished == RechunkOptions::Unfinished::fresh && share.worker == 0)
    disk::forget_shared(target);
  files::SharedFolder shared(target);
  if (shared.request(text) != text)
    throw Error(ErrorCode::usage,
                fmt::format("{}: another request for it was begun: the input, the options, the "
                            "memory, the threads and the number of workers must be the same",
                            out));
  const std::string header = header_of(text);
  const Notes notes(folder, share.workers, header);
  const auto journal_file = open_random_file(
      notes.name(share.worker), {.access = FileAccess::create, .io = FileIo::buffered});
  const Claim claim(notes.name(share.worker));
  if (BoxJournal(*journal_file).header() != header)
    std::filesystem::resize_file(notes.name(share.worker), 0);
  BoxJournal journal(*journal_file);
  if (journal.is_blank()) journal.begin(header);
  const auto to = disk::create_stored(folder + "/data", request.description);
  disk::FolderBoxStorage storage(folder);
  disk::BoxRun run(plan, *from, *to, storage, {.threads = request.threads});
  RechunkReport report;
  report.in = in;
  report.out = out;
  report.plan = disk::facts_of(plan);
  report.resumed_jobs = journal.done().size();
  const std::size_t passes = plan.facts().passes.size();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::vector<std::uint64_t> mine;
    for (const std::uint64_t job : jobs_of(share, run.jobs(pass)))
      if (!journal.done().contains({pass, job})) mine.push_back(job);
    run.run(pass, mine, [&](std::uint64_t job, const disk::BoxShare& done) {
      journal.note({pass, job}, done);
      if (options.progress && options.progress(job, run.jobs(pass)) == Continue::no)
        throw Error(ErrorCode::cancelled, "stopped on request");
    });
    if (pass + 1 == passes && share.worker != 0) break;
    wait_for_pass(notes, pass, run.jobs(pass), options);
    if (pass == 0 && from->identity() != request.identity)
      throw Error(ErrorCode::environment, fmt::format("{}: was changed while it was read", in));
    if (pass == 0) continue;
    for (const std::uint64_t job : jobs_of(share, run.jobs(pass - 1)))
      storage.remove(disk::tile_name(pass - 1, job));
  }
  report.reads = run.counts().reads;
  report.bytes_read = run.counts().bytes_read;
  report.writes = run.counts().writes;
  if (share.worker == 0) {
    const auto done = notes.all();
    disk::refuse_lost(plan, *to, done, "--fresh begins anew");
    const Digest digest = disk::compared(disk::sum_of(done), plan, "is not kept");
    to->complete();
    report.digest = digest.published(from->data_type(), to->grid().shape, to->grid().element_bytes);
    disk::publish_shared(shared, target);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace faro::inline v1
