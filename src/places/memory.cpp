// An array of this process: one pass out of place, and as few as the engine knows in place.
#include <fmt/format.h>

#include <cstring>

#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/words/say.hpp"
#include "places/placed_plan.hpp"

namespace faro::inline v1::places {
namespace {

// An array of so many bytes is moved once, and every element looked at, without being asked.
constexpr std::uint64_t tried_bytes_max = std::uint64_t{1} << 20U;

PermutePlan made(const Map& map, std::uint64_t element_bytes, bool in_place) {
  if (const BitMap* bits = map.bits()) {
    const PermuteShape shape{.element_bytes = element_bytes};
    return in_place ? PermutePlan::in_place(*bits, shape) : PermutePlan::out_of_place(*bits, shape);
  }
  const TensorShape shape{.element_bytes = element_bytes, .from = {}, .to = {}};
  return in_place ? PermutePlan::in_place(map, shape) : PermutePlan::out_of_place(map, shape);
}

// Moves bytes that differ from place to place, and compares every element.
bool is_right(const PermutePlan& plan, const Map& map, std::uint64_t element_bytes) {
  std::vector<std::byte> from(plan.data_bytes());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 167 + i / 251);
  std::vector<std::byte> to(plan.facts().in_place ? from : std::vector<std::byte>(from.size()));
  if (plan.facts().in_place)
    plan.execute_in_place(to);
  else
    plan.execute(from, to);
  return !reference_compare(map, {element_bytes, {}, {}}, from.data(), to.data()).found;
}

Report passes_of(const PlanFacts& facts) {
  Report passes = Report::list();
  for (const PassFacts& pass : facts.passes)
    passes.push_back({{"method", pass.method},
                      {"kernel", pass.kernel},
                      {"streaming", pass.stores == Stores::streaming},
                      {"tile_bytes", pass.tile_bytes},
                      {"tiles", pass.tiles},
                      {"read_run_bytes", pass.from_run_bytes},
                      {"write_run_bytes", pass.to_run_bytes}});
  return passes;
}

}  // namespace

PlacedPlan::Content in_memory(const Asked& asked) {
  if (asked.place != "memory")
    throw Error(ErrorCode::usage,
                fmt::format("--on {}: memory takes no words of its own", asked.place));
  const std::uint64_t element_bytes = asked.request.element_bytes.value_or(8);
  const Said said = say(asked.request.words, {.shape = asked.request.shape});
  PermutePlan plan = made(said.map, element_bytes, asked.options.in_place);
  const PlanFacts& facts = plan.facts();
  // To another buffer even what keeps its index goes.
  const bool moves =
      !asked.options.in_place || said.map != Map::identity(static_cast<Word>(said.map.elements()));
  const bool tried = facts.data_bytes <= tried_bytes_max;
  const bool right = tried && is_right(plan, said.map, element_bytes);
  PlacedPlan::Content content{.plan = plan};
  content.cost = moves ? Count{facts.passes.size()} : 0;
  content.bound = moves ? 1 : 0;
  content.reason = moves ? "what moves is read and written once" : "nothing moves";
  content.unit = "passes";
  for (const PassFacts& pass : facts.passes)
    content.made_of += fmt::format("{}{}", content.made_of.empty() ? "" : ", ", pass.method);
  content.judged = !tried ? Judged::nobody : right ? Judged::right : Judged::wrong;
  Report& report = content.report;
  report["format"] = "faro-memory-plan/1";
  report.row("map", to_notation(said.map), "{}\n{}", to_notation(said.map), plan.describe());
  report["element_bytes"] = element_bytes;
  report["in_place"] = facts.in_place;
  report["data_bytes"] = facts.data_bytes;
  report["bytes_moved"] = facts.bytes_moved;
  report["working_bytes"] = facts.working_bytes;
  report["threads"] = facts.threads;
  report["passes"] = passes_of(facts);
  report["bound"] = Report{{"value", content.bound}, {"reason", content.reason}};
  report.add_words(plan_line("bound", fmt::format("{} {}: {}", to_string(content.bound),
                                                  moves ? "pass" : "passes", content.reason)));
  report.row("verified", tried ? Report{{"by", "moving"}, {"ok", right}} : Report(), "{}",
             plan_line("verified",
                       !tried  ? "no: more than 1 MiB is not tried; `faro check` compares arrays"
                       : right ? "moved once, every element compared"
                               : "NO: an element is in the wrong place"));
  return content;
}

}  // namespace faro::inline v1::places
