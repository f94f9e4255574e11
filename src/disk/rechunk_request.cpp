#include "disk/rechunk_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cores.hpp"
#include "base/whole_json.hpp"
#include "disk/profile.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr const char* rechunk_format = "faro-rechunk-journal/1";

// Outside a file is given away whole: it is held, and sent from a copy. No codec makes more of it.
std::uint64_t file_bytes_max(const StoredGrid& grid) {
  Count bytes = grid.element_bytes;
  for (const std::uint64_t n : grid.shards.empty() ? grid.chunks : grid.shards) bytes = bytes * n;
  return static_cast<std::uint64_t>(
      std::min(bytes + bytes / 64 + 4096, Count{limits::npy_bytes_max}));
}

}  // namespace

std::string RechunkRequest::json() const {
  nlohmann::ordered_json object = {{"format", rechunk_format},
                                   {"input", input},
                                   {"identity", identity},
                                   {"output", description},
                                   {"axes", axes},
                                   {"reversed", reversed},
                                   {"memory_bytes", memory_bytes},
                                   {"threads", threads},
                                   {"verify", verify},
                                   {"profile", profile_json(profile)},
                                   {"plan", plan}};
  if (!outside.empty()) object["outside"] = outside;
  if (raw)
    object["raw"] = {
        {"shape", raw->shape}, {"data_type", raw->data_type}, {"start_byte", raw->start_byte}};
  if (raw && raw->order == ArrayOrder::fortran) object["raw"]["order"] = "F";
  // A journal is lines; what is no UTF-8 in a path is kept as well as JSON can.
  return object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

RechunkRequest RechunkRequest::parse(const std::string& text, const std::string& journal) {
  try {
    const auto json = whole_json(text);
    if (json.at("format") != rechunk_format)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the unfinished run is none of 'faro rechunk'; 'faro permute "
                              "--resume' goes on with it, or --fresh begins anew",
                              journal));
    RechunkRequest request{.input = json.at("input"),
                           .raw = std::nullopt,
                           .identity = json.at("identity"),
                           .description = json.at("output"),
                           .axes = json.at("axes"),
                           .reversed = json.at("reversed"),
                           .memory_bytes = json.at("memory_bytes"),
                           .threads = json.at("threads"),
                           .verify = json.at("verify"),
                           .profile = profile_from(json.at("profile")),
                           .outside = json.value("outside", ""),
                           .plan = json.at("plan")};
    if (json.contains("raw"))
      request.raw =
          RawArray{.shape = json.at("raw").at("shape"),
                   .data_type = json.at("raw").at("data_type"),
                   .start_byte = json.at("raw").at("start_byte"),
                   .order = json.at("raw").contains("order") ? ArrayOrder::fortran : ArrayOrder::c};
    const auto threads = json.at("threads").get<std::uint64_t>();
    if (threads < 1 || threads > static_cast<std::uint64_t>(limits::threads_max))
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the journal is damaged: {} threads", journal, threads));
    return request;
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: the journal is of another version or damaged: {}", journal, error.what()));
  }
}

BoxProblem problem_of(const RechunkRequest& request, const StoredGrid& from) {
  BoxProblem problem;
  problem.from = from;
  problem.to = read_grid(request.description);
  problem.axes = request.axes;
  problem.reversed = request.reversed;
  problem.memory_bytes = request.memory_bytes;
  problem.profile = request.profile;
  problem.threads = request.threads;
  if (!request.outside.empty()) problem.fixed_bytes += 2 * file_bytes_max(problem.to);
  return problem;
}

RechunkRequest request_of(const std::string& in, const std::string& out, const StoredArray& from,
                          const RechunkOptions& options) {
  RechunkRequest request{.input = whole_name(in),
                         .raw = options.raw,
                         .identity = "",
                         .description = "",
                         .axes = options.axes,
                         .reversed = options.reversed,
                         .memory_bytes = options.memory_bytes,
                         .threads = options.threads > 0 ? options.threads : default_threads(),
                         .verify = options.verify,
                         .profile = options.profile,
                         .outside = options.outside,
                         .plan = ""};
  StoredChanges changes;
  changes.format = format_of(out);
  if (options.zarr_format != 3) {
    if (options.zarr_format != 2 || *changes.format != StoredChanges::Format::zarr3)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: Zarr has the formats 2 and 3, and a plain file "
                              "has none of them",
                              out));
    changes.format = StoredChanges::Format::zarr2;
  }
  changes.order = options.order;
  changes.chunks = options.chunks;
  changes.shards = options.shards;
  changes.codec = options.codec;
  changes.axes = options.axes;
  request.description = describe_changed(from, changes);
  return request;
}

BoxPlan plan_of(const RechunkRequest& request, const StoredGrid& from, int passes) {
  BoxProblem problem = problem_of(request, from);
  problem.passes = passes;
  return BoxPlan::make(problem);
}

RechunkRequest shared_request(const std::string& in, const std::string& out,
                              const StoredArray& from, const RechunkOptions& options) {
  if (!has_elements(from.grid()))
    throw Error(ErrorCode::usage, fmt::format("{}: has no element: no work to share", in));
  RechunkRequest request = request_of(in, out, from, options);
  request.identity = from.identity();
  request.plan = plan_of(request, from.grid(), options.passes).json();
  return request;
}

bool has_elements(const StoredGrid& grid) {
  return std::all_of(grid.shape.begin(), grid.shape.end(), [](auto n) { return n != 0; });
}

RechunkFacts facts_of(const BoxPlan& plan) {
  const BoxFacts& facts = plan.facts();
  RechunkFacts told{.passes = {},
                    .data_bytes = facts.data_bytes,
                    .temporary_bytes = facts.temporary_bytes,
                    .memory_bytes = facts.memory_bytes,
                    .peak_bytes = facts.peak_bytes(),
                    .passes_bound = facts.bound.passes,
                    .bound_reason = facts.bound.reason,
                    .seconds = facts.seconds,
                    .describe = plan.describe(),
                    .json = plan.json()};
  for (const BoxPass& pass : facts.passes) {
    RechunkPass one{.tile = {},
                    .tiles = pass.tiles,
                    .jobs = pass.jobs,
                    .reads = pass.reads,
                    .writes = pass.writes,
                    .bytes_read = pass.bytes_read,
                    .peak_bytes = pass.peak_bytes};
    for (const AxisGrid& axis : pass.tile) one.tile.push_back(axis.step());
    told.passes.push_back(std::move(one));
  }
  return told;
}

bool reads_as(const std::string& path, const RechunkRequest& request, const std::string& data_type,
              const Digest& written) {
  std::optional<RawArray> raw;
  const StoredGrid grid = read_grid(request.description);
  if (nlohmann::json::parse(request.description).contains("raw"))
    raw = RawArray{.shape = grid.shape,
                   .data_type = data_type,
                   .order = grid.order.empty() ? ArrayOrder::c : ArrayOrder::fortran};
  // Writing a unit took more than reading one does, so that the memory holds a reader.
  const ArrayDigest found = digest_array(path, {.raw = raw,
                                                .memory_bytes = request.memory_bytes,
                                                .threads = request.threads,
                                                .progress = {}});
  return found.digest.value() == written.value() && found.digest.bytes() == written.bytes() &&
         found.shape == grid.shape;
}

}  // namespace faro::inline v1::disk
