// A plan in words, and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "disk/plan_state.hpp"
#include "faro/algebra/tensor_notation.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace {

using Json = nlohmann::ordered_json;

// A number where JSON has room for it, else its digits.
Json number(Count count) {
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

}  // namespace

std::string FilePermutePlan::describe() const {
  const FilePlanFacts& all = facts();
  const std::uint64_t tile = disk::largest_tile_bytes(all);
  std::string text = fmt::format(
      "{}: {} times {}; memory {}, {} tiles of {}\n", files::size_text(all.data_bytes),
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
    text +=
        fmt::format("  pass {}  {}  reads of {}, writes of {}, {} {}{}, {}\n", i + 1, files,
                    files::size_text(pass.read_run_bytes), files::size_text(pass.write_run_bytes),
                    digits(pass.tiles), pass.tiles == 1 ? "tile" : "tiles",
                    pass.log_writes == 0 ? "" : ", logged", files::duration_text(pass.seconds));
    reads += pass.reads;
    writes += pass.writes;
    logged += pass.log_writes;
  }
  const bool fewest = static_cast<int>(all.passes.size()) == all.passes_bound;
  text += fmt::format("  {}; {}: {}\n", passes_text(all.passes.size()),
                      fewest ? "no plan with such runs has fewer"
                             : fmt::format("the bound is {}", all.passes_bound),
                      all.bound_reason);
  std::vector<std::string> disk;
  if (all.passes.front().to != "array")
    disk.push_back(files::size_text(all.data_bytes) + " for the output");
  if (all.log_bytes != 0) disk.push_back(files::size_text(all.log_bytes) + " for the log");
  disk.push_back(all.temporary_bytes == 0 ? "nothing temporary"
                                          : files::size_text(all.temporary_bytes) + " temporary");
  text += fmt::format("  disk: {}\n", fmt::join(disk, ", "));
  text += fmt::format("  I/O: {} reads, {} writes{}; about {} by the profile '{}'\n", digits(reads),
                      digits(writes),
                      logged == 0 ? "" : fmt::format(" and {} to the log", digits(logged)),
                      files::duration_text(all.seconds), all.profile);
  return text;
}

std::string FilePermutePlan::json() const {
  const FilePlanFacts& all = facts();
  Json object;
  object["format"] = "faro-file-plan/1";
  const auto& digits = state_->digits;
  object["map"] = digits ? to_notation(digits->map) : to_notation(state_->map);
  object["unit_bytes"] = all.unit_bytes;
  object["outer"] = state_->array.outer;
  object["data_bytes"] = number(all.data_bytes);
  object["memory_bytes"] = all.memory_bytes;
  object["tile_bytes"] = disk::largest_tile_bytes(all);
  object["temporary_bytes"] = number(all.temporary_bytes);
  object["log_bytes"] = number(all.log_bytes);
  object["passes_bound"] = all.passes_bound;
  object["bound_reason"] = all.bound_reason;
  object["profile"] = all.profile;
  object["seconds"] = all.seconds;
  // None is made that was not proved.
  object["verified"] = {{"by", "proof"}, {"ok", true}};
  Json passes = Json::array();
  for (const FilePassFacts& pass : all.passes) {
    Json row;
    row["from"] = pass.from;
    row["to"] = pass.to;
    row["map"] = digits ? to_notation(digits->map) : to_notation(pass.map);
    row["tile"] = pass.tile;
    if (digits) row["blocks"] = pass.blocks;
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
  object["passes"] = std::move(passes);
  return object.dump(2);
}

}  // namespace faro::inline v1
