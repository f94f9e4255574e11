// A plan of resharding in words and as JSON.
#include <fmt/format.h>

#include "base/report.hpp"
#include "checkpoints/reshard_plan.hpp"
#include "files/words.hpp"

namespace faro::inline v1::checkpoints {
namespace {

std::string box_text(const Box& box) {
  std::string text;
  for (const disk::Interval& axis : box)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", axis.begin, axis.end);
  return "[" + text + "]";
}

template <class Files>
void say_places(std::string& text, const char* when, const std::vector<Place>& places,
                const Files& files) {
  for (const Place& place : places)
    for (const PlacedBlock& block : place.blocks)
      text += fmt::format("  {:<4} {} at {} of {} in {}{}\n", when, box_text(block.whole),
                          box_text(block.local), shape_text(place.lengths), files[place.file].name,
                          block.is_first ? "" : "  (again)");
}

}  // namespace

std::string explain_plan(const ReshardPlan& plan) {
  std::string text;
  for (const TensorMove& move : plan.tensors) {
    text += fmt::format("{}  {} {}\n", move.whole.name, move.whole.type->name,
                        shape_text(move.whole.shape));
    say_places(text, "now", move.from, plan.held);
    say_places(text, "then", move.to, plan.made);
  }
  return text;
}

std::string plan_text(const ReshardPlan& plan) {
  const auto size = [](std::uint64_t bytes) { return files::size_text(bytes); };
  std::string text = fmt::format(
      "{} -> {}\n"
      "  tensors  {}, {}\n"
      "  reads    {} from {} files, each byte once\n"
      "  writes   {} to {} files, each once\n"
      "  jobs     {}, {} at a time, of at most {}\n"
      "  memory   {} at most, of {}\n",
      plan.from.words, plan.to.words, plan.tensors.size(), size(plan.bytes), size(plan.bytes),
      plan.held.size(), size(plan.written_bytes), plan.made.size(), plan.jobs.size(), plan.threads,
      size(plan.slab_bytes), size(plan.peak_bytes), size(plan.memory_bytes));
  for (const std::string& key : plan.dropped_metadata)
    text += fmt::format("  the files differ in their metadata '{}', which is left out\n", key);
  return text;
}

std::string plan_json(const ReshardPlan& plan) {
  Report files = Report::list();
  for (const MadeFile& file : plan.made)
    files.push_back(
        {{"name", file.name}, {"bytes", file.bytes}, {"tensors", file.header.tensors.size()}});
  return Report{{"format", "faro-reshard-plan/1"},
                {"from", plan.from.words},
                {"to", plan.to.words},
                {"tensors", plan.tensors.size()},
                {"bytes", plan.bytes},
                {"bytes_read", plan.bytes},
                {"bytes_written", plan.written_bytes},
                {"files_read", plan.held.size()},
                {"jobs", plan.jobs.size()},
                {"threads", plan.threads},
                {"slab_bytes", plan.slab_bytes},
                {"memory_bytes", plan.memory_bytes},
                {"peak_bytes", plan.peak_bytes},
                {"files", files}}
      .json();
}

}  // namespace faro::inline v1::checkpoints
