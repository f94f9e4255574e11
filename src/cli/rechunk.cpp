// `faro rechunk`: other chunks, shards, order of axes, within a cap of memory.
#include "faro/disk/rechunk.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/raw_words.hpp"
#include "cli/worker.hpp"
#include "disk/axis_words.hpp"
#include "disk/named_profiles.hpp"
#include "disk/rechunk_report.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {
namespace {

struct RechunkWords {
  std::string in;
  std::optional<std::string> out;
  std::string only;
  disk::AxisTexts axes;
  std::optional<std::string> codec, memory, device, worker, dtype, shape, order;
  std::optional<std::uint64_t> passes, threads, zarr_format;
  bool plan = false, resume = false, fresh = false, verify = false;
};

using Unfinished = RechunkOptions::Unfinished;

RechunkOptions common_options(const RechunkWords& words, Output& out) {
  RechunkOptions options;
  options.codec = words.codec;
  if (words.zarr_format) {
    if (*words.zarr_format != 2 && *words.zarr_format != 3)
      throw Error(ErrorCode::usage, "--zarr-format: wanted 2 or 3");
    options.zarr_format = static_cast<int>(*words.zarr_format);
  }
  if (words.order) {
    if (*words.order != "C" && *words.order != "F")
      throw Error(ErrorCode::usage, "--order: wanted C or F");
    options.order = *words.order == "F" ? ArrayOrder::fortran : ArrayOrder::c;
  }
  options.memory_bytes =
      words.memory ? parse_bytes(*words.memory, "--memory") : available_memory_bytes() / 2;
  if (words.device) options.profile = disk::named_profile(*words.device);
  if (words.passes) {
    if (*words.passes == 0 || *words.passes > 3)
      throw Error(ErrorCode::usage, "--passes: wanted 1, 2 or 3");
    options.passes = static_cast<int>(*words.passes);
  }
  if (words.threads) {
    if (*words.threads == 0 || *words.threads > 1024)
      throw Error(ErrorCode::usage, "--threads: wanted 1 to 1024");
    options.threads = static_cast<int>(*words.threads);
  }
  if (words.resume && words.fresh)
    throw Error(ErrorCode::usage, "--resume goes on, --fresh begins anew: one of them");
  if (words.resume) options.unfinished = Unfinished::resume;
  if (words.fresh) options.unfinished = Unfinished::fresh;
  options.verify = words.verify;
  options.progress = out.progress("rechunking", Output::Unit::bytes);
  return options;
}

// What depends on the array.
void array_options(const RechunkWords& words, const std::string& in, RechunkOptions& options) {
  options.raw = raw_array(words.dtype, words.shape, in);
  disk::read_axes(words.axes, in, options);
}

RechunkReport run_one(const RechunkWords& words, const std::string& in, const std::string& target,
                      RechunkOptions options) {
  // Workers compare what they are asked for.
  if (!words.resume || words.worker) array_options(words, in, options);
  if (words.worker && words.verify)
    throw Error(ErrorCode::usage,
                "--verify: no worker has the whole; 'faro check IN OUT' compares them when OUT is "
                "there");
  if (words.worker) return rechunk_share(in, target, share_from(*words.worker), options);
  return rechunk(in, target, options);
}

// Every array of a group, each as if alone; what the groups say of themselves comes last.
int run_group(const RechunkWords& words, const std::vector<std::string>& names, Output& out) {
  if (words.worker) throw Error(ErrorCode::usage, "--worker shares the work on one array");
  Report rows = Report::list();
  std::size_t done = 0;
  const auto is_meant = [&](const std::string& name) {
    return words.only.empty() || words.only == name;
  };
  // Before the first is written: words that do not fit one of them.
  for (const std::string& name : names) {
    if (!is_meant(name) || words.resume) continue;
    RechunkOptions options = common_options(words, out);
    try {
      array_options(words, words.in + "/" + name, options);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}/{}: {}; --only NAME takes one array of a group",
                                            words.in, name, error.what()));
    }
  }
  for (const std::string& name : names) {
    if (!is_meant(name)) continue;
    const std::string in = words.in + "/" + name;
    const std::string target = *words.out + "/" + name;
    RechunkOptions options = common_options(words, out);
    ++done;
    if (words.plan) {
      array_options(words, in, options);
      const Report plan = report_of(plan_rechunk(in, target, options));
      rows.say("{}\n{}", name, plan.words());
      rows.push_back({{"name", name}, {"plan", plan}});
      continue;
    }
    // Of a run that goes on some arrays have their names already.
    if (words.resume && std::filesystem::exists(target) && !has_unfinished_rechunk(target))
      continue;
    RechunkWords one = words;
    if (words.resume) {
      one.resume = has_unfinished_rechunk(target);
      options.unfinished = one.resume ? Unfinished::resume : Unfinished::refuse;
    }
    // What is unfinished lies beside its array, in the groups that it will be in.
    std::filesystem::create_directories(std::filesystem::path(target).parent_path());
    Report row = report_of(run_one(one, in, target, options));
    rows.add_words(row.words());
    rows.push_back(std::move(row));
  }
  if (done == 0)
    throw Error(ErrorCode::usage, fmt::format("{}: no array '{}'", words.in, words.only));
  if (!words.plan) copy_group_words(words.in, *words.out);
  Report whole{{"format", "faro-rechunk/1"}, {"rows", rows}};
  whole.set_words(rows.words());
  out.report(whole);
  return 0;
}

