#include "cli/permute_disk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrays/axis.hpp"
#include "base/sizes.hpp"
#include "cli/memory.hpp"
#include "cli/permute_tiles.hpp"
#include "disk/named_profiles.hpp"
#include "disk/plan_report.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/files/array_file.hpp"
#include "files/storage.hpp"
#include "layouts/foreign.hpp"

namespace faro::cli {
namespace {

// An array in a file, known by its header; nothing of it is read or mapped.
struct Place {
  NpyHeader header;
  std::uint64_t start_byte = 0;
  std::uint64_t file_bytes = 0;
};

Place find_array(const DiskRequest& request) {
  InputFile file = InputFile::open(request.in);
  if (!file.is_mappable())
    throw Error(ErrorCode::usage,
                fmt::format("{}: is no regular file; what comes from a pipe goes through memory, "
                            "without --memory",
                            file.name()));
  Place place;
  place.file_bytes = file.size_bytes();
  if (request.element_bytes) {
    if (place.file_bytes % *request.element_bytes != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: {} bytes are no whole number of elements of {} bytes",
                              request.in, place.file_bytes, *request.element_bytes));
    place.header.element_bytes = *request.element_bytes;
    place.header.shape = {place.file_bytes / *request.element_bytes};
    return place;
  }
  std::vector<std::byte> start(npy_preamble_bytes);
  start.resize(file.read_full(start));
  place.start_byte = npy_data_offset(start, request.in);
  const std::size_t have = start.size();
  start.resize(std::max<std::size_t>(place.start_byte, have));
  start.resize(have + file.read_full(std::span(start).subspan(have)));
  place.header = parse_npy_header(start, request.in);
  if (place.file_bytes - place.start_byte != place.header.data_bytes())
    throw Error(ErrorCode::usage,
                fmt::format("{}: shape and type say {} bytes of data, there are {}", request.in,
                            place.header.data_bytes(), place.file_bytes - place.start_byte));
  return place;
}

std::uint64_t memory_of(const DiskOptions& options) {
  // The other half is for whoever else is there.
  if (!options.memory) return available_memory_bytes() / 2;
  return parse_bytes(*options.memory, "--memory");
}

FilePlanOptions plan_options(const DiskOptions& options) {
  FilePlanOptions plan;
  plan.memory_bytes = memory_of(options);
  if (options.run) plan.run_bytes_min = parse_bytes(*options.run, "--run");
  if (options.passes) {
    if (*options.passes == 0 || *options.passes > 1000)
      throw Error(ErrorCode::usage, "--passes: wanted 1 to 1000");
    plan.passes = static_cast<int>(*options.passes);
  }
  plan.temporary = !options.no_temporary;
  if (options.device) plan.profile = disk::named_profile(*options.device);
  return plan;
}

void common_options(const DiskRequest& request, const Output& out, ResumeFileOptions& options) {
  if (request.disk.io == "direct") options.io = FileIo::direct;
  if (request.disk.io == "buffered") options.io = FileIo::buffered;
  options.threads = request.threads;
  if (request.disk.checkpoint) options.checkpoint_seconds = *request.disk.checkpoint;
  options.progress = out.progress("permuting", Output::Unit::bytes);
}

// When the run goes on the plan is said first: an error before that stands alone.
void say_plan(const FilePermutePlan& plan, Output& out, ResumeFileOptions& options) {
  if (out.is_json()) return;
  options.progress = [&out, words = std::make_shared<std::string>(plan.describe()),
                      progress = options.progress](std::uint64_t done, std::uint64_t total) {
    if (!words->empty()) out.talk(std::exchange(*words, {}));
    return progress(done, total);
  };
}

// A block's multiple, so that the data can be written directly. NumPy reads and maps such files.
std::string padded_header(const NpyHeader& header) {
  constexpr std::size_t block_bytes = 4096;
  return npy_header_bytes(header, block_bytes);
}

[[noreturn]] void with_hint(const Error& error, const std::string& target, Output& out) {
  std::string done;
  try {
    done = describe_unfinished(target);
  } catch (const Error&) {  // the first error is the one that is told
  }
  const std::string message = error.what();
  // Of an interrupt the program says no more than that it was one.
  if (error.code() == ErrorCode::cancelled && !done.empty())
    out.talk(fmt::format("{}: {}; 'faro permute --resume {}' goes on", target, done, target));
  if (done.empty() || message.find("--resume") != std::string::npos) throw error;
  throw Error(error.code(),
              fmt::format("{}; {}: 'faro permute --resume {}' goes on", message, done, target));
}

// What would be done, where --plan asks for no more.
int tell_plan(const std::string& in, const std::string& map, const Report& plan, Output& out) {
  Report report = plan;
  report.set_words(fmt::format("{}: {}\n{}", harmless(in), map, plan.words()));
  out.report(report, Report::Lines::many);
  return 0;
}

void tell(const PermuteFileReport& report, const std::string& target, const std::string& in,
          Output& out) {
  const std::size_t passes = report.plan.passes.size();
  const double moved = static_cast<double>(report.counts.bytes_written);
  Report row{{"in", in},
             {"out", target},
             {"bytes", static_cast<std::uint64_t>(report.plan.data_bytes)},
             {"memory_bytes", report.plan.memory_bytes},
             {"passes", passes},
             {"reads", static_cast<std::uint64_t>(report.counts.reads)},
             {"writes", static_cast<std::uint64_t>(report.counts.writes)},
             {"bytes_read", static_cast<std::uint64_t>(report.counts.bytes_read)},
             {"bytes_written", static_cast<std::uint64_t>(report.counts.bytes_written)},
             {"resumed_bytes", report.resumed_bytes},
             {"seconds", report.seconds},
             {"verified", report.verified}};
  row.say("{}: {} in {} {}, {} reads and {} writes, {:.3f} s ({}/s a pass){}{}\n", target,
          bytes_text(static_cast<std::uint64_t>(report.plan.data_bytes)), passes,
          passes == 1 ? "pass" : "passes", to_string(report.counts.reads),
          to_string(report.counts.writes), report.seconds,
          bytes_text(static_cast<std::uint64_t>(report.seconds > 0 ? moved / report.seconds : 0)),
          report.resumed_bytes != 0
              ? fmt::format("; {} were done before", bytes_text(report.resumed_bytes))
              : "",
          report.verified ? "; every element checked" : "");
  out.tell(report_of_rows("faro-file-permute/1", row), Report::Lines::many);
}

}  // namespace

