// Nodes: what plans of processor bits are made of. A node knows its cost and its name before there
// is a step of it, and makes its steps when they are wanted.
//
//   a:4 b:2 -> ungray(a) ungray(b), K = 20
//   phases(conversion-table, two-bits)      ten elements on each field, then the other ten
//   inverse(sequence(one-port-half, one-port-half))
//
// The set is small: one after another, side by side, phases, a pipeline, inverse. What a node is
// called is what the report of a plan says that it is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {

struct Node {
  Count cost = 0;               // steps with a remote move
  std::string expression = {};  // a planner's name, or what it is made of
  std::function<StepSource()> steps = {};
};

// A planner's own steps; all of them have a remote move unless the cost says how many.
Node node_of(std::string_view planner, StepSource source, std::optional<Count> cost = {});

// What another planner offers, its steps kept. Throws Error(impossible) if they list processors, or
// move slots between remote steps: such steps fit into no larger plan.
Node node_of(const Offer& offer);

// The node on a part of the cube: its dimension i is dimensions[i].
Node on_part(Node node, std::vector<int> dimensions);

// First all steps of parts[0], then those of parts[1], and so on.
Node one_after_another(std::uint64_t elements, std::vector<Node> parts);

// A node for some of the elements: its slot i < count is slot first + stride * i of the whole, the
// others are transit slots.
struct Share {
  Node node;
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t stride = 1;
};
// All at once, each with transit slots of its own above `elements`. They must not meet on a link.
Node side_by_side(std::uint64_t elements, std::vector<Share> shares);

// Works that meet on no link, each to be done to all elements. These are in as many shares, share j
// has the elements j, j + works, ..; in phase p it does work (j + p) mod works.
using Work = std::function<Node(std::size_t work, std::uint64_t elements)>;
Node phases(std::uint64_t elements, std::size_t works, const Work& work);

// The map of the node, or its inverse: every element walks its path backwards.
Node directed(Node node, Direction direction);

// The first of the least cost.
Node cheapest(std::vector<Node> nodes);

// The offer of a planner whose plan is this node, for maps that split: free steps that move slots
// as the memory bits say come behind it.
Offer offer_of(const Request& request, std::string_view planner, Node node, std::string formula,
               std::optional<PaperCount> paper = {});

}  // namespace faro::inline v1
