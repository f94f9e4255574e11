// Jobs of a resharding, side by side, and the journal of those that are durable.
#include "checkpoints/reshard_run.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/parallel.hpp"
#include "checkpoints/block_transfer.hpp"
#include "disk/box_runs.hpp"
#include "disk/pipeline.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::checkpoints {
namespace {

// A quarter of what a process may have open where nobody raised it.
constexpr std::size_t files_open_max = 256;

// Elements of a box that lie in a buffer which holds `held` in C order.
void add_box(Digest& digest, const SafeTensor& whole, const Box& box,
             std::span<const std::byte> from, const Box& held) {
  std::vector<std::uint64_t> start;
  for (const disk::Interval& axis : box) start.push_back(axis.begin);
  const std::vector<std::uint64_t> extent = disk::lengths_of(box);
  digest.box({whole.shape, start, extent, whole.type->bytes}, from, disk::lengths_of(held));
}

[[noreturn]] void refuse_written(const ReshardPlan& plan, std::size_t tensor) {
  throw Error(ErrorCode::refused,
              fmt::format("tensor '{}': what was written is not what was read: the memory or the "
                          "program is faulty",
                          plan.tensors[tensor].whole.name));
}

}  // namespace

struct ReshardRun::Worker {
  explicit Worker(std::uint64_t bytes) : slab(bytes), piece(bytes) {}
  disk::TileBuffer slab;
  disk::TileBuffer piece;
};

ReshardRun::ReshardRun(const ReshardPlan& plan, ReshardFiles& files)
    : plan_(plan),
      files_(files),
      held_(plan.held.size()),
      made_(plan.made.size()),
      begun_(plan.made.size()),
      dirty_(plan.made.size()),
      digests_(plan.tensors.size()) {}

ReshardRun::~ReshardRun() = default;

void ReshardRun::remember(OpenFile& file) {
  if (opened_.size() >= files_open_max) {
    opened_.front()->reset();  // whoever works on it holds it until then
    opened_.pop_front();
  }
  opened_.push_back(&file);
}

ReshardRun::OpenFile ReshardRun::held(std::size_t file) {
  const std::lock_guard lock(open_mutex_);
  OpenFile& open = held_[file];
  if (!open) {
    open = files_.open_held(plan_.held[file].name);
    if (open->size_bytes() != plan_.held[file].bytes)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: was changed while it was read", open->name()));
    remember(open);
  }
  return open;
}

// With its header from the first moment on; whoever resumes writes the same again.
ReshardRun::OpenFile ReshardRun::made(std::size_t file) {
  const std::lock_guard lock(open_mutex_);
  OpenFile& open = made_[file];
  if (!open) {
    open = files_.open_made(plan_.made[file].name);
    remember(open);
  }
  if (!begun_[file]) {
    open->reserve(plan_.made[file].bytes);
    const std::string header = safetensors_bytes(plan_.made[file].header);
    open->write(0, std::as_bytes(std::span(header)));
    begun_[file] = true;
  }
  return open;
}

// After the write: a sync in between would forget it.
void ReshardRun::mark_written(std::size_t file) {
  const std::lock_guard lock(open_mutex_);
  dirty_[file] = true;
}

void ReshardRun::fetch(const ReshardJob& job, Worker& worker, Digest& digest) {
  const TensorMove& move = plan_.tensors[job.tensor];
  const std::uint64_t element = move.whole.type->bytes;
  const std::span<std::byte> slab = worker.slab.first(job.bytes);
  const disk::BoxCell cell = cell_of(slab.data(), job.box, element);
  disk::BoxCopier copier(element);
  for (const Place& place : move.from)
    for_each_request(
        place, job.box, element, {.only_first = true, .bytes_max = plan_.slab_bytes},
        [&](const FileRequest& request) {
          ++counts_.reads;
          counts_.bytes_read += request.bytes;
          const Shared& first = request.shared[0];
          if (request.shared.size() == 1 && first.local == request.local &&
              is_run(first.whole, job.box)) {
            held(place.file)->read(request.start_byte, {cell.at(first.whole), request.bytes});
            return;
          }
          const std::span<std::byte> piece = worker.piece.first(request.bytes);
          held(place.file)->read(request.start_byte, piece);
          for (const Shared& one : request.shared) {
            // In the coordinates of the whole tensor.
            disk::BoxCell from = cell_of(piece.data(), request.local, element);
            from.base = from.at(one.local);
            from.where = one.whole;
            copier.copy(from, cell, one.whole);
          }
        });
  add_box(digest, move.whole, job.box, slab, job.box);
}

