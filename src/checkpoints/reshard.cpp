// The doors of resharding: a folder that grows beside OUT, the plan, the run, the report.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/cores.hpp"
#include "base/report.hpp"
#include "base/require.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/reshard_plan.hpp"
#include "checkpoints/reshard_run.hpp"
#include "disk/crc32c.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/chunk_folder.hpp"
#include "files/storage.hpp"

namespace faro::inline v1 {
namespace {

namespace fs = std::filesystem;
using checkpoints::ReshardPlan;
using checkpoints::SafeTensor;
using Unfinished = ReshardOptions::Unfinished;

// What lies beside the tensors and goes with them: configuration, tokenizers. More is no such file.
constexpr std::uint64_t beside_bytes_max = 64ULL << 20U;

checkpoints::ReshardRequest request_of(const std::string& in, const ReshardOptions& options) {
  require(options.memory_bytes > 0 && options.file_bytes > 0, "wanted sizes above 0");
  require(options.threads >= 0 && options.threads <= 1024, "wanted 1 to 1024 jobs at a time");
  return {.in = in,
          .from = options.from,
          .to = options.to,
          .from_names = options.from_names,
          .to_names = options.to_names,
          .memory_bytes = options.memory_bytes,
          .file_bytes = options.file_bytes,
          .threads = options.threads != 0 ? options.threads : std::min(default_threads(), 8),
          .slab_bytes = 0};
}

ReshardFacts facts_of(const ReshardPlan& plan) {
  return {.tensors = plan.tensors.size(),
          .data_bytes = plan.bytes,
          .written_bytes = plan.written_bytes,
          .files_read = plan.held.size(),
          .files_made = plan.made.size(),
          .memory_bytes = plan.memory_bytes,
          .peak_bytes = plan.peak_bytes,
          .jobs = plan.jobs.size(),
          .describe = checkpoints::plan_text(plan),
          .json = checkpoints::plan_json(plan)};
}

class FolderFiles : public checkpoints::ReshardFiles {
 public:
  FolderFiles(std::string held, std::string made) : held_(std::move(held)), made_(made) {}
  std::unique_ptr<RandomFile> open_held(const std::string& name) override {
    return open_random_file(held_ + "/" + name,
                            {.access = FileAccess::read, .io = FileIo::buffered});
  }
  std::unique_ptr<RandomFile> open_made(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    return open_random_file(made_.folder() + "/" + name,
                            {.access = FileAccess::create, .io = FileIo::buffered});
  }
  void sync_names() override {
    const std::lock_guard lock(mutex_);
    made_.sync_names(names_);
  }

 private:
  std::string held_;
  files::PosixFolder made_;
  std::mutex mutex_;  // files are opened while others are synced
  std::vector<std::string> names_;
};

// What a run that goes on must find as it was.
std::string journal_header(const ReshardPlan& plan) {
  const files::PosixFolder folder(plan.from_folder);
  std::string held;
  for (const auto& file : plan.held)
    held += fmt::format("{} {} {}\n", file.name, file.bytes, folder.stamp(file.name));
  std::string made;
  for (const auto& file : plan.made)
    made += file.name + "\n" + checkpoints::safetensors_bytes(file.header);
  return Report{{"format", "faro-reshard-journal/1"},
                {"from", plan.from.words},
                {"to", plan.to.words},
                {"held", disk::crc32c(held)},
                {"made", disk::crc32c(made)},
                {"jobs", plan.jobs.size()},
                {"slab_bytes", plan.slab_bytes}}
      .json();
}

// How an unfinished run cut its jobs: whoever goes on cuts them alike, with any memory that does.
std::uint64_t slab_of(const disk::BoxJournal& journal) {
  try {
    const auto bytes =
        nlohmann::json::parse(journal.header()).at("slab_bytes").get<std::uint64_t>();
    require(bytes >= checkpoints::slab_bytes_min, "a journal of jobs of {} bytes is none of ours",
            bytes);
    return bytes;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::usage, "what is unfinished there is no resharding; --fresh begins anew");
  }
}

bool goes_beside(const fs::path& name) {
  const std::string text = name.string();
  if (text.ends_with(".index.json") || text == checkpoints::digests_name) return false;
  for (const char* end : {".json", ".txt", ".model", ".jinja", ".tiktoken"})
    if (text.ends_with(end)) return true;
  return false;
}

void write_beside(const ReshardPlan& plan, const std::vector<Digest>& digests,
                  const std::string& made) {
  files::PosixFolder folder(made);
  const auto put = [&](const std::string& name, std::string_view text) {
    folder.put(name, text, "." + name + ".part");
  };
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(plan.from_folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(none) || !goes_beside(name)) continue;
    if (entry.file_size(none) > beside_bytes_max) continue;
    if (const auto text = files::PosixFolder(plan.from_folder).text(name, beside_bytes_max))
      put(name, *text);
  }
  if (!plan.index.empty())
    put("model.safetensors.index.json", checkpoints::index_text(plan.bytes, plan.index));
  std::vector<checkpoints::TensorDigest> all;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const SafeTensor& whole = plan.tensors[i].whole;
    all.push_back({whole, digests[i].published(whole.type->numpy, whole.shape, whole.type->bytes)});
  }
  put(checkpoints::digests_name, checkpoints::digests_text(all));
}

