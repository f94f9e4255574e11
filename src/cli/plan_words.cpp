#include "cli/plan_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/machines/verifier.hpp"

namespace faro::cli {
namespace {

std::string cost_text(const Price& price) {
  const Cost& cost = price.cost;
  std::string text = in_units(cost_value(price.machine, cost), price.machine);
  if (cost.remote_moves != 0) text += fmt::format(", {}", plural(cost.remote_moves, "move"));
  if (cost.unit_routes != 0 || cost.long_routes != 0)
    text += fmt::format(", {}, {}", plural(cost.long_routes, "long route"),
                        plural(cost.register_ops, "register operation"));
  return text;
}

// Turns are alike: replay carries the elements of one, and counts it as often as it is repeated.
std::string replayed_text(const Verdict& v, std::uint64_t turns) {
  const Count moves = v.cost.remote_moves / turns;
  if (moves == 0) return fmt::format("replayed, {} delivered", plural(v.delivered, "element"));
  if (turns == 1) return fmt::format("replayed {}", plural(moves, "move"));
  return fmt::format("replayed {} of one turn, {} turns are alike", plural(moves, "move"), turns);
}

std::string verified_text(const std::vector<Verdict>& verdicts, const ScheduleHeader& header) {
  if (verdicts.empty()) return "no, as you asked";
  // Who gives up says so where nobody else has judged.
  const bool judged = std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) {
    return v.answer != Verdict::Answer::unprovable;
  });
  std::string text;
  for (const Verdict& v : verdicts) {
    if (judged && v.answer == Verdict::Answer::unprovable) continue;
    if (!text.empty()) text += "; ";
    if (v.answer == Verdict::Answer::no)
      text += fmt::format("REFUSED by {}: {}", v.by,
                          v.violations.empty() ? "" : v.violations.front().message);
    else if (v.answer == Verdict::Answer::unprovable)
      text += fmt::format("{} makes no claim: {}", v.by, v.limit);
    else if (v.by == "replay")
      text += replayed_text(v, header.repeat.times);
    else if (const auto bits = address_bits(header.machine))
      text += fmt::format("proved for all 2^{} processors", *bits);
    else
      text += "proved for all processors";
  }
  return text;
}

}  // namespace

std::string in_units(Count count, const Machine& machine) {
  std::string unit = cost_unit(machine);
  if (count == 1) unit.pop_back();
  return to_string(count) + " " + unit;
}

std::string words_text(const PlanWords& words, const Output& out) {
  const Price& price = words.price;
  std::string text = fmt::format("{}\n", out.styled(Output::Style::strong, words.what));
  if (!words.canonical.empty()) text += plan_line("canonical", words.canonical);
  text += plan_line("machine", fmt::format("{}, {} in each processor", to_string(price.machine),
                                           plural(words.elements, words.element)));
  if (!words.layout.empty()) text += plan_line("layout", words.layout);
  text += plan_line("algorithm", fmt::format("{}: {}", words.planner, words.title));
  if (!words.expression.empty() && words.expression != words.planner)
    text += plan_line("made of", words.expression);
  text += plan_line("from", words.citation);
  text += plan_line("cost", cost_text(price));
  text += plan_line("formula",
                    fmt::format("{} = {}", price.formula.text, to_string(price.formula.value)));
  if (price.paper)
    text += plan_line("paper",
                      fmt::format("{}: {} = {}", price.paper->citation, price.paper->formula.text,
                                  to_string(price.paper->formula.value)));
  text += plan_line("bound", fmt::format("no plan takes fewer than {}: {}",
                                         to_string(price.bound.value), price.bound.reason));
  if (!price.unchecked.empty()) text += plan_line("", "claimed, not checked: " + price.unchecked);
  const Count gap = price.gap();
  const std::string none = !price.unchecked.empty() ? "none; optimal if the bound holds"
                           : price.of.empty()       ? "none, this plan is optimal"
                                                    : "none, this plan is optimal of " + price.of;
  text += plan_line("gap", gap == 0 ? none : in_units(gap, price.machine) + " above the bound");
  return text;
}

std::string storage_line(std::uint64_t slots) {
  return plan_line("storage", fmt::format("{} in each processor", plural(slots, "slot")));
}

std::string verified_line(const std::vector<Verdict>& verdicts, const ScheduleHeader& header,
                          const Output& out) {
  const auto style = was_refused(verdicts) ? Output::Style::bad : Output::Style::good;
  return plan_line("verified", out.styled(style, verified_text(verdicts, header)));
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

}  // namespace faro::cli
