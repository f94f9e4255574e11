#include "disk/plan_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "disk/plan_state.hpp"
#include "faro/algebra/notation.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace {

// A number where JSON has room for it, else its digits.
Report number(Count count) {
  if (count <= Count{UINT64_MAX}) return static_cast<std::uint64_t>(count);
  return to_string(count);
}

// 1234567 -> "1 234 567".
std::string digits(Count count) {
  std::string text = to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

std::string passes_text(std::size_t count) {
  return count == 1 ? "1 pass" : fmt::format("{} passes", count);
}

void add_words(Report& report, const FilePlanFacts& all) {
  const std::uint64_t tile = disk::largest_tile_bytes(all);
  report.say("{}: {} times {}; memory {}, {} tiles of {}\n", files::size_text(all.data_bytes),
             digits(all.data_bytes / all.unit_bytes), files::size_text(all.unit_bytes),
             files::size_text(all.memory_bytes), disk::tiles_in_memory, files::size_text(tile));
  Count reads = 0;
  Count writes = 0;
  Count logged = 0;
  for (std::size_t i = 0; i < all.passes.size(); ++i) {
    const FilePassFacts& pass = all.passes[i];
    const std::string files = pass.from == pass.to
                                  ? fmt::format("{:>9} in place ", pass.to)
                                  : fmt::format("{:>9} -> {:<9}", pass.from, pass.to);
    report.say("  pass {}  {}  reads of {}, writes of {}, {} {}{}, {}\n", i + 1, files,
               files::size_text(pass.read_run_bytes), files::size_text(pass.write_run_bytes),
               digits(pass.tiles), pass.tiles == 1 ? "tile" : "tiles",
               pass.log_writes == 0 ? "" : ", logged", files::duration_text(pass.seconds));
    reads += pass.reads;
    writes += pass.writes;
    logged += pass.log_writes;
  }
  const bool fewest = static_cast<int>(all.passes.size()) == all.passes_bound;
  report.say("  {}; {}: {}\n", passes_text(all.passes.size()),
             fewest ? "no plan with such runs has fewer"
                    : fmt::format("the bound is {}", all.passes_bound),
             all.bound_reason);
  std::vector<std::string> disk;
  if (all.passes.front().to != "array")
    disk.push_back(files::size_text(all.data_bytes) + " for the output");
  if (all.log_bytes != 0) disk.push_back(files::size_text(all.log_bytes) + " for the log");
  disk.push_back(all.temporary_bytes == 0 ? "nothing temporary"
                                          : files::size_text(all.temporary_bytes) + " temporary");
  report.say("  disk: {}\n", fmt::join(disk, ", "));
  report.say("  I/O: {} reads, {} writes{}; about {} by the profile '{}'\n", digits(reads),
             digits(writes), logged == 0 ? "" : fmt::format(" and {} to the log", digits(logged)),
             files::duration_text(all.seconds), all.profile);
}

}  // namespace

Report report_of(const FilePermutePlan& plan) {
  const FilePlanFacts& all = plan.facts();
  const FilePermutePlan::State& state = plan.state();
  Report report;
  add_words(report, all);
  report["format"] = "faro-file-plan/1";
  const auto& lengths = state.lengths;
  report["map"] = lengths ? to_notation(*lengths) : to_notation(state.map);
  report["unit_bytes"] = all.unit_bytes;
  report["outer"] = state.array.outer;
  report["data_bytes"] = number(all.data_bytes);
  report["memory_bytes"] = all.memory_bytes;
  report["tile_bytes"] = disk::largest_tile_bytes(all);
  report["temporary_bytes"] = number(all.temporary_bytes);
  report["log_bytes"] = number(all.log_bytes);
  report["passes_bound"] = all.passes_bound;
  report["bound_reason"] = all.bound_reason;
  report["profile"] = all.profile;
  report["seconds"] = all.seconds;
  // None is made that was not proved.
  report["verified"] = Report{{"by", "proof"}, {"ok", true}};
  Report passes = Report::list();
  for (const FilePassFacts& pass : all.passes) {
    Report row;
    row["from"] = pass.from;
    row["to"] = pass.to;
    row["map"] = lengths ? to_notation(*lengths) : to_notation(pass.map);
    row["tile"] = pass.tile;
    if (state.digits) row["blocks"] = pass.blocks;
    row["tile_bytes"] = pass.tile_bytes;
    row["tiles"] = number(pass.tiles);
    row["read_run_bytes"] = pass.read_run_bytes;
    row["write_run_bytes"] = pass.write_run_bytes;
    row["reads"] = number(pass.reads);
    row["writes"] = number(pass.writes);
    row["log_writes"] = number(pass.log_writes);
    row["bytes_read"] = number(all.data_bytes);
    row["bytes_written"] = number(all.data_bytes);
    row["seconds"] = pass.seconds;
    passes.push_back(std::move(row));
  }
  report["passes"] = std::move(passes);
  return report;
}

std::string FilePermutePlan::describe() const {
  return report_of(*this).words();
}

std::string FilePermutePlan::json() const {
  return report_of(*this).json(Report::Lines::many);
}

}  // namespace faro::inline v1