// Digests that an earlier resharding left beside the input.
bool compare_known(const ReshardPlan& plan, const std::vector<TensorReport>& tensors) {
  const auto known = checkpoints::read_digests(plan.from_folder);
  for (const TensorReport& tensor : tensors) {
    const auto found = known.find(tensor.name);
    if (found != known.end() && found->second != tensor.digest)
      throw Error(ErrorCode::refused,
                  fmt::format("{}: tensor '{}' has digest {}, its {} says {}: it was changed since",
                              plan.from_folder, tensor.name, tensor.digest,
                              checkpoints::digests_name, found->second));
  }
  return !known.empty();
}

void fill_report(const ReshardPlan& plan, const checkpoints::ReshardRun& run,
                 ReshardReport& report) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const SafeTensor& whole = plan.tensors[i].whole;
    report.tensors.push_back(
        {whole.name, std::string(whole.type->name), whole.shape,
         run.digests()[i].published(whole.type->numpy, whole.shape, whole.type->bytes)});
  }
  report.reads = run.counts().reads;
  report.bytes_read = run.counts().bytes_read;
  report.writes = run.counts().writes;
  report.bytes_written = run.counts().bytes_written;
  report.resumed_jobs = run.resumed_jobs();
}

void check_space(const ReshardPlan& plan, const std::string& folder) {
  std::uint64_t wanted = 0;
  for (const auto& file : plan.made) wanted += file.bytes;
  const std::uint64_t free = files::PosixFolder(folder).free_bytes();
  if (wanted > free)
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: the output takes {} bytes, the disk has {} free", folder, wanted, free));
}

// Made files that are not there, or not whole.
std::set<std::size_t> lost_files(const ReshardPlan& plan, const std::string& folder) {
  const files::PosixFolder made(folder);
  std::set<std::size_t> lost;
  for (std::size_t i = 0; i < plan.made.size(); ++i)
    if (made.size_bytes(plan.made[i].name) != plan.made[i].bytes) lost.insert(i);
  return lost;
}

// A job that has written to a file which was lost since is to be done again.
void forget_lost(const ReshardPlan& plan, const std::string& folder, disk::BoxJournal& journal) {
  const std::set<std::size_t> lost = lost_files(plan, folder);
  std::vector<disk::BoxJournal::JobId> again;
  for (const auto& [job, share] : journal.done()) {
    const checkpoints::TensorMove& move = plan.tensors[plan.jobs.at(job.second).tensor];
    if (std::any_of(move.to.begin(), move.to.end(),
                    [&](const checkpoints::Place& to) { return lost.contains(to.file); }))
      again.push_back(job);
  }
  for (const disk::BoxJournal::JobId& job : again) journal.forget(job);
}

// An earlier run gave OUT its name and was stopped before its journal was removed: that goes now,
// where OUT is what the run made.
std::optional<ReshardReport> cleaned(const std::string& out, checkpoints::ReshardRequest request,
                                     const ReshardOptions& options) {
  const FileTarget target = disk::target_of(out);
  const std::string rest = files::unfinished_folder(target);
  if (!files::PosixFolder(target.target).exists() || !files::PosixFolder(rest).exists() ||
      files::PosixFolder(rest + "/data").exists())
    return std::nullopt;
  const auto storage = files::open_storage(target, "", FileIo::buffered);
  disk::BoxJournal journal(storage->journal());
  if (!journal.is_complete()) return std::nullopt;
  request.slab_bytes = slab_of(journal);
  const ReshardPlan plan = checkpoints::make_plan(request);
  if (journal.header() != journal_header(plan)) return std::nullopt;
  ReshardReport report;
  report.plan = facts_of(plan);
  report.resumed_jobs = plan.jobs.size();
  if (!lost_files(plan, target.target).empty()) return std::nullopt;
  const auto digests = checkpoints::read_digests(target.target);
  for (const checkpoints::TensorMove& move : plan.tensors) {
    const auto found = digests.find(move.whole.name);
    if (found == digests.end()) return std::nullopt;
    report.tensors.push_back(
        {move.whole.name, std::string(move.whole.type->name), move.whole.shape, found->second});
  }
  if (options.verify) {
    FolderFiles files(plan.from_folder, target.target);
    checkpoints::ReshardRun(plan, files, journal).verify(options.progress);
    report.verified = true;
  }
  storage->discard();
  return report;
}

}  // namespace

