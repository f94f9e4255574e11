#include "faro/disk/permute_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "disk/crc32c.hpp"
#include "disk/job.hpp"
#include "disk/journal.hpp"
#include "disk/plan_state.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1 {
namespace disk {

FileIdentity identity_of(files::PosixFile& file) {
  const files::FileStatus status = file.status();
  FileIdentity identity{.size_bytes = status.size_bytes,
                        .changed_nanoseconds = status.changed_nanoseconds,
                        .inode = status.inode,
                        .device = status.device};
  constexpr std::uint64_t blocks = 64;
  std::vector<std::byte> block(block_bytes);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t at = identity.size_bytes / blocks * i;
    const std::span<std::byte> piece =
        std::span(block).first(std::min(block_bytes, identity.size_bytes - at));
    file.read(at, piece);
    identity.samples_crc32c = disk::crc32c(piece, identity.samples_crc32c);
  }
  return identity;
}

void check_size(const std::string& in, std::uint64_t found, const FilePermutePlan& plan,
                std::uint64_t start) {
  if (found >= start && found - start == plan.facts().data_bytes) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: map and shape say {} bytes from byte {} on, the file has {} bytes",
                          in, to_string(plan.facts().data_bytes), start, found));
}

void refuse_damaged(files::Storage& storage) {
  const bool in_place = storage.exists(files::Storage::Part::array);
  // The journal's first line is on the disk before there is any of these.
  if (!in_place && !storage.exists(files::Storage::Part::data) &&
      !storage.exists(files::Storage::Part::redo))
    return;
  if (!Journal(storage.journal()).is_blank()) return;
  throw Error(ErrorCode::environment,
              fmt::format("{}: the journal is damaged: what it said of the unfinished data beside "
                          "it is gone; {}",
                          storage.journal().name(), instead_of_resuming(in_place)));
}

void refuse_unfinished(files::Storage& storage, const std::string& out,
                       const PermuteFileOptions& options) {
  if (options.unfinished == PermuteFileOptions::Unfinished::fresh) storage.reset();
  refuse_damaged(storage);
  if (Journal(storage.journal()).is_blank()) return;
  const bool in_place = storage.exists(files::Storage::Part::array);
  throw Error(ErrorCode::usage,
              fmt::format("{}: an earlier run is unfinished: {}; --resume goes on with it{}", out,
                          describe_unfinished(out),
                          in_place ? ". It was in place, so it cannot be begun anew"
                                   : ", --fresh begins anew"));
}

const char* instead_of_resuming(bool in_place) {
  return in_place ? "it was in place, so there is nothing to begin anew from but another copy of "
                    "the array"
                  : "--fresh begins anew";
}

}  // namespace disk

