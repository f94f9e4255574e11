// The C API of arrays in files.
#include "faro/c/files.h"

#include "c/handles.hpp"
#include "faro/disk/permute_file.hpp"

struct faro_file_plan {
  faro::FilePermutePlan plan;
  std::string description;
  std::string json;
};

namespace {

using faro::c::give;
using faro::c::guarded;
using faro::c::need;
using faro::c::taken;

faro_file_options options_of(const faro_file_options* given) {
  const faro_file_options defaults = FARO_FILE_OPTIONS;
  return given == nullptr ? defaults : taken(*given, defaults);
}

faro::PermuteShape shape_of(const faro_file_options& options) {
  return {.element_bytes = options.element_bytes, .outer = options.outer, .inner = options.inner};
}

faro::FilePlanOptions plan_options(const faro_file_options& options) {
  faro::FilePlanOptions plan;
  plan.memory_bytes = options.memory_bytes;
  plan.run_bytes_min = options.run_bytes_min;
  if (options.passes < 0) {
    throw faro::Error(faro::ErrorCode::usage, "passes: a number from 0 on");
  }
  plan.passes = options.passes;
  if (options.device != nullptr) plan.profile = faro::DiskProfile::named(options.device);
  return plan;
}

faro::ResumeFileOptions resume_options(const faro_file_options& options) {
  faro::ResumeFileOptions resume;
  if (options.io < 0 || options.io > 2 || options.io_threads < 0 || options.threads < 0 ||
      !(options.checkpoint_seconds >= 0)) {
    throw faro::Error(
        faro::ErrorCode::usage,
        "file options: io is 0 to 2; threads and checkpoint_seconds are not negative");
  }
  resume.io = options.io == 1   ? faro::FileIo::direct
              : options.io == 2 ? faro::FileIo::buffered
                                : faro::FileIo::automatic;
  resume.threads = options.threads;
  resume.io_threads = options.io_threads;
  resume.checkpoint_seconds = options.checkpoint_seconds;
  resume.unchanged = faro::c::flag("faro_file_options.unchanged", options.unchanged);
  resume.progress = faro::c::watched(options.progress, options.context);
  return resume;
}

faro::PermuteFileOptions file_options(const faro_file_options& options) {
  faro::PermuteFileOptions file;
  static_cast<faro::ResumeFileOptions&>(file) = resume_options(options);
  file.plan = plan_options(options);
  file.input_start_byte = options.input_start_byte;
  if (options.output_start_bytes != 0) {
    need("faro_file_options.output_start", "output_start", options.output_start);
    file.output_start.assign(static_cast<const char*>(options.output_start),
                             options.output_start_bytes);
  }
  if (options.temporary_folder != nullptr) file.temporary_folder = options.temporary_folder;
  if (options.fresh != 0) file.unfinished = faro::PermuteFileOptions::Unfinished::fresh;
  file.verify = options.verify != 0;
  return file;
}

std::uint64_t number(const faro::Count& count) {
  return count > faro::Count{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(count);
}

int32_t place(const std::string& name) {
  return name == "input" ? 0 : name == "temporary" ? 1 : 2;
}

// A report whose struct is refused must be refused before the work, not after it.
faro_file_report report_of(const faro_file_report* given) {
  const faro_file_report defaults = FARO_FILE_REPORT;
  return given == nullptr ? defaults : taken(*given, defaults);
}

void fill(faro_file_report& to, const faro::FileCounts& counts) {
  to.reads = number(counts.reads);
  to.writes = number(counts.writes);
  to.bytes_read = number(counts.bytes_read);
  to.bytes_written = number(counts.bytes_written);
}

void tell(const faro::PermuteFileReport& done, faro_file_report all, faro_file_report* report) {
  if (report == nullptr) return;
  fill(all, done.counts);
  all.complete = 1;
  all.resumed_bytes = done.resumed_bytes;
  all.tiles_missing = 0;
  all.seconds = done.seconds;
  give(all, *report);
}

}  // namespace

extern "C" {

faro_status faro_file_plan_create(const faro_map* map, const faro_file_options* options,
                                  faro_file_plan** plan) {
  return guarded([&] {
    need("faro_file_plan_create", "map plan", map, plan);
    const faro_file_options all = options_of(options);
    auto made = faro::FilePermutePlan::out_of_place(map->map, shape_of(all), plan_options(all));
    std::string description = made.describe();
    std::string json = made.json();
    *plan = new faro_file_plan{std::move(made), std::move(description), std::move(json)};
  });
}

faro_status faro_file_plan_get_facts(const faro_file_plan* plan, faro_file_facts* facts) {
  return guarded([&] {
    need("faro_file_plan_get_facts", "plan facts", plan, facts);
    const faro_file_facts defaults = FARO_FILE_FACTS;
    faro_file_facts all = taken(*facts, defaults);
    const faro::FilePlanFacts& known = plan->plan.facts();
    faro::Count reads = 0;
    faro::Count writes = 0;
    for (const faro::FilePassFacts& pass : known.passes) {
      reads += pass.reads;
      writes += pass.writes;
    }
    all.passes = static_cast<int32_t>(known.passes.size());
    all.passes_bound = known.passes_bound;
    all.unit_bytes = known.unit_bytes;
    all.data_bytes = number(known.data_bytes);
    all.temporary_bytes = number(known.temporary_bytes);
    all.tile_bytes = known.passes.front().tile_bytes;
    all.reads = number(reads);
    all.writes = number(writes);
    all.seconds = known.seconds;
    give(all, *facts);
  });
}

faro_status faro_file_plan_get_pass(const faro_file_plan* plan, int pass, faro_file_pass* facts) {
  return guarded([&] {
    need("faro_file_plan_get_pass", "plan facts", plan, facts);
    const faro_file_pass defaults = FARO_FILE_PASS;
    faro_file_pass all = taken(*facts, defaults);
    const auto& passes = plan->plan.facts().passes;
    if (pass < 0 || static_cast<std::size_t>(pass) >= passes.size()) {
      throw faro::Error(
          faro::ErrorCode::usage,
          "faro_file_plan_get_pass: the plan has passes 0 to " + std::to_string(passes.size() - 1));
    }
    const faro::FilePassFacts& known = passes[static_cast<std::size_t>(pass)];
    all.from = place(known.from);
    all.to = place(known.to);
    all.tiles = number(known.tiles);
    all.tile_bytes = known.tile_bytes;
    all.read_run_bytes = known.read_run_bytes;
    all.write_run_bytes = known.write_run_bytes;
    all.reads = number(known.reads);
    all.writes = number(known.writes);
    all.seconds = known.seconds;
    give(all, *facts);
  });
}

const char* faro_file_plan_describe(const faro_file_plan* plan) {
  return plan == nullptr ? "" : plan->description.c_str();
}

const char* faro_file_plan_json(const faro_file_plan* plan) {
  return plan == nullptr ? "" : plan->json.c_str();
}

void faro_file_plan_free(faro_file_plan* plan) {
  delete plan;
}

faro_status faro_permute_file(const char* in, const char* out, const faro_map* map,
                              const faro_file_options* options, faro_file_report* report) {
  return guarded([&] {
    need("faro_permute_file", "in out map", in, out, map);
    const faro_file_options all = options_of(options);
    const faro_file_report blank = report_of(report);
    tell(faro::permute_file(in, out, map->map, shape_of(all), file_options(all)), blank, report);
  });
}

faro_status faro_resume_file(const char* out, const faro_file_options* options,
                             faro_file_report* report) {
  return guarded([&] {
    need("faro_resume_file", "out", out);
    const faro_file_report blank = report_of(report);
    tell(faro::resume_file(out, resume_options(options_of(options))), blank, report);
  });
}

faro_status faro_permute_file_tiles(const char* in, const char* out, const faro_map* map,
                                    const faro_file_options* options, int pass, uint64_t first,
                                    uint64_t count, faro_file_report* report) {
  return guarded([&] {
    need("faro_permute_file_tiles", "in out map", in, out, map);
    const faro_file_options all = options_of(options);
    faro_file_report told = report_of(report);
    const faro::FileTilesReport done =
        faro::permute_file_tiles(in, out, map->map, shape_of(all),
                                 {.pass = pass, .first = first, .count = count}, file_options(all));
    if (report == nullptr) return;
    fill(told, done.counts);
    told.complete = done.complete ? 1 : 0;
    told.resumed_bytes = 0;
    told.tiles_missing = 0;
    for (const faro::TileRange& range : done.missing) told.tiles_missing += range.end - range.first;
    told.seconds = done.seconds;
    give(told, *report);
  });
}

}  // extern "C"
