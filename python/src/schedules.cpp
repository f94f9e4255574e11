// Plans of machines: planning, judging and performing schedules.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <span>

#include "buffer.hpp"
#include "faro/base/progress.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/places/placed_plan.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "faro/simulation/simulate.hpp"
#include "files/file_source.hpp"
#include "pictures.hpp"
#include "schedules/machine_kind.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

using Numbers = std::vector<std::uint64_t>;

VerifyBy verify_by(const std::string& word) {
  static const std::map<std::string, VerifyBy> words = {
      {"automatic", VerifyBy::automatic}, {"proof", VerifyBy::proof},
      {"replay", VerifyBy::replay},       {"both", VerifyBy::both},
      {"samples", VerifyBy::samples},     {"none", VerifyBy::nobody}};
  const auto found = words.find(word);
  if (found == words.end())
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "verify is 'automatic', 'proof', 'replay', 'both' or 'none', and of schedule files "
            "'samples', not '{}'",
            word));
  return found->second;
}

Request request_from(nb::handle map, const std::string& machine,
                     std::optional<std::uint64_t> elements, const std::optional<Numbers>& shape) {
  if (nb::isinstance<nb::str>(map))
    return Request::of(nb::cast<std::string>(map), machine, elements, shape);
  return Request::of(machine_from(machine), Destinations{nb::cast<Numbers>(map)}, elements);
}

PlacedPlan placed_plan_of(const std::string& words, const std::string& on,
                          std::uint64_t element_bytes, std::optional<std::uint64_t> elements,
                          const std::optional<Numbers>& shape, bool in_place, bool relabel,
                          const std::string& verify, nb::handle progress) {
  const MoveRequest request{
      .words = words, .shape = shape, .elements = elements, .element_bytes = element_bytes};
  PlaceOptions options{.verify = verify_by(verify), .in_place = in_place, .relabel = relabel};
  std::optional<PlacedPlan> made;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    made.emplace(plan(request, on, options));
  });
  return *made;
}

MachinePlan plan_of(nb::handle map, const std::string& machine,
                    std::optional<std::uint64_t> elements, const std::string& algorithm,
                    const std::string& verify, const std::optional<Numbers>& shape,
                    nb::handle progress) {
  const Request request = request_from(map, machine, elements, shape);
  PlanOptions options;
  options.algorithm = algorithm;
  options.verify = verify_by(verify);
  std::optional<MachinePlan> made;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    made.emplace(plan(request, options));
  });
  return *made;
}

nb::dict cost_of(const Cost& cost, const Machine& machine) {
  nb::dict parts;
  for (const CostPart& part : kind_of(machine).cost) {
    const Count count = cost.*part.count;
    if (count != 0 || !part.left_out_if_zero) parts[part.key] = integer(count);
  }
  return parts;
}

std::string schedule_text(const MachinePlan& p) {
  TextSink text;
  JsonWriter writer(text);
  p.push(writer);
  return text.text();
}

nb::list considered_of(const MachinePlan& p) {
  nb::list rows;
  for (const Considered& c : p.considered()) {
    nb::object value = nb::none();
    if (c.estimate) value = integer(c.estimate->cost.value);
    rows.append(nb::make_tuple(std::string(c.planner->name()), value,
                               c.refusal ? *c.refusal : c.not_asked));
  }
  return rows;
}

// As `faro verify --json` says it.
nb::dict place_of(const Violation::Place& at) {
  nb::dict place;
  if (at.processor) place["processor"] = *at.processor;
  if (at.to) place["to"] = *at.to;
  if (at.slot) place["slot"] = *at.slot;
  if (at.dimension) place["dimension"] = *at.dimension;
  if (!at.list.empty()) {
    place["in"] = at.list;
    place["move"] = at.entry;
  }
  return place;
}

nb::list violations_of(const Verdict& verdict) {
  nb::list rows;
  for (const Violation& v : verdict.violations)
    rows.append(nb::make_tuple(integer(v.step), v.rule, v.message, place_of(v.at)));
  return rows;
}

nb::tuple judged(ByteSource& source, VerifyOptions options) {
  std::optional<VerifyReport> report;
  watched(nullptr, Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    report.emplace(verify_schedule(source, options));
  });
  const Verdict& v = report->verdict;
  constexpr const char* answers[] = {"yes", "no", "unprovable"};
  return nb::make_tuple(answers[static_cast<int>(v.answer)], v.by, v.limit, violations_of(v),
                        integer(v.violation_count), integer(v.delivered), integer(v.expected),
                        report->fingerprint, report->warnings);
}

// `out` is a contiguous array of as many bytes as `x`.
nb::tuple simulated(const std::string& schedule, nb::handle x, nb::handle out) {
  Buffer from;
  Buffer to;
  if (!from.take(x.ptr(), Buffer::Use::read) || !to.take(out.ptr(), Buffer::Use::write))
    throw nb::python_error();
  const std::span data(static_cast<const std::byte*>(from.view().buf),
                       static_cast<std::size_t>(from.view().len));
  if (from.view().len != to.view().len || !from.in_c_order() || !to.in_c_order())
    throw Error(ErrorCode::usage, "arrays of one size in C order");
  std::optional<Simulation> done;
  watched(nullptr, Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    done.emplace(simulate_schedule(schedule, {}, data,
                                   static_cast<std::size_t>(from.view().itemsize), hears));
  });
  std::memcpy(to.view().buf, done->result.data(), done->result.size());
  return nb::make_tuple(to_string(done->machine), done->planner,
                        cost_of(done->cost, done->machine));
}

}  // namespace