bool DiskOptions::zarr() const {
  return chunks || shards || shape || codec;
}

bool DiskOptions::any() const {
  return memory || run || passes || device || temporary || io || checkpoint || tiles || pass ||
         plan || fresh || no_temporary;
}

void declare_disk_options(Arguments& arguments, DiskOptions& options) {
  arguments.option("--memory", "SIZE", options.memory,
                   "hold no more than this, 2GiB, whatever the array's size");
  arguments.flag("--plan", options.plan, "print the plan within that memory and touch nothing");
  arguments.flag("--resume", options.resume,
                 "go on with the unfinished run of OUT, which is all that is given then");
  arguments.flag("--unchanged", options.unchanged,
                 "with --resume: you know that IN holds what it held, though it was copied");
  arguments.flag("--fresh", options.fresh, "begin an unfinished run anew");
  arguments.option("--passes", "K", options.passes, "over the file; by default the cheapest");
  arguments.option("--run", "SIZE", options.run, "read and write no shorter runs");
  arguments.option("--device", "NAME", options.device,
                   "ssd, cloud, network, hdd, or one that faro tune --disk --save measured");
  arguments
      .option("--temporary", "FOLDER", options.temporary,
              "for the temporary file of plans of several passes")
      .completes(Completes::file);
  arguments.flag("--no-temporary", options.no_temporary,
                 "no temporary file: passes after the first work within OUT");
  arguments.option("--io", "HOW", options.io, "by default direct where that is possible")
      .one_of({"direct", "buffered"});
  arguments.option("--checkpoint", "SECONDS", options.checkpoint,
                   "how much work a kill may cost; 10");
  arguments.option("--tiles", "A..B", options.tiles,
                   "only tiles A to B - 1 of one pass; others do the rest, elsewhere");
  arguments.option("--chunks", "64x64", options.chunks, "of a Zarr array that is OUT");
  arguments.option("--shards", "256x256", options.shards, "of its files, of several chunks each");
  arguments.option("--shape", "4096x4096", options.shape, "of it, if not that of IN");
  arguments.option("--codec", "NAME", options.codec, "of its chunks, if not that of IN")
      .one_of({"none", "zstd", "gzip", "blosc"});
  arguments.option("--pass", "N", options.pass, "of these tiles; 1 where there is one pass");
}

