// Which planner answers a request: all that apply are asked for an offer, and where none does, the
// one change that would help is named.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/nearest.hpp"
#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "planners/looped.hpp"
#include "planners/turns.hpp"
#include "schedules/machine_kind.hpp"
#include "service/planning.hpp"

namespace faro::inline v1 {
namespace {

std::vector<const Planner*> planners_of(const PlanOptions& options) {
  const auto known = options.algorithm.empty() ? asked_planners() : catalogue();
  std::vector<const Planner*> all = options.planners;
  if (options.ask == PlanOptions::Ask::everybody) all.insert(all.end(), known.begin(), known.end());
  for (std::size_t i = 0; i < options.planners.size(); ++i) {
    if (all[i] == nullptr) throw Error(ErrorCode::usage, "one of the planners given is null");
    for (std::size_t j = 0; j < all.size(); ++j)
      if (i != j && all[j] != nullptr && all[i]->name() == all[j]->name())
        throw Error(
            ErrorCode::usage,
            fmt::format("two planners are named '{}'; a name says who is meant", all[i]->name()));
  }
  return all;
}

const Planner& named(const std::vector<const Planner*>& planners, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Planner* planner : planners) {
    if (planner->name() == name) return *planner;
    names.push_back(planner->name());
  }
  const std::string_view near = nearest(name, names);
  throw Error(ErrorCode::usage,
              fmt::format("there is no algorithm '{}'{}; `faro algorithms` lists them", name,
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

// Why each planner refuses; those with one reason share a line.
std::string refusals(const std::vector<Considered>& all) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, names
  for (const Considered& c : all) {
    const std::string reason = c.refusal.value_or("");
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == reason; });
    if (same == lines.end())
      lines.emplace_back(reason, c.planner->name());
    else
      same->second += fmt::format(", {}", c.planner->name());
  }
  std::string text;
  for (const auto& [reason, names] : lines) text += fmt::format("\n  {}: {}", names, reason);
  return text;
}

// Machines that differ in one thing from this one.
std::vector<Machine> neighbours(const Machine& machine) {
  std::vector<Machine> all;
  if (auto cube = std::get_if<Hypercube>(&machine); cube != nullptr) {
    const bool one = cube->ports == Hypercube::Ports::one;
    all.emplace_back(
        Hypercube{cube->dimensions, one ? Hypercube::Ports::all : Hypercube::Ports::one});
  }
  if (auto mesh = std::get_if<Mesh>(&machine); mesh != nullptr) {
    Mesh other = *mesh;
    if (other.links == Mesh::Links::one_route) {
      other.links = Mesh::Links::all;
      if (other.wrap == Mesh::Wrap::propagating) other.wrap = Mesh::Wrap::none;
      all.emplace_back(other);
    }
  }
  if (auto pops = std::get_if<Pops>(&machine); pops != nullptr && !pops->multi_receive)
    all.emplace_back(Pops{pops->group_size, pops->groups, true});
  if (const auto bits = address_bits(machine); bits && !(machine == Machine(Crossbar{*bits})))
    all.emplace_back(Crossbar{*bits});
  return all;
}

// A planner without a search that says yes, if the question can be asked of the machine at all.
const Planner* applying(const Machine& machine, const Question& question,
                        std::optional<std::uint64_t> elements) {
  try {
    const Request changed = Request::of(machine, question, elements);
    for (const Planner* planner : asked_planners())
      if (kind_of(machine).is_meant_by(planner->about().machine) && !planner->searches() &&
          !planner->refusal(changed))
        return planner;
  } catch (const Error&) {
    // No such request: another change, then.
  }
  return nullptr;
}

// The one thing to change, where such a planner says yes to the changed question.
std::string one_change(const Request& request) {
  const auto* map = request.get_if<MapGoal>();
  const auto* list = request.get_if<Destinations>();
  if (map == nullptr && list == nullptr) return {};
  const Question question = map != nullptr ? Question(*map) : Question(*list);
  const bool alike = list != nullptr || !map->cut;
  const std::uint64_t k = request.elements();
  for (std::uint64_t fewer = alike ? std::bit_ceil(k) / 2 : 0; fewer != 0; fewer /= 2)
    if (const Planner* planner = applying(request.machine(), question, fewer))
      return fmt::format("\nWith {} elements in each processor in place of {}, {} applies.", fewer,
                         k, planner->name());
  for (const Machine& machine : neighbours(request.machine()))
    if (const Planner* planner =
            applying(machine, question, alike ? std::optional<std::uint64_t>(k) : std::nullopt))
      return fmt::format("\nOn {} in place of {}, {} applies.", to_string(machine),
                         to_string(request.machine()), planner->name());
  if (const auto* ranks = std::get_if<Crossbar>(&request.machine());
      !alike && ranks != nullptr && ranks->tiers.empty())
    return "\nWith --element-bytes 8 it is answered as one exchange.";
  return "\nNo other machine of the kind helps; `faro algorithms` says what each needs.";
}

// A planner's offer, unless it has refused already. One whose search fails refuses now.
std::optional<Offer> answer(const Request& request, Considered& c) {
  if (c.refusal) return {};
  still_working();
  try {
    Offer offer = c.planner->offer(request);
    c.estimate = offer.estimate;
    if (offer.expression.empty()) offer.expression = c.planner->name();
    return offer;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible && error.code() != ErrorCode::limit) throw;
    c.refusal = error.what();
    return {};
  }
}