ReshardFacts plan_reshard(const std::string& in, const ReshardOptions& options) {
  return facts_of(checkpoints::make_plan(request_of(in, options)));
}

std::string explain_reshard(const std::string& in, const ReshardOptions& options) {
  return checkpoints::explain_plan(checkpoints::make_plan(request_of(in, options)));
}

ReshardReport reshard(const std::string& in, const std::string& out,
                      const ReshardOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  checkpoints::ReshardRequest request = request_of(in, options);
  // What does not fit is refused before anything is made.
  ReshardPlan plan = checkpoints::make_plan(request);
  if (options.unfinished == Unfinished::resume)
    if (auto report = cleaned(out, request, options)) return *report;
  disk::RechunkFolder folder(out);
  if (options.unfinished == Unfinished::fresh) folder.reset();
  disk::BoxJournal journal(folder.journal());
  const bool is_new = journal.is_blank();
  if (is_new) {
    if (options.unfinished == Unfinished::resume) {
      folder.discard();
      throw Error(ErrorCode::usage, fmt::format("{}: nothing is unfinished there", out));
    }
    check_space(plan, folder.folder());
    std::error_code error;
    fs::create_directory(folder.data(), error);
    if (error)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: cannot be made: {}", folder.data(), error.message()));
    folder.sync();
    journal.begin(journal_header(plan));
  } else {
    if (options.unfinished == Unfinished::refuse)
      throw Error(
          ErrorCode::usage,
          fmt::format("{}: a run is unfinished; --resume goes on, --fresh begins anew", out));
    request.slab_bytes = slab_of(journal);
    plan = checkpoints::make_plan(request);
    require(journal.header() == journal_header(plan),
            "{}: what is unfinished there is another request, or the input was changed; --fresh "
            "begins anew",
            out);
  }
  FolderFiles files(plan.from_folder, folder.data());
  ReshardReport report;
  report.plan = facts_of(plan);
  require(!journal.is_complete() || files::PosixFolder(folder.data()).exists(),
          "{}: was finished and has been taken away since; --fresh begins anew", out);
  if (!is_new) forget_lost(plan, folder.data(), journal);
  checkpoints::ReshardRun run(plan, files, journal);
  run.run(options.progress);
  if (options.verify) run.verify(options.progress);
  fill_report(plan, run, report);
  report.known = compare_known(plan, report.tensors);
  write_beside(plan, run.digests(), folder.data());
  report.verified = options.verify;
  if (!journal.is_complete()) journal.note_complete();
  folder.publish();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<CheckpointTensor> checkpoint_tensors(const std::string& path) {
  const checkpoints::FileSet set = checkpoints::open_whole_files(path);
  std::vector<CheckpointTensor> all;
  for (std::size_t i = 0; i < set.ranks[0].size(); ++i) {
    const SafeTensor& tensor = set.ranks[0][i];
    const checkpoints::HeldFile& file = set.files[set.file_of[0][i]];
    all.push_back({tensor.name, std::string(tensor.type->name), std::string(tensor.type->numpy),
                   tensor.type->bytes, tensor.shape, set.folder + "/" + file.name,
                   file.header.data_start + tensor.begin});
  }
  std::sort(all.begin(), all.end(), [](const CheckpointTensor& a, const CheckpointTensor& b) {
    return checkpoints::natural_less(a.name, b.name);
  });
  return all;
}

std::optional<CheckpointShare> checkpoint_share(const std::string& path, const std::string& words,
                                                std::uint64_t rank, const std::string& name) {
  const checkpoints::FileSet set = checkpoints::open_whole_files(path);
  checkpoints::Layout layout = checkpoints::Layout::parse(words);
  layout.fusions.clear();
  checkpoints::suppose_config(layout, set.folder);
  require(rank < layout.ranks(), "rank {}: '{}' has ranks 0 to {}", rank, words,
          layout.ranks() - 1);
  for (const checkpoints::LocalTensor& local : checkpoints::place_tensors(layout, set.ranks[0])) {
    if (local.rank != rank || local.name != name) continue;
    CheckpointShare share{local.shape, {}};
    for (const checkpoints::LocalBlock& block : local.blocks) {
      CheckpointPart part;
      for (std::size_t k = 0; k < block.whole.size(); ++k) {
        part.whole_start.push_back(block.whole[k].begin);
        part.local_start.push_back(block.local[k].begin);
        part.extent.push_back(block.whole[k].length());
      }
      share.parts.push_back(part);
    }
    return share;
  }
  return std::nullopt;
}

}  // namespace faro::inline v1
