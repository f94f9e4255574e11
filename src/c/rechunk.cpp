// The C API of rechunking and digests.
#include "faro/c/rechunk.h"

#include "c/handles.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/rechunk.hpp"

namespace {

using faro::c::guarded;
using faro::c::need;

faro::RechunkOptions options_of(const faro_rechunk_options* given) {
  const faro_rechunk_options defaults = FARO_RECHUNK_OPTIONS;
  const faro_rechunk_options all = given == nullptr ? defaults : faro::c::taken(*given, defaults);
  if (all.axes_count < 0 || all.unfinished < 0 || all.unfinished > 2 || all.threads < 0)
    throw faro::Error(faro::ErrorCode::usage,
                      "rechunk options: unfinished is 0 to 2; threads and axes_count are not "
                      "negative");
  faro::RechunkOptions options;
  const auto count = static_cast<std::size_t>(all.axes_count);
  if (all.chunks != nullptr) options.chunks.assign(all.chunks, all.chunks + count);
  if (all.shards != nullptr) options.shards.assign(all.shards, all.shards + count);
  for (std::size_t k = 0; k < count && all.axes != nullptr; ++k) {
    if (all.axes[k] < 0)
      throw faro::Error(faro::ErrorCode::usage, "rechunk options: an axis below 0");
    options.axes.push_back(static_cast<std::size_t>(all.axes[k]));
  }
  for (std::size_t k = 0; k < count && all.reversed != nullptr; ++k)
    options.reversed.push_back(all.reversed[k] != 0);
  if (all.codec != nullptr) options.codec = all.codec;
  using Unfinished = faro::RechunkOptions::Unfinished;
  options.unfinished = all.unfinished == 1   ? Unfinished::fresh
                       : all.unfinished == 2 ? Unfinished::resume
                                             : Unfinished::refuse;
  options.passes = all.passes;
  options.threads = all.threads;
  options.verify = all.verify != 0;
  options.memory_bytes = all.memory_bytes;
  options.zarr_format = all.zarr_format;
  options.order = all.fortran_order != 0 ? faro::ArrayOrder::fortran : faro::ArrayOrder::c;
  options.progress = faro::c::watched(all.progress, all.context);
  return options;
}

faro_rechunk_report report_of(const faro::RechunkReport& report, std::size_t struct_size) {
  faro_rechunk_report told = FARO_RECHUNK_REPORT;
  told.struct_size = struct_size;
  told.passes = static_cast<std::int32_t>(report.plan.passes.size());
  told.verified = report.verified ? 1 : 0;
  told.data_bytes = static_cast<std::uint64_t>(report.plan.data_bytes);
  told.peak_bytes = report.plan.peak_bytes;
  told.reads = static_cast<std::uint64_t>(report.reads);
  told.bytes_read = static_cast<std::uint64_t>(report.bytes_read);
  told.writes = static_cast<std::uint64_t>(report.writes);
  told.resumed_jobs = report.resumed_jobs;
  told.seconds = report.seconds;
  std::memcpy(told.digest, report.digest.c_str(), report.digest.size() + 1);
  return told;
}

}  // namespace

faro_status faro_rechunk_plan(const char* in, const char* out, const faro_rechunk_options* options,
                              char* json, uint64_t bytes, uint64_t* needed) {
  return guarded([&] {
    need("faro_rechunk_plan", "in out needed", in, out, needed);
    const std::string text = faro::plan_rechunk(in, out, options_of(options)).json;
    *needed = text.size() + 1;
    if (json == nullptr && bytes == 0) return;
    need("faro_rechunk_plan", "json", json);
    if (bytes < *needed)
      throw faro::Error(faro::ErrorCode::usage,
                        "faro_rechunk_plan: the plan takes " + std::to_string(*needed) + " bytes");
    std::memcpy(json, text.c_str(), *needed);
  });
}

faro_status faro_rechunk(const char* in, const char* out, const faro_rechunk_options* options,
                         char* digest) {
  return guarded([&] {
    need("faro_rechunk", "in out", in, out);
    const faro_rechunk_options defaults = FARO_RECHUNK_OPTIONS;
    faro_rechunk_report* const told =
        options == nullptr ? nullptr : faro::c::taken(*options, defaults).report;
    const faro::RechunkReport report = faro::rechunk(in, out, options_of(options));
    if (told != nullptr) faro::c::give(report_of(report, told->struct_size), *told);
    if (digest != nullptr) std::memcpy(digest, report.digest.c_str(), report.digest.size() + 1);
  });
}

faro_status faro_digest(const char* path, char* digest) {
  return guarded([&] {
    need("faro_digest", "path digest", path, digest);
    const std::string text = faro::digest_array(path).published();
    std::memcpy(digest, text.c_str(), text.size() + 1);
  });
}