void ReshardRun::put(const ReshardJob& job, Worker& worker, Digest& digest) {
  const TensorMove& move = plan_.tensors[job.tensor];
  const std::uint64_t element = move.whole.type->bytes;
  const disk::BoxCell cell = cell_of(worker.slab.first(job.bytes).data(), job.box, element);
  disk::BoxCopier copier(element);
  for (const Place& place : move.to) {
    if (job.file && place.file != *job.file) continue;
    for_each_request(
        place, job.box, element, {.exact = true, .bytes_max = plan_.slab_bytes},
        [&](const FileRequest& request) {
          std::span<std::byte> bytes;
          const Shared& first = request.shared[0];
          if (request.shared.size() == 1 && is_run(first.whole, job.box)) {
            bytes = {cell.at(first.whole), request.bytes};
          } else {
            bytes = worker.piece.first(request.bytes);
            for (const Shared& one : request.shared) {
              disk::BoxCell to = cell_of(bytes.data(), request.local, element);
              to.base = to.at(one.local);
              to.where = one.whole;
              copier.copy(cell, to, one.whole);
            }
          }
          const disk::BoxCell sent = cell_of(bytes.data(), request.local, element);
          for (const Shared& one : request.shared) {
            if (!one.is_first && !job.file) continue;
            const auto skipped = static_cast<std::size_t>(sent.at(one.local) - bytes.data());
            add_box(digest, move.whole, one.whole, bytes.subspan(skipped), request.local);
          }
          made(place.file)->write(request.start_byte, bytes);
          mark_written(place.file);
          ++counts_.writes;
          counts_.bytes_written += request.bytes;
        });
  }
}

disk::BoxShare ReshardRun::work(const ReshardJob& job, Worker& worker) {
  disk::BoxShare share;
  // Shapes alone do not tell one scale for all from one for the part of each rank. They are few.
  if (plan_.tensors[job.tensor].is_scale && plan_.from.ranks() > 1) read_places(job, worker, false);
  fetch(job, worker, share.read);
  put(job, worker, share.written);
  return share;
}

// What is pending was written before; what is written meanwhile is noted later.
void ReshardRun::sync_and_note(disk::BoxJournal& journal) {
  std::vector<std::size_t> files;
  {
    const std::lock_guard lock(open_mutex_);
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (dirty_[i]) files.push_back(i);
    dirty_.assign(dirty_.size(), false);
  }
  for (const std::size_t file : files) made(file)->sync();
  files_.sync_names();
  journal.note(pending_);
  pending_.clear();
  pending_bytes_ = 0;
}

void ReshardRun::for_all_jobs(const std::vector<ReshardJob>& jobs,
                              const std::vector<std::uint64_t>& numbers, const Progress& progress,
                              const std::function<void(std::uint64_t, Worker&)>& work) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < plan_.threads; ++i)
    workers.push_back(std::make_unique<Worker>(plan_.slab_bytes));
  std::uint64_t all = 0;
  for (const ReshardJob& job : jobs) all += job.bytes;
  std::uint64_t done = all;
  for (const std::uint64_t number : numbers) done -= jobs[number].bytes;
  std::mutex progress_mutex;
  report(progress, done, all);
  in_parallel(plan_.threads, numbers.size(), [&](std::uint64_t part, int worker) {
    work(numbers[part], *workers[static_cast<std::size_t>(worker)]);
    const std::lock_guard lock(progress_mutex);
    done += jobs[numbers[part]].bytes;
    report(progress, done, all);
  });
}

void ReshardRun::run(disk::BoxJournal& journal, const Progress& progress) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t job = 0; job < plan_.jobs.size(); ++job)
    if (journal.done().count({0, job}) == 0) numbers.push_back(job);
  resumed_jobs_ = plan_.jobs.size() - numbers.size();
  for_all_jobs(plan_.jobs, numbers, progress, [&](std::uint64_t number, Worker& worker) {
    const disk::BoxShare share = work(plan_.jobs[number], worker);
    const std::lock_guard lock(note_mutex_);
    pending_.push_back({{0, number}, share});
    pending_bytes_ += plan_.jobs[number].bytes;
    if (pending_bytes_ >= plan_.noted_bytes) sync_and_note(journal);
  });
  // Files whose tensors are all empty are made too.
  for (std::size_t file = 0; file < plan_.made.size(); ++file) {
    made(file);
    mark_written(file);
  }
  sync_and_note(journal);
  std::vector<disk::BoxShare> shares(plan_.tensors.size());
  for (const auto& [job, share] : journal.done())
    shares[plan_.jobs.at(job.second).tensor].add(share);
  digests_ = compared_digests(plan_, shares);
}