namespace {

// The map of all index bits, and the result's shape.
struct ZarrMove {
  BitMap map;
  std::vector<std::uint64_t> shape;
};

ZarrMove zarr_move(const DiskRequest& request, const std::vector<std::uint64_t>& shape) {
  if (request.map.empty()) return {{}, shape};
  NpyHeader header = npy_header("|u1", shape);
  const ArrayMove move = array_move(header, request.map, request.words, request.in);
  if (move.map.bits() == nullptr)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: maps of lengths that are no powers of two do not go to Zarr arrays "
                    "here; 'faro rechunk IN OUT --map' moves and reverses axes of any "
                    "lengths",
                    request.in));
  return {move.map.as_bits(), move.to.shape};
}

std::vector<std::uint64_t> lengths_of(const std::optional<std::string>& text) {
  return text ? shape_from(*text) : std::vector<std::uint64_t>{};
}

int permute_zarr_by_disk(const DiskRequest& request, Output& out) {
  const auto refuse = [](const char* why) { throw Error(ErrorCode::usage, why); };
  if (request.is_shaped)
    refuse("a Zarr array is moved by a map of its index bits, of all or of one --axis");
  if (request.element_bytes)
    refuse("--element-bytes: a Zarr array says itself what its elements are");
  if (request.in_place || (request.in == request.out && !request.disk.plan))
    refuse("a Zarr array goes from IN to OUT, another folder; --in-place is for one file");
  if (request.disk.tiles || request.disk.pass)
    refuse("--tiles and --pass are for one file; a Zarr array is rearranged by one process");
  PermuteFileOptions options;
  options.plan = plan_options(request.disk);
  const std::vector<std::uint64_t> before = zarr_shape(request.in);
  const auto [map, shape] = zarr_move(request, before);
  const bool stays = request.disk.shape || shape == before;
  const ZarrOptions zarr{.shape = stays ? lengths_of(request.disk.shape) : shape,
                         .chunks = lengths_of(request.disk.chunks),
                         .shards = lengths_of(request.disk.shards),
                         .codec = request.disk.codec};
  const auto plan = plan_zarr(request.in, map, zarr, options.plan);
  if (request.disk.plan) {
    return tell_plan(request.in, request.map, report_of(plan), out);
  }
  common_options(request, out, options);
  say_plan(plan, out, options);
  options.temporary_folder = request.disk.temporary.value_or("");
  if (request.disk.fresh) options.unfinished = PermuteFileOptions::Unfinished::fresh;
  options.verify = request.verify;
  try {
    tell(permute_zarr(request.in, request.out, map, zarr, options), request.out, request.in, out);
  } catch (const Error& error) {
    with_hint(error, request.out, out);
  }
  return 0;
}

void file_options(const DiskRequest& request, const Place& place, const NpyHeader& to,
                  const Output& out, PermuteFileOptions& options) {
  common_options(request, out, options);
  options.input_start_byte = place.start_byte;
  if (!to.type.empty()) options.output_start = padded_header(to);
  options.temporary_folder = request.disk.temporary.value_or("");
  if (request.disk.fresh) options.unfinished = PermuteFileOptions::Unfinished::fresh;
  options.verify = request.verify;
}

// Readers go by a name's ending: it must not say another format than the one that is written.
void check_ending(const DiskRequest& request) {
  const bool zarr = is_zarr(request.in);
  std::string name = request.out;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  const auto refuse = [&](const char* is, const char* becomes) {
    throw Error(ErrorCode::usage,
                fmt::format("{0}: IN is {1}, and permute writes {1} too; 'faro rechunk IN OUT' "
                            "writes {2}: before or after permute, or with --axes instead of it",
                            request.out, is, becomes));
  };
  if (name.ends_with(".npz"))
    throw Error(ErrorCode::usage, fmt::format("{}: a .npz file is an archive of .npy files, and "
                                              "one array is written: name it .npy",
                                              request.out));
  if (!zarr && name.ends_with(".zarr")) refuse("a file", "a Zarr array from one");
  if (zarr && (name.ends_with(".npy") || name.ends_with(".raw")))
    refuse("a Zarr array", "a file from one");
}

