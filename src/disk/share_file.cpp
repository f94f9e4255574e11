// Tiles of one file shared by processes: an account beside the file says who did which.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "disk/request.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1 {
namespace {

using Part = files::Storage::Part;

// The parts of 0 .. tiles - 1 that no note of this pass covers.
std::vector<TileRange> missing_tiles(const std::vector<files::SharedFolder::Done>& notes,
                                     std::uint64_t pass, std::uint64_t tiles) {
  std::vector<TileRange> done;
  for (const auto& note : notes)
    if (note.pass == pass) done.push_back({note.first, note.end});
  std::sort(done.begin(), done.end(),
            [](const TileRange& a, const TileRange& b) { return a.first < b.first; });
  std::vector<TileRange> missing;
  std::uint64_t next = 0;
  for (const TileRange& range : done) {
    if (range.first > next) missing.push_back({next, std::min(range.first, tiles)});
    next = std::max(next, range.end);
    if (next >= tiles) return missing;
  }
  missing.push_back({next, tiles});
  return missing;
}

std::string words(const std::vector<TileRange>& ranges) {
  std::string text;
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, ranges.size()); ++i)
    text += fmt::format("{}{}..{}", i == 0 ? "" : ", ", ranges[i].first, ranges[i].end);
  return ranges.size() > most ? text + ", ..." : text;
}

void check_request(const FilePermutePlan& plan, const FilePermutePlan::Tiles& tiles,
                   const PermuteFileOptions& options) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::usage, message); };
  if (!options.temporary_folder.empty())
    refuse("what several processes share lies beside the output, no other temporary folder");
  if (options.verify) refuse("none of several processes sees every element; compare the result");
  const auto& passes = plan.facts().passes;
  if (tiles.pass < 0 || static_cast<std::size_t>(tiles.pass) >= passes.size())
    refuse(fmt::format("pass {}: the plan has {}", tiles.pass + 1, passes.size()));
  const Count all = passes[static_cast<std::size_t>(tiles.pass)].tiles;
  if (tiles.count == 0 || tiles.first > all || tiles.count > all - tiles.first)
    refuse(fmt::format("tiles {}..{}: pass {} has tiles 0..{}", tiles.first,
                       tiles.first + tiles.count, tiles.pass + 1, to_string(all)));
}

disk::JobRequest request_for(const Map& map, const PermuteShape& shape,
                             const PermuteFileOptions& options, files::PosixFile& input) {
  disk::JobRequest request{.map = map,
                           .shape = shape,
                           .plan = options.plan,
                           .input = "",
                           .input_start_byte = options.input_start_byte,
                           .output_start = options.output_start,
                           .temporary_folder = "",
                           .identity = disk::identity_of(input)};
  // Machines name the same file in different ways.
  request.identity.inode = request.identity.device = 0;
  return request;
}

// Throws where tiles of something else were begun.
void hold_to(files::SharedFolder& folder, const std::string& text, const std::string& out) {
  if (folder.request(text) == text) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: tiles of another request were begun: the input, the map, the memory "
                          "and all that the plan depends on must be the same; --fresh begins anew",
                          out));
}

}  // namespace

FileTilesReport permute_file_tiles(const std::string& in, const std::string& out, const Map& map,
                                   const PermuteShape& shape, const FilePermutePlan::Tiles& tiles,
                                   const PermuteFileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto plan = FilePermutePlan::out_of_place(map, shape, options.plan);
  check_request(plan, tiles, options);
  files::PosixFile input_file(in, {.access = FileAccess::read, .io = options.io});
  disk::check_size(in, input_file.size_bytes(), plan, options.input_start_byte);
  files::SharedFolder folder(FileTarget::find(out));
  if (options.unfinished == PermuteFileOptions::Unfinished::fresh) folder.reset();
  hold_to(folder, request_for(map, shape, options, input_file).json(plan), out);
  const auto& passes = plan.facts().passes;
  const auto tiles_of = [&](int pass) {
    return static_cast<std::uint64_t>(passes[static_cast<std::size_t>(pass)].tiles);
  };
  const auto missing_of = [&](int pass) {
    return missing_tiles(folder.notes(), static_cast<std::uint64_t>(pass) + 1, tiles_of(pass));
  };
  if (tiles.pass > 0) {
    const auto before = missing_of(tiles.pass - 1);
    if (!before.empty())
      throw Error(ErrorCode::usage,
                  fmt::format("{}: pass {} begins when pass {} is complete; its tiles {} are "
                              "missing",
                              out, tiles.pass + 1, tiles.pass, words(before)));
  }
  const auto bytes = static_cast<std::uint64_t>(plan.facts().data_bytes);
  const auto data_file = folder.open(Part::data, options.output_start.size() + bytes, options.io);
  files::ShiftedFile data(*data_file, options.output_start.size());
  std::unique_ptr<RandomFile> temporary;
  if (passes.size() > 1) temporary = folder.open(Part::temporary, bytes, options.io);
  files::ShiftedFile input(input_file, options.input_start_byte);
  const auto file = [&](const std::string& name) -> RandomFile& {
    if (name == "input") return input;
    if (name == "output") return data;
    return *temporary;
  };
  const FilePassFacts& pass = passes[static_cast<std::size_t>(tiles.pass)];
  RandomFile& to = file(pass.to);
  if (pass.to == "output" && !options.output_start.empty())
    data_file->write(0, std::as_bytes(std::span(options.output_start)));
  FileTilesReport report{.plan = plan.facts()};
  report.counts = plan.execute_tiles(tiles, {.from = file(pass.from),
                                             .to = to,
                                             .permute = {.threads = options.threads},
                                             .io_threads = options.io_threads,
                                             .progress = options.progress});
  to.sync();
  folder.note({.pass = static_cast<std::uint64_t>(tiles.pass) + 1,
               .first = tiles.first,
               .end = tiles.first + tiles.count});
  report.missing = missing_of(tiles.pass);
  if (static_cast<std::size_t>(tiles.pass) + 1 == passes.size()) {
    // Another may have seen our note, published, and taken the notes away.
    if (!folder.has_data()) report.missing.clear();
    report.complete = report.missing.empty();
    if (report.complete) folder.publish();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace faro::inline v1
