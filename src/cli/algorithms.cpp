// `faro algorithms`: every planner, what it needs and what it costs.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "faro/service/catalogue.hpp"

namespace faro::cli {
namespace {

int run(Output& out) {
  nlohmann::ordered_json j{{"format", "faro-algorithms/1"},
                           {"rows", nlohmann::ordered_json::array()}};
  std::string_view machine;
  for (const Planner* p : catalogue()) {
    j["rows"].push_back({{"name", p->name},
                         {"machine", p->machine},
                         {"title", p->title},
                         {"needs", p->needs},
                         {"cost", p->cost},
                         {"citation", p->citation}});
    if (machine != p->machine) {
      out.text("{}on {}\n", machine.empty() ? "" : "\n", p->machine);
      machine = p->machine;
    }
    out.text("  {}\n      {}\n      needs     {}\n      costs     {}\n      from      {}\n",
             out.styled(Output::Style::strong, p->name), p->title, p->needs, p->cost, p->citation);
  }
  out.json(j.dump());
  return 0;
}

}  // namespace

extern const Command algorithms_command;
const Command algorithms_command{
    .name = "algorithms",
    .summary = "every planner: its machine, what it needs, what it costs, where it is from",
    .details = "The names are what `faro plan --algorithm NAME` takes.",
    .examples = "faro algorithms",
    .declare = [](Arguments&) -> Action { return [](Output& out) { return run(out); }; }};

}  // namespace faro::cli