void bind_schedules(nb::module_& m) {
  nb::class_<MachinePlan> c(m, "MachinePlan", nb::dynamic_attr(), nb::is_weak_referenceable());
  c.def_prop_ro("map", [](const MachinePlan& p) -> std::optional<NamedMap> {
    if (!p.request().is_map()) return {};
    return NamedMap{p.request().map().map, {}};
  });
  c.def_prop_ro("text", [](const MachinePlan& p) { return p.request().text(); });
  c.def_prop_ro("machine", [](const MachinePlan& p) { return to_string(p.request().machine()); });
  c.def_prop_ro("elements", [](const MachinePlan& p) { return p.request().elements(); });
  c.def_prop_ro("slots", &MachinePlan::slots);
  c.def_prop_ro("planner", [](const MachinePlan& p) { return p.expression(); });
  c.def_prop_ro("citation", [](const MachinePlan& p) { return std::string(p.about().citation); });
  c.def_prop_ro("unit", [](const MachinePlan& p) { return cost_unit(p.request().machine()); });
  c.def_prop_ro("steps", [](const MachinePlan& p) { return integer(p.value()); });
  c.def_prop_ro("cost",
                [](const MachinePlan& p) { return cost_of(p.cost(), p.request().machine()); });
  c.def_prop_ro("gap", [](const MachinePlan& p) { return integer(p.gap()); });
  c.def_prop_ro("fingerprint", &MachinePlan::fingerprint);
  c.def_prop_ro("crossings", [](const MachinePlan& p) {
    nb::list counts;
    for (const Count count : p.crossings()) counts.append(integer(count));
    return nb::tuple(counts);
  });
  c.def("_paper", [](const MachinePlan& p) -> nb::object {
    if (!p.paper()) return nb::none();
    const PaperCount& paper = *p.paper();
    return nb::make_tuple(integer(paper.formula.value), paper.formula.text, paper.citation);
  });
  c.def("_verified", [](const MachinePlan& p) {
    std::vector<std::string> by;
    for (const Verdict& v : p.verdicts())
      if (v.ok()) by.push_back(v.by);
    return by;
  });
  c.def("_considered", considered_of);
  c.def("_report", [](const MachinePlan& p) { return p.json(); });
  c.def("json", schedule_text);
  c.def("_save", [](const MachinePlan& p, const nb::bytes& name, const std::string& format) {
    save_schedule(p, path_from(name), format);
  });
  c.def("picture", schedule_picture, nb::arg("what") = "links", nb::arg("step") = 0,
        nb::arg("format") = "svg");
  c.def("__repr__", [](const MachinePlan& p) {
    const std::string text = p.request().text();
    return fmt::format("Schedule('{}' on '{}': {} {})", text.empty() ? "a list" : text,
                       to_string(p.request().machine()), to_string(p.value()),
                       cost_unit(p.request().machine()));
  });
  m.def("plan", plan_of, nb::arg("map"), nb::arg("on"), nb::arg("elements").none(),
        nb::arg("algorithm"), nb::arg("verify"), nb::arg("shape").none(),
        nb::arg("progress").none());
  nb::class_<PlacedPlan>(m, "PlacedPlan")
      .def_prop_ro("place", [](const PlacedPlan& p) { return std::string(p.place()); })
      .def_prop_ro("cost", [](const PlacedPlan& p) { return integer(p.cost()); })
      .def_prop_ro("bound", [](const PlacedPlan& p) { return integer(p.bound()); })
      .def_prop_ro("reason", &PlacedPlan::reason)
      .def_prop_ro("unit", &PlacedPlan::unit)
      .def_prop_ro("made_of", &PlacedPlan::made_of)
      .def_prop_ro("ok", &PlacedPlan::ok)
      .def_prop_ro("judged", &PlacedPlan::judged)
      .def_prop_ro("gap", [](const PlacedPlan& p) { return integer(p.cost() - p.bound()); })
      .def("json", &PlacedPlan::json)
      .def("__str__", &PlacedPlan::report)
      .def("__repr__", [](const PlacedPlan& p) {
        return fmt::format("PlacedPlan({} {} of at least {}, {})", to_string(p.cost()), p.unit(),
                           to_string(p.bound()), p.place());
      });
  m.def("placed_plan", placed_plan_of, nb::arg("words"), nb::arg("on"), nb::arg("element_bytes"),
        nb::arg("elements").none(), nb::arg("shape").none(), nb::arg("in_place"),
        nb::arg("relabel"), nb::arg("verify"), nb::arg("progress").none());
  m.def(
      "verify_text",
      [](const std::string& text, const std::string& by, std::optional<std::string> map) {
        TextSource source(text);
        return judged(source, {verify_by(by), std::move(map)});
      },
      nb::arg("text"), nb::arg("by"), nb::arg("map").none());
  m.def(
      "verify_file",
      [](const nb::bytes& path, const std::string& by, std::optional<std::string> map) {
        FileSource file(path_from(path));
        return judged(file, {verify_by(by), std::move(map)});
      },
      nb::arg("path"), nb::arg("by"), nb::arg("map").none());
  m.def("simulate", simulated);
}

}  // namespace faro::python