// Of a second copy in memory and on the disk, an array in place needs only the first where the
// disk has no room for the second. Axes of other lengths go so where --memory asks for it: not all
// of them can.
bool lacks_room_in_place(const DiskRequest& request, std::uint64_t file_bytes) {
  return request.in_place && !request.is_shaped &&
         files::free_bytes_beside(request.in) < file_bytes &&
         request.move(find_array(request).header).bits;
}

// The log takes two tiles: tiles that leave room for it.
void fit_log(const DiskRequest& request, FilePlanOptions& plan) {
  constexpr std::uint64_t tile_bytes_min = std::uint64_t{1} << 16U;
  const std::uint64_t room = files::free_bytes_beside(request.in) / 3;
  plan.tile_bytes_max = std::min(plan.tile_bytes_max, std::max(room, tile_bytes_min));
}

}  // namespace

bool goes_by_disk(const DiskRequest& request) {
  check_ending(request);
  if (is_zarr(request.in)) return true;
  if (request.disk.zarr())
    throw Error(ErrorCode::usage,
                fmt::format("{}: is no Zarr array, whose chunks alone --chunks, --shards, --shape "
                            "and --codec say",
                            request.in));
  if (request.in == "-" || request.out == "-") {
    if (request.disk.any())
      throw Error(ErrorCode::usage, "--memory and what goes with it are for files; IN or OUT is -");
    return false;
  }
  if (request.disk.plan || request.disk.fresh || request.disk.tiles || request.disk.pass ||
      request.disk.temporary || request.disk.passes || request.disk.run || request.disk.device ||
      request.disk.io || request.disk.no_temporary)
    return true;
  const InputFile file = InputFile::open(request.in);
  if (!file.is_mappable()) return request.disk.any();
  // Mapped files are fastest where both fit.
  return file.size_bytes() > memory_of(request.disk) / 2 ||
         lacks_room_in_place(request, file.size_bytes());
}

int permute_by_disk(const DiskRequest& request, Output& out) {
  if (request.in_place && (request.disk.temporary || request.disk.no_temporary))
    throw Error(ErrorCode::usage, "--in-place never has a temporary file; it has a log beside IN");
  if (is_zarr(request.in)) return permute_zarr_by_disk(request, out);
  const Place place = find_array(request);
  const ArrayMove move = request.move(place.header);
  const Map map = move.bits ? Map(move.bits->map) : stored_map(move, place.header);
  const PermuteShape shape =
      move.bits ? move.bits->shape : PermuteShape{.element_bytes = place.header.element_bytes};
  PermuteFileOptions options;
  options.plan = plan_options(request.disk);
  if (request.in_place) fit_log(request, options.plan);
  const auto plan = request.in_place ? FilePermutePlan::in_place(map, shape, options.plan)
                                     : FilePermutePlan::out_of_place(map, shape, options.plan);
  if (request.disk.plan) {
    return tell_plan(request.in, move.text, report_of(plan), out);
  }
  file_options(request, place, move.to, out, options);
  say_plan(plan, out, options);
  if (request.disk.tiles || request.disk.pass) {
    const auto tiles = tiles_of(request.disk, plan.facts());
    tell_tiles(permute_file_tiles(request.in, request.out, map, shape, tiles, options), tiles,
               request, out);
    return 0;
  }
  try {
    tell(request.in_place ? permute_in_place(request.in, map, shape, options)
                          : permute_file(request.in, request.out, map, shape, options),
         request.out, request.in, out);
  } catch (const Error& error) {
    with_hint(error, request.out, out);
  }
  return 0;
}

int resume_by_disk(const std::string& target, const DiskRequest& request, Output& out) {
  ResumeFileOptions options;
  common_options(request, out, options);
  options.unchanged = request.disk.unchanged;
  try {
    tell(resume_file(target, options), target, "", out);
  } catch (const Error& error) {
    with_hint(error, target, out);
  }
  return 0;
}

}  // namespace faro::cli