int run_rechunk(const RechunkWords& words, Output& out) {
  if (!words.out)
    throw Error(ErrorCode::usage, words.resume
                                      ? "wanted IN and OUT: to go on, say them again, with --resume"
                                      : "wanted IN and OUT");
  const std::vector<std::string> names = arrays_in(words.in);
  if (names.size() != 1 || !names[0].empty()) return run_group(words, names, out);
  if (!words.only.empty())
    throw Error(ErrorCode::usage, fmt::format("--only: {} is one array, and no group", words.in));
  RechunkOptions options = common_options(words, out);
  if (words.plan) {
    array_options(words, words.in, options);
    out.report(report_of(plan_rechunk(words.in, *words.out, options)));
    return 0;
  }
  try {
    const RechunkReport report = run_one(words, words.in, *words.out, options);
    options.progress = {};
    out.report(report_of_rows("faro-rechunk/1", report_of(report)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled && !words.worker)
      out.talk(fmt::format("'faro rechunk {} {} --resume' goes on", words.in, *words.out));
    throw;
  }
  return 0;
}

}  // namespace

extern const Command rechunk_command;
const Command rechunk_command{
    .name = "rechunk",
    .summary = "other chunks, shards or order of axes of an array larger than memory",
    .details =
        "IN and OUT are Zarr arrays (folders of version 3 or 2), .npy or .raw files, in\n"
        "any pairing; IN may be a group: every array in it. Lengths need not divide one\n"
        "another. The memory is a cap: the plan says its peak before anything is read,\n"
        "how few passes there are, and why. OUT is absent until it is complete and the\n"
        "digest of what was read is that of what was written; after a stop --resume goes\n"
        "on. Chunks: one length for each axis, or by names; 'all' is the whole axis,\n"
        "'auto' makes chunks of about 4 MiB.",
    .examples =
        "faro rechunk maps.zarr series.zarr --chunks time=all,lat=72,lon=auto --memory 2GiB\n"
        "faro rechunk in.zarr out.zarr --chunks 64,64,64 --shards 512,512,512 --codec zstd\n"
        "faro rechunk in.zarr out.zarr --axes 2,0,1 --chunks 100,100,100 --plan",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<RechunkWords>();
      arguments.positional("IN", words->in, "an array, or a group").completes(Completes::file);
      arguments.positional("OUT", words->out, "what it becomes").completes(Completes::file);
      arguments.option("--chunks", "LENGTHS", words->axes.chunks,
                       "of OUT: 365,72,auto, or by names");
      arguments.option("--shards", "LENGTHS", words->axes.shards,
                       "of OUT; multiples of its chunks");
      arguments.option("--axes", "ORDER", words->axes.axes,
                       "of OUT by those of IN: 2,0,1, or names");
      arguments.option("--flip", "AXES", words->axes.flip, "axes of OUT that are reversed");
      arguments.option("--map", "MAP", words->axes.map, "order and reversals: 't y x -> x ~t y'");
      arguments.option("--codec", "CODEC", words->codec,
                       "none, zstd, zstd:3, gzip, blosc:lz4:5; as in IN");
      arguments.option("--zarr-format", "N", words->zarr_format,
                       "of an OUT in a folder: 2 or 3; 3");
      arguments.option("--order", "C|F", words->order,
                       "of a .npy or .raw OUT: the last axis fastest, or the first; C");
      arguments.option("--memory", "SIZE", words->memory, "cap on memory; half of the free one");
      arguments.option("--passes", "K", words->passes, "exactly 1, 2 or 3 passes");
      arguments.option("--device", "NAME", words->device, "what reads and writes cost: ssd, ..");
      arguments.option("--threads", "N", words->threads, "threads; one for each core");
      arguments.flag("--plan", words->plan, "say the plan, do nothing");
      arguments.flag("--resume", words->resume, "go on with an unfinished run");
      arguments.flag("--fresh", words->fresh, "begin an unfinished run anew");
      arguments.flag("--verify", words->verify, "read OUT once more when it is written");
      arguments.option("--worker", "I/N", words->worker, "do share I of N; 0 to N-1 run together");
      arguments.option("--only", "NAME", words->only, "of a group this array");
      arguments.option("--dtype", "TYPE", words->dtype, "of a raw IN: float32, ..");
      arguments.option("--shape", "LENGTHS", words->shape, "of a raw IN: 100x200");
      return [words](Output& out) { return run_rechunk(*words, out); };
    }};

}  // namespace faro::cli
