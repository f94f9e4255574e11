#include "cli/permute_tiles.hpp"

#include <fmt/format.h>

#include <charconv>

#include "faro/base/error.hpp"

namespace faro::cli {

FilePermutePlan::Tiles tiles_of(const DiskOptions& options, const FilePlanFacts& plan) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::usage, message); };
  if (!options.tiles) refuse("--pass says of which pass --tiles A..B are");
  if (!options.memory) refuse("--tiles needs --memory, the same for all who share the work");
  FilePermutePlan::Tiles tiles;
  std::uint64_t end = 0;
  const std::string& text = *options.tiles;
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view part, std::uint64_t& value) {
    const auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && rest == part.data() + part.size();
  };
  if (dots == std::string::npos || !number(std::string_view(text).substr(0, dots), tiles.first) ||
      !number(std::string_view(text).substr(dots + 2), end) || end <= tiles.first)
    refuse(fmt::format("--tiles: wanted A..B with A below B, tiles A to B - 1, found '{}'", text));
  tiles.count = end - tiles.first;
  if (!options.pass && plan.passes.size() > 1)
    refuse(fmt::format("the plan has {} passes: --pass 1 --tiles A..B by all, then --pass 2",
                       plan.passes.size()));
  const std::uint64_t pass = options.pass.value_or(1);
  if (pass == 0 || pass > plan.passes.size())
    refuse(fmt::format("--pass {}: the plan has {}", pass, plan.passes.size()));
  tiles.pass = static_cast<int>(pass) - 1;
  return tiles;
}

void tell_tiles(const FileTilesReport& report, const FilePermutePlan::Tiles& tiles,
                const DiskRequest& request, Output& out) {
  std::uint64_t missing = 0;
  for (const TileRange& range : report.missing) missing += range.end - range.first;
  Report row{{"in", request.in},
             {"out", request.out},
             {"pass", tiles.pass + 1},
             {"passes", report.plan.passes.size()},
             {"first_tile", tiles.first},
             {"tiles", tiles.count},
             {"tiles_missing", missing},
             {"reads", static_cast<std::uint64_t>(report.counts.reads)},
             {"writes", static_cast<std::uint64_t>(report.counts.writes)},
             {"bytes_read", static_cast<std::uint64_t>(report.counts.bytes_read)},
             {"bytes_written", static_cast<std::uint64_t>(report.counts.bytes_written)},
             {"seconds", report.seconds},
             {"complete", report.complete}};
  row.say("{}: tiles {}..{} of pass {} in {:.3f} s; {}\n", request.out, tiles.first,
          tiles.first + tiles.count, tiles.pass + 1, report.seconds,
          report.complete ? "all are done, and it has its name"
          : report.missing.empty()
              ? fmt::format("the pass is complete, --pass {} is next", tiles.pass + 2)
              : fmt::format("{} of this pass are missing, from {} on", missing,
                            report.missing.front().first));
  out.tell(report_of_rows("faro-file-tiles/1", row), Report::Lines::many);
}

}  // namespace faro::cli