namespace {

using disk::JobRequest;
using disk::refuse_unfinished;

PermuteFileReport run(const JobRequest& request, const FilePermutePlan& plan,
                      files::Storage& storage, files::PosixFile& input,
                      const ResumeFileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto check_input = [&] {
    const files::FileStatus now = input.status();
    if (now.size_bytes != request.identity.size_bytes ||
        now.changed_nanoseconds != request.identity.changed_nanoseconds)
      disk::refuse_changed_while_read(input.name());
  };
  const disk::JobOutcome outcome =
      disk::run_job(request, plan, storage, input, options, check_input);
  return {
      .plan = plan.facts(),
      .counts = outcome.counts,
      .resumed_bytes = outcome.resumed_bytes,
      .verified = request.verify,
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

// Of an array that is being rearranged in place only its place is as it was.
bool is_same_file(const disk::FileIdentity& a, const disk::FileIdentity& b) {
  return a.size_bytes == b.size_bytes && a.inode == b.inode && a.device == b.device;
}

// What an unfinished run goes on with: the file that it began with, or one that the caller vouches
// for and that nothing in it speaks against.
bool is_the_input(const disk::FileIdentity& found, const JobRequest& request, bool begun,
                  bool unchanged) {
  const disk::FileIdentity& known = request.identity;
  const bool rearranged = request.in_place && begun;
  if (found == known || (rearranged && is_same_file(found, known))) return true;
  return unchanged && found.size_bytes == known.size_bytes &&
         (rearranged || found.samples_crc32c == known.samples_crc32c);
}

[[noreturn]] void refuse_changed(const std::string& input, const std::string& out,
                                 const JobRequest& request, bool unchanged) {
  const char* const otherwise = disk::instead_of_resuming(request.in_place);
  if (unchanged)
    throw Error(ErrorCode::environment,
                fmt::format("{}: its size or what it holds is not what it was when the unfinished "
                            "run of '{}' began; nothing was touched; {}",
                            input, out, otherwise));
  throw Error(ErrorCode::environment,
              fmt::format("{}: was changed, or copied, since the unfinished run of '{}' began; "
                          "nothing was touched. If you know that it holds what it held then, "
                          "'faro permute --resume {} --unchanged' goes on. If not: {}",
                          input, out, out, otherwise));
}

// Runs of axes of any length are seldom whole blocks of the disk, whose ends would go through the
// page cache and the rest past it: short ones all go through it.
FileIo io_for(const FilePermutePlan& plan, FileIo wanted) {
  constexpr std::uint64_t long_bytes = std::uint64_t{1} << 18U;
  if (wanted != FileIo::automatic || !plan.state().lengths) return wanted;
  const FilePassFacts& pass = plan.facts().passes.front();
  const auto suits = [](std::uint64_t run) {
    return run >= long_bytes || run % disk::block_bytes == 0;
  };
  return suits(pass.read_run_bytes) && suits(pass.write_run_bytes) ? wanted : FileIo::buffered;
}

}  // namespace

PermuteFileReport permute_file(const std::string& in, const std::string& out, const Map& map,
                               const PermuteShape& shape, const PermuteFileOptions& options) {
  const auto plan = FilePermutePlan::out_of_place(map, shape, options.plan);
  const FileIo io = io_for(plan, options.io);
  files::PosixFile input(in, {.access = FileAccess::read, .io = io});
  disk::check_size(in, input.size_bytes(), plan, options.input_start_byte);
  const FileTarget target = FileTarget::find(out);
  const auto storage = files::open_storage(target, options.temporary_folder, io);
  refuse_unfinished(*storage, out, options);
  const JobRequest request{.map = map,
                           .shape = shape,
                           .plan = options.plan,
                           .input = std::filesystem::absolute(in).string(),
                           .input_start_byte = options.input_start_byte,
                           .output_start = options.output_start,
                           .temporary_folder = options.temporary_folder,
                           .verify = options.verify,
                           .identity = disk::identity_of(input)};
  return run(request, plan, *storage, input, options);
}

PermuteFileReport permute_in_place(const std::string& file, const Map& map,
                                   const PermuteShape& shape, const PermuteFileOptions& options) {
  const auto plan = FilePermutePlan::in_place(map, shape, options.plan);
  const FileTarget target = FileTarget::find(file);
  const auto open = [&] {
    auto array = std::make_unique<files::PosixFile>(
        target.target, RandomFileOptions{.access = FileAccess::write, .io = options.io});
    disk::check_size(file, array->size_bytes(), plan, options.input_start_byte);
    return array;
  };
  // While it is unfinished it has not this name.
  if (!files::has_unfinished(target)) open();
  const auto storage = files::open_storage(target, "", options.io);
  refuse_unfinished(*storage, file, options);
  const auto array = open();
  const JobRequest request{.map = map,
                           .shape = shape,
                           .plan = options.plan,
                           .input = std::filesystem::absolute(file).string(),
                           .input_start_byte = options.input_start_byte,
                           .output_start = {},
                           .temporary_folder = {},
                           .verify = options.verify,
                           .in_place = true,
                           .identity = disk::identity_of(*array)};
  return run(request, plan, *storage, *array, options);
}

PermuteFileReport resume_file(const std::string& out, const ResumeFileOptions& options) {
  const FileTarget target = disk::target_of(out);
  if (!files::has_unfinished(target))
    throw Error(ErrorCode::usage, fmt::format("{}: there is no unfinished run to go on with", out));
  std::string header;
  std::string name;
  {
    const auto storage = files::open_storage(target, "", options.io);
    disk::refuse_damaged(*storage);
    const disk::Journal journal(storage->journal());
    name = storage->journal().name();
    if (journal.is_blank()) {
      storage->discard();
      throw Error(ErrorCode::usage, fmt::format("{}: the run was stopped before anything was done, "
                                                "so there is nothing to go on with; begin anew",
                                                out));
    }
    header = journal.header();
  }
  JobRequest request = JobRequest::parse(header, name);
  if (is_zarr(request.input)) return disk::resume_zarr(request, header, out, options);
  const auto plan = request.make_plan();
  if (disk::plan_checksum(plan) != disk::plan_checksum_in(header))
    throw Error(ErrorCode::environment,
                fmt::format("{}: it was begun by another version, which planned otherwise; finish "
                            "it with that one; else {}",
                            out, disk::instead_of_resuming(request.in_place)));
  const FileIo io = io_for(plan, options.io);
  const auto storage = files::open_storage(target, request.temporary_folder, io);
  const bool moved = request.in_place && storage->exists(files::Storage::Part::array);
  files::PosixFile input(moved              ? files::unfinished_folder(target) + "/array"
                         : request.in_place ? target.target
                                            : request.input,
                         {.access = FileAccess::read, .io = io});
  const auto last = disk::Journal(storage->journal()).last();
  const bool only_its_name = last && last->kind == disk::Record::Kind::complete;
  const disk::FileIdentity found = only_its_name ? request.identity : disk::identity_of(input);
  if (!is_the_input(found, request, last.has_value(), options.unchanged))
    refuse_changed(input.name(), out, request, options.unchanged);
  request.identity = found;
  return run(request, plan, *storage, input, options);
}

std::string describe_unfinished(const std::string& out) {
  const FileTarget target = disk::target_of(out);
  if (!files::has_unfinished(target)) return "";
  files::PosixFile file(files::unfinished_folder(target) + "/journal",
                        {.access = FileAccess::read, .io = FileIo::buffered});
  const disk::Journal journal(file);
  const auto last = journal.last();
  if (!last) return "no checkpoint was reached";
  if (last->kind == disk::Record::Kind::complete) return "it is complete but for its name";
  const std::uint64_t not_yet = last->kind == disk::Record::Kind::logged ? last->slot : 0;
  return fmt::format("{} tiles of pass {} are done", last->count - not_yet, last->pass + 1);
}

}  // namespace faro::inline v1
