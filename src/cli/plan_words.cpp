#include "cli/plan_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/machines/text.hpp"
#include "faro/service/plan.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

Count gap_of(const PlanWords& words) {
  const Count value = cost_value(words.machine, words.cost);
  return value > words.bound.value ? value - words.bound.value : 0;
}

std::string cost_text(const PlanWords& words) {
  const Cost& cost = words.cost;
  std::string text = in_units(cost_value(words.machine, cost), words.machine);
  if (cost.remote_moves != 0) text += fmt::format(", {}", plural(cost.remote_moves, "move"));
  if (cost.unit_routes != 0 || cost.long_routes != 0)
    text += fmt::format(", {}, {}", plural(cost.long_routes, "long route"),
                        plural(cost.register_ops, "register operation"));
  return text;
}

std::string verified_text(const std::vector<Verdict>& verdicts, const Machine& machine) {
  if (verdicts.empty()) return "no, as you asked";
  std::string text;
  for (const Verdict& v : verdicts) {
    if (!text.empty()) text += "; ";
    if (v.answer == Verdict::Answer::no)
      text += fmt::format("REFUSED by {}: {}", v.by,
                          v.violations.empty() ? "" : v.violations.front().message);
    else if (v.answer == Verdict::Answer::unprovable)
      text += fmt::format("{} makes no claim: {}", v.by, v.limit);
    else if (v.by == "replay")
      text += v.cost.remote_moves == 0
                  ? fmt::format("replayed, {} delivered", plural(v.delivered, "element"))
                  : fmt::format("replayed {}", plural(v.cost.remote_moves, "move"));
    else if (const auto bits = address_bits(machine))
      text += fmt::format("proved for all 2^{} processors", *bits);
    else
      text += "proved for all processors";
  }
  return text;
}

}  // namespace

bool was_refused(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return v.answer == Verdict::Answer::no; });
}

std::string in_units(Count count, const Machine& machine) {
  std::string unit = cost_unit(machine);
  if (count == 1) unit.pop_back();
  return to_string(count) + " " + unit;
}

std::string plan_line(std::string_view name, const std::string& text) {
  return fmt::format("  {:<12} {}\n", name, text);
}

std::string words_text(const PlanWords& words, const Output& out) {
  std::string text = fmt::format("{}\n", out.styled(Output::Style::strong, words.what));
  text += plan_line("machine", fmt::format("{}, {} in each processor", to_string(words.machine),
                                           plural(words.elements, words.element)));
  if (!words.layout.empty()) text += plan_line("layout", words.layout);
  text += plan_line("algorithm", fmt::format("{}: {}", words.planner, words.title));
  text += plan_line("from", words.citation);
  text += plan_line("cost", cost_text(words));
  text += plan_line("formula",
                    fmt::format("{} = {}", words.formula.text, to_string(words.formula.value)));
  if (words.paper)
    text += plan_line("paper",
                      fmt::format("{}: {} = {}", words.paper->citation, words.paper->formula.text,
                                  to_string(words.paper->formula.value)));
  text += plan_line("bound", fmt::format("no plan takes fewer than {}: {}",
                                         to_string(words.bound.value), words.bound.reason));
  const Count gap = gap_of(words);
  text += plan_line("gap", gap == 0 ? "none, this plan is optimal"
                                    : in_units(gap, words.machine) + " above the bound");
  return text;
}

std::string storage_line(std::uint64_t slots) {
  return plan_line("storage", fmt::format("{} in each processor", plural(slots, "slot")));
}

std::string verified_line(const std::vector<Verdict>& verdicts, const Machine& machine,
                          const Output& out) {
  const auto style = was_refused(verdicts) ? Output::Style::bad : Output::Style::good;
  return plan_line("verified", out.styled(style, verified_text(verdicts, machine)));
}

std::string link_bars(const std::vector<Count>& crossings, Count steps, const Output& out) {
  if (crossings.empty() || steps == 0) return "";
  constexpr std::size_t bar_width = 30;
  const int n = static_cast<int>(crossings.size());
  const Count links = Count{1} << n;  // directed ones of a dimension
  std::string text = "  use of the links, dimension by dimension:\n";
  for (int d = n - 1; d >= 0; --d) {
    const double used = static_cast<double>(crossings[static_cast<std::size_t>(d)]) /
                        (static_cast<double>(links) * static_cast<double>(steps));
    const auto full = static_cast<std::size_t>(used * static_cast<double>(bar_width) + 0.5);
    std::string bar;
    for (std::size_t i = 0; i < bar_width; ++i) bar += i < full ? "█" : "░";
    text += fmt::format("  {:>12} {} {:3.0f}%\n", d, out.styled(Output::Style::accent, bar),
                        100 * used);
  }
  return text;
}

void add_words(const PlanWords& words, ordered_json& object) {
  object["cost"] = json_cost(words.cost, words.machine);
  object["formula"] = {{"text", words.formula.text}, {"value", json_count(words.formula.value)}};
  object["paper"] = nullptr;
  if (words.paper)
    object["paper"] = {{"citation", words.paper->citation},
                       {"text", words.paper->formula.text},
                       {"value", json_count(words.paper->formula.value)}};
  object["bound"] = {{"value", json_count(words.bound.value)}, {"reason", words.bound.reason}};
  object["gap"] = json_count(gap_of(words));
}

ordered_json verified_json(const std::vector<Verdict>& verdicts) {
  bool proof = false;
  bool replay = false;
  for (const Verdict& v : verdicts) {
    if (v.answer == Verdict::Answer::unprovable) continue;
    (v.by == "proof" ? proof : replay) = true;
  }
  if (!proof && !replay) return nullptr;
  const char* by = proof && replay ? "both" : proof ? "proof" : "replay";
  return {{"by", by}, {"ok", !was_refused(verdicts)}};
}

}  // namespace faro::cli
