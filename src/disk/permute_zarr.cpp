// Zarr arrays of 2^w elements as files: the map, the chunks and the codecs in the same passes.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "disk/crc32c.hpp"
#include "disk/job.hpp"
#include "disk/journal.hpp"
#include "disk/plan_state.hpp"
#include "disk/stored/array_form.hpp"
#include "disk/zarr_file.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace disk {
namespace {

using Folder = std::shared_ptr<files::PosixFolder>;

std::unique_ptr<ZarrFile> open_file(const std::string& path) {
  const auto folder = std::make_shared<files::PosixFolder>(path);
  return std::make_unique<ZarrFile>(open_zarr(folder), folder);
}

// The journal and the temporary file lie where those of a file do; `data` is a folder.
class ZarrStorage : public files::Storage {
 public:
  ZarrStorage(FileTarget target, const std::string& temporary_folder, FileIo io)
      : target_(std::move(target)),
        data_(std::make_shared<files::PosixFolder>(files::unfinished_folder(target_) + "/data")),
        rest_(files::open_storage(target_, temporary_folder, io)) {}

  // What `data` is to be, where it is not there yet.
  void make(ArrayForm form) { form_ = std::move(form); }

  RandomFile& journal() override { return rest_->journal(); }
  bool exists(Part part) override {
    return part == Part::data ? data_->exists() : rest_->exists(part);
  }
  std::unique_ptr<RandomFile> open(Part part) override {
    if (part != Part::data) return rest_->open(part);
    return std::make_unique<ZarrFile>(create_zarr(data_, form_), data_);
  }
  void sync_folder() override {
    rest_->sync_folder();
    if (data_->exists()) data_->sync();
  }
  void adopt() override {
    throw Error(ErrorCode::usage,
                fmt::format("{}: a folder of chunks is not rearranged in place", target_.path));
  }
  void reset() override {
    data_->remove("");
    rest_->reset();
  }
  void publish() override {
    data_->sync();
    create_zarr(data_, form_)->complete();
    data_->move(target_.target);
    target_.sync_folder();
  }
  void discard() override {
    data_->remove("");
    rest_->discard();
  }

 private:
  FileTarget target_;
  Folder data_;
  std::unique_ptr<files::Storage> rest_;
  ArrayForm form_;
};

FileIdentity identity_of_array(ZarrFile& file) {
  FileIdentity identity{.size_bytes = file.size_bytes(),
                        .samples_crc32c = crc32c(file.store().description())};
  constexpr std::uint64_t samples = 64;
  const std::uint64_t chunk = file.form().chunk_bytes();
  const std::uint64_t chunks = identity.size_bytes / chunk;
  // The beginnings of chunks spread over the array.
  constexpr std::uint64_t sample_bytes_max = 4096;
  const std::uint64_t element = file.form().type.bytes;
  std::vector<std::byte> sample(
      std::min(chunk, std::max<std::uint64_t>(sample_bytes_max / element, 1) * element));
  const std::uint64_t count = std::min(samples, chunks);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint64_t>(Count{chunks} * i / count);
    file.read(at * chunk, sample);
    identity.samples_crc32c = crc32c(sample, identity.samples_crc32c);
  }
  return identity;
}

// From storage to storage.
BitMap stored_map(const ZarrFile& from, const ZarrFile& to, const BitMap& map) {
  const BitMap in = from.layout();
  const BitMap asked = map.width() == 0 ? BitMap::identity(in.width()) : map;
  if (asked.width() != in.width())
    throw Error(ErrorCode::usage, fmt::format("the map is of {} bits, and the array has 2^{} "
                                              "elements",
                                              asked.width(), in.width()));
  return then(then(in.inverse(), asked), to.layout());
}

// With tiles that leave room for what encoding takes.
FilePlanOptions plan_options(FilePlanOptions options, const ZarrFile& from, const ZarrFile& to,
                             int io_threads) {
  const std::uint64_t codecs = from.read_memory(io_threads) + to.write_memory(io_threads);
  const std::uint64_t tile =
      options.memory_bytes <= codecs ? 0 : tile_bytes_within(options.memory_bytes - codecs);
  if (tile < from.form().type.bytes)
    throw Error(ErrorCode::impossible,
                fmt::format("a memory of {} does not hold the buffers of encoded chunks, {}, and "
                            "{} beside tiles; smaller chunks or shards take less",
                            files::size_text(options.memory_bytes), files::size_text(codecs),
                            files::size_text(working_bytes)));
  options.tile_bytes_max = std::min(options.tile_bytes_max, tile);
  options.input_piece_bytes = from.read_unit_bytes();
  options.output_piece_bytes = to.write_unit_bytes();
  return options;
}

struct Prepared {
  std::unique_ptr<ZarrFile> from;
  std::unique_ptr<ZarrFile> to;  // never read or written: what it would be
  BitMap map;
  FilePlanOptions options;
};