// Where loops are far above the bound turns may be nearer, which are of many elements. On meshes
// their parts are negotiated for seconds: loops are streams there.
bool takes_turns(const Planner& planner) {
  return &planner == &cube_turns || &planner == &pops_turns || &planner == &ranks_turns;
}

Asked ask_one(const Request& request, const Planner& planner) {
  Asked asked{.considered = {{.planner = &planner, .refusal = planner.refusal(request)}},
              .chosen = &planner,
              .offer = {}};
  std::optional<Offer> offer = answer(request, asked.considered[0]);
  if (!offer)
    throw Error(ErrorCode::impossible, fmt::format("algorithm {} does not apply: {}",
                                                   planner.name(), *asked.considered[0].refusal));
  asked.offer = std::move(*offer);
  return asked;
}

}  // namespace

Asked ask(const Request& request, const Bound& bound, const PlanOptions& options) {
  const std::vector<const Planner*> planners = planners_of(options);
  if (!options.algorithm.empty()) return ask_one(request, named(planners, options.algorithm));
  Asked asked;
  const MachineKind& kind = kind_of(request.machine());
  for (const Planner* planner : planners)
    if (kind.is_meant_by(planner->about().machine))
      asked.considered.push_back({.planner = planner, .refusal = planner->refusal(request)});
  std::size_t best = asked.considered.size();
  const auto rank = [&](std::size_t i) -> const Estimate& { return *asked.considered[i].estimate; };
  const auto take = [&](std::size_t i) {
    auto offer = answer(request, asked.considered[i]);
    if (!offer) return;
    if (best < asked.considered.size()) {
      const bool before = asked.considered[i].planner->asks_for_fewer() ||
                          (i < best && !asked.chosen->asks_for_fewer());
      const auto mine = std::tie(rank(i).cost.value, rank(i).ties);
      const auto least = std::tie(rank(best).cost.value, rank(best).ties);
      if (least < mine || (mine == least && !before)) return;
    }
    best = i;
    asked.chosen = asked.considered[i].planner;
    asked.offer = std::move(*offer);
  };
  for (std::size_t i = 0; i < asked.considered.size(); ++i)
    if (!asked.considered[i].planner->searches()) take(i);
  for (std::size_t i = 0; i < asked.considered.size(); ++i)
    if (asked.considered[i].planner->asks_for_fewer()) take(i);
  for (std::size_t i = 0; i < asked.considered.size(); ++i) {
    Considered& c = asked.considered[i];
    if (!c.planner->searches() || c.refusal || c.planner->asks_for_fewer()) continue;
    const Count least = std::max(bound.value, c.planner->at_least(request));
    // With an equal cost it may still win by what decides between equals.
    if (asked.chosen != nullptr && asked.chosen->asks_for_fewer() &&
        (!takes_turns(*c.planner) || looped::near(rank(best).cost.value, bound.value)))
      c.not_asked =
          fmt::format("it searches, and {} asks for fewer elements", asked.chosen->name());
    else if (asked.chosen != nullptr && options.searches == PlanOptions::Searches::last_resort)
      c.not_asked = fmt::format("it searches, and {} applies", asked.chosen->name());
    else if (asked.chosen != nullptr &&
             (rank(best).cost.value < least ||
              (rank(best).cost.value == least && rank(best).ties.empty())))
      c.not_asked =
          fmt::format("its search cannot take fewer than {}, and {} offers {}", to_string(least),
                      asked.chosen->name(), to_string(rank(best).cost.value));
    else
      take(i);
  }
  if (asked.chosen == nullptr)
    throw Error(ErrorCode::impossible,
                "no planner applies:" + refusals(asked.considered) + one_change(request));
  return asked;
}

