// What a map does, as one report.
#include <fmt/format.h>

#include "algebra/bit_labels.hpp"
#include "base/report.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "machines/mesh/bounds.hpp"
#include "schedules/json_numbers.hpp"
#include "service/reports.hpp"

namespace faro::inline v1 {
namespace {

const char* name_of_cut(Cut::Kind kind) {
  switch (kind) {
    case Cut::Kind::none:
      return "none";
    case Cut::Kind::both:
      return "both";
    case Cut::Kind::layout:
      return "layout";
  }
  return "";
}

}  // namespace

std::vector<MachineBound> map_bounds(const Notation& notation) {
  std::vector<MachineBound> rows;
  const Cut& cut = notation.cut;
  const bool both = cut.kind == Cut::Kind::both;
  const int n = both ? cut.processor_bits : notation.map.width();
  const int m = notation.map.width() - n;
  if (cut.kind == Cut::Kind::layout || n == 0 || n > limits::explained_processors_log2_max ||
      m > limits::explained_memory_log2_max)
    return rows;
  // As square as it gets: 2^3 x 2^2 for 32 processors.
  const std::string sides = fmt::format("2^{}x2^{}", (n + 1) / 2, n / 2);
  for (const std::string& text :
       {fmt::format("cube:{}", n), fmt::format("cube:{},one-port", n), "mesh:" + sides,
        "torus:" + sides, "mesh:" + sides + ",all-links", "torus:" + sides + ",all-links",
        fmt::format("pops:2^{},2^{}", (n + 1) / 2, n / 2)}) {
    const Machine machine = machine_from(text);
    try {
      const MapGoal goal{.map = notation.map, .cut = both, .memory_bits = m};
      const auto* mesh = std::get_if<Mesh>(&machine);
      const bool all_links = mesh != nullptr && mesh->links == Mesh::Links::all;
      // A plan is worth a search for weights that prove more; this table is not.
      Bound bound = all_links ? mesh::bound_without_search(*mesh, goal, 1)
                              : bound_of(Request::of(machine, goal));
      if (bound.reason.rfind("no bound", 0) == 0) continue;
      rows.push_back({to_string(machine), cost_unit(machine), std::move(bound)});
    } catch (const Error& error) {
      // A machine that cannot do such a map at all has no row.
      if (error.code() != ErrorCode::impossible && error.code() != ErrorCode::limit) throw;
    }
  }
  return rows;
}

std::optional<shuffle::Structure> structure_of(const Notation& notation) {
  if (notation.cut.kind != Cut::Kind::both) return std::nullopt;
  return shuffle::structure_of(notation.map, notation.map.width() - notation.cut.processor_bits);
}

std::string inverse_text(const Notation& notation) {
  const bool layout = notation.cut.kind == Cut::Kind::layout;
  return to_notation(notation.map.inverse(), layout ? Cut{} : notation.cut);
}

std::vector<Word> example_indices(int width) {
  std::vector<Word> indices;
  for (Word i = 1; i <= 3 && i <= low_mask(width); ++i) indices.push_back(i);
  return indices;
}

Report map_report(std::string_view text, const Notation& notation, int replica_bits,
                  const std::vector<MachineBound>& rows_of_bounds) {
  const BitMap& map = notation.map;
  Report object;
  object["format"] = "faro-map/1";
  object["text"] = text;
  object["width"] = map.width();
  auto& columns = object["columns"] = Report::list();
  for (int i = 0; i < map.width(); ++i) columns.push_back(fmt::format("{:#x}", map.column(i)));
  object["complement"] = fmt::format("{:#x}", map.complement());
  auto& fields = object["fields"] = Report::list();
  for (const Field& field : notation.fields)
    fields.push_back({{"name", field.name}, {"width", field.width}});
  const std::vector<std::string> labels = bit_labels(notation);
  object["labels"] = labels;
  auto& rows = object["rows"] = Report::list();
  for (int row = 0; row < map.width(); ++row) rows.push_back(row_text(map, row, labels));
  object["class"] = name_of(classify(map));
  auto& cycles = object["cycles"] = Report::list();
  for (const PositionCycle& cycle : position_cycles(map))
    cycles.push_back({{"bits", cycle.bits}, {"inverted", cycle.inverted}});
  object["moved"] = to_string(moved_elements(map));
  object["inverse"] = inverse_text(notation);
  object["canonical"] = to_notation(map, notation.cut);
  object["cut"] = {{"kind", name_of_cut(notation.cut.kind)},
                   {"processor_bits", notation.cut.processor_bits}};
  if (const auto s = structure_of(notation)) {
    auto& structure = object["structure"];
    structure["index_set"] = s->index_set();
    structure["order"] = s->order();
    structure["real_order"] = s->real_order();
    structure["distance"] = s->distance();
    auto& chains = structure["chains"] = Report::list();
    for (const shuffle::Chain& c : s->chains)
      chains.push_back({{"control", c.control},
                        {"dimensions", c.dimensions},
                        {"inverted", c.inverted},
                        {"target", c.target}});
    auto& real = structure["real_cycles"] = Report::list();
    for (const shuffle::Cycle& c : s->cycles)
      real.push_back({{"dimensions", c.dimensions}, {"inverted", c.inverted}});
  }
  auto& examples = object["examples"] = Report::list();
  for (const Word index : example_indices(map.width()))
    examples.push_back({{"from", std::to_string(index)}, {"to", std::to_string(map(index))}});
  auto& bounds = object["bounds"] = Report::list();
  for (const MachineBound& row : rows_of_bounds)
    bounds.push_back({{"machine", row.machine},
                      {"unit", row.unit},
                      {"value", Count(row.bound.value)},
                      {"reason", row.bound.reason}});
  object["replicas"] = bit(replica_bits);
  return object;
}

std::string explain_json(std::string_view map, const Sizes& known) {
  const Notation notation = say(map, known).as_bits();
  return map_report(map, notation, 0, map_bounds(notation)).json();
}

}  // namespace faro::inline v1