Prepared prepare(const std::string& in, const BitMap& map, const ZarrOptions& zarr,
                 const FilePlanOptions& options, int io_threads) {
  auto from = open_file(std::filesystem::absolute(in).string());
  ArrayForm form = form_of_description(
      describe_changed(
          from->store(),
          {.chunks = zarr.chunks, .shards = zarr.shards, .codec = zarr.codec, .shape = zarr.shape}),
      "the new array");
  if (map.width() != 0) drop_names(form);
  const auto nowhere = std::make_shared<files::PosixFolder>("the new array");
  auto to =
      std::make_unique<ZarrFile>(std::make_unique<ZarrStore>(std::move(form), nowhere), nowhere);
  BitMap stored = stored_map(*from, *to, map);
  FilePlanOptions all = plan_options(options, *from, *to, io_threads);
  return {std::move(from), std::move(to), std::move(stored), std::move(all)};
}

PermuteFileReport run(const JobRequest& request, const FilePermutePlan& plan, ZarrStorage& storage,
                      ZarrFile& input, const ResumeFileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto check_input = [&] {
    if (identity_of_array(input) != request.identity) refuse_changed_while_read(request.input);
  };
  const JobOutcome outcome = run_job(request, plan, storage, input, options, check_input);
  return {
      .plan = plan.facts(),
      .counts = outcome.counts,
      .resumed_bytes = outcome.resumed_bytes,
      .verified = request.verify,
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace

FileTarget target_of(const std::string& out) {
  std::string path = out;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path != out || std::filesystem::is_directory(path)) {
    const auto whole = std::filesystem::absolute(path);
    return {.path = out, .target = whole.string(), .folder = whole.parent_path().string()};
  }
  return FileTarget::find(path);
}

PermuteFileReport resume_zarr(const JobRequest& request, std::string_view header,
                              const std::string& out, const ResumeFileOptions& options) {
  const auto plan = FilePermutePlan::out_of_place(request.map, request.shape, request.plan);
  if (plan_checksum(plan) != plan_checksum_in(header))
    throw Error(ErrorCode::environment,
                fmt::format("{}: it was begun by another version, which planned otherwise; finish "
                            "it with that one, or --fresh begins anew",
                            out));
  const auto opened = open_file(request.input);
  ZarrFile& input = *opened;
  ZarrStorage storage(target_of(out), request.temporary_folder, options.io);
  const auto last = Journal(storage.journal()).last();
  const bool only_its_name = last && last->kind == Record::Kind::complete;
  if (!only_its_name && identity_of_array(input) != request.identity)
    throw Error(ErrorCode::environment,
                fmt::format("{}: was changed since the unfinished run of '{}' began; nothing was "
                            "touched. --fresh begins anew",
                            request.input, out));
  storage.make(form_of_description(request.output_metadata, out));
  return run(request, plan, storage, input, options);
}

}  // namespace disk

bool is_zarr(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none) &&
         (std::filesystem::exists(path + "/zarr.json", none) ||
          std::filesystem::exists(path + "/.zarray", none));
}

std::vector<std::uint64_t> zarr_shape(const std::string& path) {
  return disk::read_form(files::PosixFolder(path)).shape;
}

FilePermutePlan plan_zarr(const std::string& in, const BitMap& map, const ZarrOptions& zarr,
                          const FilePlanOptions& options) {
  const auto prepared = disk::prepare(in, map, zarr, options, ResumeFileOptions{}.io_threads);
  return FilePermutePlan::out_of_place(
      prepared.map, {.element_bytes = prepared.from->form().type.bytes}, prepared.options);
}

PermuteFileReport permute_zarr(const std::string& in, const std::string& out, const BitMap& map,
                               const ZarrOptions& zarr, const PermuteFileOptions& options) {
  if (options.input_start_byte != 0 || !options.output_start.empty())
    throw Error(ErrorCode::usage, "a Zarr array begins where it begins: no start bytes");
  auto prepared = disk::prepare(in, map, zarr, options.plan, options.io_threads);
  const PermuteShape shape{.element_bytes = prepared.from->form().type.bytes};
  const auto plan = FilePermutePlan::out_of_place(prepared.map, shape, prepared.options);
  const FileTarget target = disk::target_of(out);
  std::error_code none;
  if (std::filesystem::exists(target.target, none) &&
      !std::filesystem::is_empty(target.target, none))
    throw Error(ErrorCode::usage,
                fmt::format("{}: is there already; remove it, or give another name", out));
  disk::ZarrStorage storage(target, options.temporary_folder, options.io);
  disk::refuse_unfinished(storage, out, options);
  storage.make(prepared.to->form());
  const disk::JobRequest request{.map = prepared.map,
                                 .shape = shape,
                                 .plan = prepared.options,
                                 .input = prepared.from->name(),
                                 .temporary_folder = options.temporary_folder,
                                 .verify = options.verify,
                                 .identity = disk::identity_of_array(*prepared.from),
                                 .output_metadata = prepared.to->store().description()};
  return disk::run(request, plan, storage, *prepared.from, options);
}

}  // namespace faro::inline v1
