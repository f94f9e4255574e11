// Costs and names are summed up at once; steps are made when they are pushed.
#include "planners/cube/nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "planners/cube/affine/mirror.hpp"

namespace faro::inline v1 {
namespace {

template <class Parts, class Of>
std::string called(const char* name, const Parts& parts, Of&& of) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(of(part));
  return fmt::format("{}({})", name, fmt::join(names, ", "));
}

StepSource joined(std::uint64_t slots, std::vector<StepSource> parts) {
  std::uint64_t steps = 0;
  const std::uint64_t lead = parts.empty() ? 0 : parts.front().lead;
  for (const StepSource& part : parts) {
    steps += part.steps;
    slots = std::max(slots, part.slots);
  }
  return {.slots = slots,
          .steps = steps,
          .make =
              [parts = std::move(parts)](std::uint64_t t, CubeStep& out) {
                std::size_t i = 0;
                for (; t >= parts[i].steps; ++i) t -= parts[i].steps;
                parts[i].make(t, out);
              },
          .lead = lead};
}

StepSource together(std::uint64_t elements, const std::vector<Share>& all) {
  struct Part {
    StepSource source;
    std::uint64_t count, first, stride, transit;
    std::uint64_t start = 0;
  };
  std::vector<Part> parts;
  std::uint64_t slots = elements;
  std::uint64_t steps = 0;
  std::uint64_t lead = 0;
  for (const Share& share : all) {
    parts.push_back({share.node.steps(), share.count, share.first, share.stride, slots});
    slots += parts.back().source.slots - share.count;
    lead = std::max(lead, parts.back().source.lead);
  }
  // What somebody rearranges first is done before anybody crosses a link.
  for (Part& part : parts) {
    part.start = lead - part.source.lead;
    steps = std::max(steps, part.start + part.source.steps);
  }
  const auto make = [parts = std::move(parts)](std::uint64_t t, CubeStep& out) {
    CubeStep one;
    for (const Part& part : parts) {
      if (t < part.start || t - part.start >= part.source.steps) continue;
      one.clear();
      part.source.make(t - part.start, one);
      place_slots(one, [&part](Slot s) {
        return static_cast<Slot>(s < part.count ? part.first + part.stride * s
                                                : part.transit + (s - part.count));
      });
      std::move(one.rules.begin(), one.rules.end(), std::back_inserter(out.rules));
    }
  };
  return {.slots = slots, .steps = steps, .make = make, .lead = lead};
}

StepSource backwards(StepSource forward) {
  const auto make = [forward](std::uint64_t t, CubeStep& out) {
    forward.make(forward.steps - 1 - t, out);
    invert(out);
  };
  return {.slots = forward.slots, .steps = forward.steps, .make = make};
}

StepSource placed(StepSource source, const std::vector<int>& dimensions) {
  const auto make = [make = std::move(source.make), names = mirrors::Renaming{dimensions}](
                        std::uint64_t t, CubeStep& out) {
    make(t, out);
    mirrors::rename(out, names);
  };
  return {.slots = source.slots, .steps = source.steps, .make = make, .lead = source.lead};
}

bool is_remote(const CubeStep& step) {
  return std::any_of(step.rules.begin(), step.rules.end(),
                     [](const Rule& rule) { return rule.across != inside; });
}

}  // namespace

Node node_of(const Offer& offer) {
  RecordingSink kept;
  offer.push(kept);
  const auto first = std::find_if(kept.cube_steps.begin(), kept.cube_steps.end(), is_remote);
  const auto local = std::find_if_not(first, kept.cube_steps.end(), is_remote);
  const auto lead = static_cast<std::uint64_t>(first - kept.cube_steps.begin());
  const bool fits = Count(local - first) == offer.estimate.cost.value &&
                    std::all_of(kept.cube_steps.begin(), kept.cube_steps.end(),
                                [](const CubeStep& step) { return step.moves.empty(); });
  if (!fits)
    throw Error(ErrorCode::impossible,
                fmt::format("the steps of {} fit into no larger plan", offer.expression));
  StepSource source = kept_steps(kept.header.slots, std::move(kept.cube_steps));
  source.lead = lead;
  return {offer.estimate.cost.value, offer.expression,
          [source = std::move(source)] { return source; }};
}

Node on_part(Node node, std::vector<int> dimensions) {
  return {node.cost, fmt::format("part({})", node.expression),
          [steps = std::move(node.steps), dimensions = std::move(dimensions)] {
            return placed(steps(), dimensions);
          }};
}

Node node_of(std::string_view planner, StepSource source, std::optional<Count> cost) {
  return {cost.value_or(source.steps), std::string(planner),
          [source = std::move(source)] { return source; }};
}

Node one_after_another(std::uint64_t elements, std::vector<Node> parts) {
  if (parts.size() == 1) return parts.front();
  Node whole{.expression = called("sequence", parts, [](const Node& n) { return n.expression; })};
  for (const Node& part : parts) whole.cost += part.cost;
  whole.steps = [elements, parts = std::move(parts)] {
    std::vector<StepSource> sources;
    for (const Node& part : parts) sources.push_back(part.steps());
    return joined(elements, std::move(sources));
  };
  return whole;
}

Node side_by_side(std::uint64_t elements, std::vector<Share> shares) {
  Node whole{.expression =
                 called("beside", shares, [](const Share& s) { return s.node.expression; })};
  for (const Share& share : shares) whole.cost = std::max(whole.cost, share.node.cost);
  whole.steps = [elements, all = std::move(shares)] { return together(elements, all); };
  return whole;
}

Node phases(std::uint64_t elements, std::size_t works, const Work& work) {
  if (works == 1) return work(0, elements);
  const auto size = [&](std::size_t share) {
    return elements > share ? (elements - share - 1) / works + 1 : 0;
  };
  std::vector<Node> all;
  std::vector<Node> named;
  for (std::size_t phase = 0; phase < works; ++phase) {
    named.push_back(work(phase, size(0)));
    std::vector<Share> shares;
    for (std::size_t j = 0; j < works && size(j) != 0; ++j)
      shares.push_back({.node = work((j + phase) % works, size(j)),
                        .count = size(j),
                        .first = j,
                        .stride = works});
    all.push_back(side_by_side(elements, std::move(shares)));
  }
  Node whole = one_after_another(elements, std::move(all));
  whole.expression = called("phases", named, [](const Node& n) { return n.expression; });
  return whole;
}

Node directed(Node node, Direction direction) {
  if (direction == Direction::forward) return node;
  return {.cost = node.cost,
          .expression = fmt::format("inverse({})", node.expression),
          .steps = [steps = std::move(node.steps)] { return backwards(steps()); }};
}

Node cheapest(std::vector<Node> nodes) {
  FARO_CHECK(!nodes.empty());
  return std::move(*std::min_element(nodes.begin(), nodes.end(),
                                     [](const Node& a, const Node& b) { return a.cost < b.cost; }));
}

Offer offer_of(const Request& request, std::string_view planner, Node node, std::string formula,
               std::optional<PaperCount> paper) {
  return {.estimate = {.cost = {node.cost, std::move(formula)}, .paper = std::move(paper)},
          .push = [request, planner, steps = std::move(node.steps)](
                      ScheduleSink& sink) { emit(request, planner, steps(), sink); },
          .expression = std::move(node.expression)};
}

}  // namespace faro::inline v1
