// `faro algorithms`: every planner, what it needs and what it costs.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::cli {
namespace {

int run(const std::optional<std::string>& on, Output& out) {
  const std::optional<Machine> wanted =
      on ? std::optional<Machine>(machine_from(*on)) : std::nullopt;
  Report report{{"format", "faro-algorithms/1"}, {"rows", Report::list()}};
  std::string_view machine;
  bool by_name = false;
  const std::size_t asked = asked_planners().size();
  for (std::size_t i = 0; i < catalogue().size(); ++i) {
    const About& e = catalogue()[i]->about();
    if (wanted && !kind_of(*wanted).is_meant_by(e.machine)) continue;
    report["rows"].push_back({{"name", e.name},
                              {"machine", e.machine},
                              {"title", e.title},
                              {"needs", e.needs},
                              {"cost", e.cost},
                              {"citation", e.citation}});
    if (machine != e.machine || by_name != (i >= asked)) {
      by_name = i >= asked;
      report.say("{}{}on {}\n", machine.empty() ? "" : "\n",
                 by_name ? "the papers' own, by name alone: " : "", e.machine);
      machine = e.machine;
    }
    report.say("  {}\n      {}\n      needs     {}\n      costs     {}\n      from      {}\n",
               out.styled(Output::Style::strong, e.name), e.title, e.needs, e.cost, e.citation);
  }
  out.report(report);
  return 0;
}

}  // namespace

extern const Command algorithms_command;
const Command algorithms_command{
    .name = "algorithms",
    .summary = "every planner: its machine, what it needs, what it costs, where it is from",
    .details = "The names are what `faro plan --algorithm NAME` takes.",
    .examples = "faro algorithms\nfaro algorithms --on cube:4",
    .declare = [](Arguments& arguments) -> Action {
      const auto on = std::make_shared<std::optional<std::string>>();
      arguments.option("--on", "MACHINE", *on, "only those for machines of this kind")
          .completes(Completes::machine);
      return [on](Output& out) { return run(*on, out); };
    }};

}  // namespace faro::cli