std::vector<Answer> answers(const Request& request, const PlanOptions& options) {
  std::vector<Answer> all;
  for (const Considered& c : ask(request, bound_of(request), options).considered) {
    Considered again = c;
    if (auto offer = answer(request, again)) all.push_back({c.planner, std::move(*offer)});
  }
  return all;
}

namespace {

// Parts of plans are steps listed one by one: nobody asks for fewer elements there.
PlanOptions for_parts() {
  PlanOptions options;
  options.ask = PlanOptions::Ask::own_planners;
  for (const Planner* planner : asked_planners())
    if (!planner->asks_for_fewer()) options.planners.push_back(planner);
  return options;
}

}  // namespace

bool looped::found_by_luck(std::string_view expression) {
  const std::span<const Planner* const> all = asked_planners();
  return std::any_of(all.begin(), all.end(), [expression](const Planner* planner) {
    return planner->finds_by_luck() && expression.find(planner->name()) != std::string_view::npos;
  });
}

std::vector<Answer> good_answers(const Request& request, Count dearer, const Request& further,
                                 Patience patience) {
  PlanOptions options = for_parts();
  const MachineKind& kind = kind_of(request.machine());
  std::erase_if(options.planners, [&](const Planner* planner) {
    return planner->finds_by_luck() || (patience == Patience::none && planner->asks_often()) ||
           (kind.is_meant_by(planner->about().machine) && planner->refusal(further));
  });
  Asked asked = ask(request, bound_of(request), options);
  std::vector<Answer> good{{asked.chosen, std::move(asked.offer)}};
  for (Considered& c : asked.considered)
    if (c.planner != asked.chosen && c.estimate && !c.planner->searches() &&
        c.estimate->cost.value <= good[0].offer.estimate.cost.value + dearer)
      good.push_back({c.planner, *answer(request, c)});
  std::erase_if(good, [](const Answer& a) { return looped::found_by_luck(a.offer.expression); });
  if (good.empty())
    throw Error(ErrorCode::impossible, "plans for a few elements are found by luck");
  return good;
}

Answer answer_of(const Request& request, const Planner& planner) {
  return {&planner, ask_one(request, planner).offer};
}

std::vector<const PlannerEntry*> entries_where(bool (*holds)(const PlannerEntry::Parts&)) {
  std::vector<const PlannerEntry*> all;
  for (const Planner* planner : asked_planners())
    if (const auto* entry = dynamic_cast<const PlannerEntry*>(planner);
        entry != nullptr && holds(entry->parts()))
      all.push_back(entry);
  return all;
}

Offer cheapest_offer(const Request& request, Searching searching) {
  PlanOptions options = for_parts();
  if (searching == Searching::few) options.searches = PlanOptions::Searches::last_resort;
  return ask(request, bound_of(request), options).offer;
}

std::optional<Offer> cheapest_if_any(const Request& request, Searching searching) {
  try {
    return cheapest_offer(request, searching);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) throw;
    return {};
  }
}

}  // namespace faro::inline v1
