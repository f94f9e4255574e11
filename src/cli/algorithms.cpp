// `faro algorithms`: every planner, what it needs and what it costs.
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "faro/planners/cube/butterfly/planner.hpp"
#include "faro/service/catalogue.hpp"

namespace faro::cli {
namespace {

struct Entry {
  std::string_view name, machine, title, needs, cost, citation;
};

std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (const Planner* p : catalogue()) {
    const About& a = p->about();
    all.push_back({a.name, a.machine, a.title, a.needs, a.cost, a.citation});
  }
  for (const ButterflyPlanner* p : butterfly_planners()) {
    all.push_back({p->name, "cube, butterfly networks (--butterfly)", p->title, p->needs, p->cost,
                   p->citation});
  }
  return all;
}

int run(Output& out) {
  nlohmann::ordered_json j{{"format", "faro-algorithms/1"},
                           {"rows", nlohmann::ordered_json::array()}};
  std::string_view machine;
  for (const Entry& e : entries()) {
    j["rows"].push_back({{"name", e.name},
                         {"machine", e.machine},
                         {"title", e.title},
                         {"needs", e.needs},
                         {"cost", e.cost},
                         {"citation", e.citation}});
    if (machine != e.machine) {
      out.text("{}on {}\n", machine.empty() ? "" : "\n", e.machine);
      machine = e.machine;
    }
    out.text("  {}\n      {}\n      needs     {}\n      costs     {}\n      from      {}\n",
             out.styled(Output::Style::strong, e.name), e.title, e.needs, e.cost, e.citation);
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
