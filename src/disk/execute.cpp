// A plan performed on files that the caller has opened.
#include <fmt/format.h>

#include "disk/pipeline.hpp"
#include "disk/plan_state.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

// Every plan beyond is for reading only.
void check_size(const FilePlanFacts& facts) {
  if (facts.data_bytes <= limits::npy_bytes_max) return;
  throw Error(ErrorCode::limit, fmt::format("a file of {} bytes; files have at most 2^62",
                                            to_string(facts.data_bytes)));
}

RandomFile& file_named(const std::string& name, const FileExecution& files) {
  if (name == "input") return files.from;
  if (name == "output" || name == "array") return files.to;
  if (files.temporary == nullptr)
    throw Error(ErrorCode::usage, "the plan has several passes, which need a temporary file");
  return *files.temporary;
}

}  // namespace

FileCounts FilePermutePlan::execute(const FileExecution& execution) const {
  check_size(facts());
  if (facts().temporary_bytes != 0) file_named("temporary", execution);
  disk::Pipeline pipeline(disk::largest_tile_bytes(facts()), execution.io_threads,
                          execution.permute);
  const auto pass_bytes = static_cast<std::uint64_t>(facts().data_bytes);
  const std::uint64_t total = pass_bytes * facts().passes.size();
  for (std::size_t i = 0; i < facts().passes.size(); ++i) {
    const FilePassFacts& pass = facts().passes[i];
    const auto count = static_cast<std::uint64_t>(pass.tiles);
    const auto written = [&](std::uint64_t done) {
      const std::uint64_t bytes =
          done == count ? pass_bytes : std::min(pass_bytes, done * pass.tile_bytes);
      report(execution.progress, (i * pass_bytes) + bytes, total);
    };
    if (pass.from == pass.to) {
      const disk::FileTiles& tiles = state_->pass(i);
      disk::MoveOrder order(tiles.successors());
      pipeline.run_in_place({tiles, state_->groups[i]}, order, {0, count}, 0,
                            file_named(pass.to, execution),
                            {.read = {}, .keep = {}, .recall = {}, .written = written});
      continue;
    }
    pipeline.run(state_->pass(i), {0, count}, file_named(pass.from, execution),
                 file_named(pass.to, execution), {.read = {}, .written = written});
  }
  return pipeline.counts();
}

FileCounts FilePermutePlan::execute_tiles(const Tiles& range,
                                          const FileExecution& execution) const {
  check_size(facts());
  if (range.pass < 0 || static_cast<std::size_t>(range.pass) >= facts().passes.size())
    throw Error(ErrorCode::usage, fmt::format("pass {}: the plan has passes 0 to {}", range.pass,
                                              facts().passes.size() - 1));
  const auto index = static_cast<std::size_t>(range.pass);
  const FilePassFacts& pass = facts().passes[index];
  if (state_->is_in_place(index))
    throw Error(
        ErrorCode::usage,
        fmt::format("pass {} is in place: its tiles go in one order, none alone", range.pass));
  if (range.first > pass.tiles || range.count > pass.tiles - range.first)
    throw Error(ErrorCode::usage, fmt::format("tiles {} and the {} from there on: the pass has {}",
                                              range.first, range.count, to_string(pass.tiles)));
  disk::Pipeline pipeline(pass.tile_bytes, execution.io_threads, execution.permute);
  const auto written = [&](std::uint64_t done) {
    report(execution.progress, (done - range.first) * pass.tile_bytes,
           range.count * pass.tile_bytes);
  };
  pipeline.run(state_->pass(index), {range.first, range.first + range.count}, execution.from,
               execution.to, {.read = {}, .written = written});
  return pipeline.counts();
}

}  // namespace faro::inline v1