std::map<std::size_t, disk::BoxShare> ReshardRun::make_file(std::size_t file) {
  const std::vector<ReshardJob> jobs = jobs_of_file(plan_, file);
  std::vector<std::uint64_t> numbers(jobs.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::map<std::size_t, disk::BoxShare> shares;
  for_all_jobs(jobs, numbers, {}, [&](std::uint64_t number, Worker& worker) {
    const ReshardJob& job = jobs[number];
    const disk::BoxShare share = work(job, worker);
    // What another file has too is not noted, and so is compared here.
    if (share.read.value() != share.written.value()) refuse_written(plan_, job.tensor);
    const std::lock_guard lock(note_mutex_);
    disk::BoxShare& noted = shares[job.tensor];
    if (job.is_first) noted.add(share);
  });
  made(file)->sync();
  return shares;
}

std::vector<Digest> compared_digests(const ReshardPlan& plan,
                                     const std::vector<disk::BoxShare>& shares) {
  std::vector<Digest> digests;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Digest& read = shares[i].read;
    const Digest& written = shares[i].written;
    if (read.value() != written.value() || read.bytes() != written.bytes()) refuse_written(plan, i);
    digests.push_back(read);
  }
  return digests;
}

// Sums of each block by its place; those of the same place must be alike.
Digest ReshardRun::read_places(const ReshardJob& job, Worker& worker, bool is_made) {
  const TensorMove& move = plan_.tensors[job.tensor];
  const std::uint64_t element = move.whole.type->bytes;
  struct Summed {
    Digest digest;
    std::size_t file;
  };
  std::map<std::vector<std::uint64_t>, Summed> blocks;
  Digest sum = Digest();
  for (const Place& place : is_made ? move.to : move.from) {
    for (const PlacedBlock& block : place.blocks) {
      const Box whole = disk::common_box(block.whole, job.box);
      if (disk::elements_of(whole) == 0) continue;
      std::vector<std::uint64_t> key;
      for (const disk::Interval& axis : whole) key.push_back(axis.begin);
      const Place one{place.file, place.start_byte, place.lengths, {block}};
      Digest digest = Digest();
      for_each_request(
          one, job.box, element, {.exact = true, .bytes_max = plan_.slab_bytes},
          [&](const FileRequest& request) {
            const std::span<std::byte> piece = worker.piece.first(request.bytes);
            (is_made ? made(place.file) : held(place.file))->read(request.start_byte, piece);
            add_box(digest, move.whole, request.shared[0].whole, piece, request.local);
          });
      if (block.is_first) sum.add(digest);
      const Summed& first = blocks.emplace(key, Summed{digest, place.file}).first->second;
      if (first.digest.value() != digest.value())
        throw Error(ErrorCode::refused,
                    fmt::format("tensor '{}': {} and {} should hold the same part and do not{}",
                                move.whole.name,
                                is_made ? plan_.made[first.file].name : plan_.held[first.file].name,
                                is_made ? plan_.made[place.file].name : plan_.held[place.file].name,
                                move.is_scale ? "; where each has the scales of blocks of its own, "
                                                "block=128 says how long a block is"
                                              : ""));
    }
  }
  return sum;
}

void ReshardRun::read_again(const ReshardJob& job, Worker& worker) {
  const Digest read = read_places(job, worker, false);
  if (read.value() != read_places(job, worker, true).value())
    throw Error(ErrorCode::refused,
                fmt::format("tensor '{}': the files that were made do not hold what was read",
                            plan_.tensors[job.tensor].whole.name));
}

void ReshardRun::verify(const Progress& progress) {
  begun_.assign(begun_.size(), true);  // nothing is written
  std::vector<std::uint64_t> numbers(plan_.jobs.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  for_all_jobs(plan_.jobs, numbers, progress, [&](std::uint64_t number, Worker& worker) {
    read_again(plan_.jobs[number], worker);
  });
}

}  // namespace faro::inline v1::checkpoints
