// h-relations on a POPS network: every processor sends at most h data and receives at most h.
//
// The data are split into classes with at most one datum of each processor at either end and, where
// d >= g, at most g of each group; a class takes two slots (one where d = 1). The split for d >= g
// is a flow for each class, source -> group -> processor -> datum -> processor -> group -> sink,
// with the share of what is left as bounds: whole flows exist because the conditions are nested.
//
//   POPS(3, 2), h = 2:   max(2, ceil(6/2)) = 3 classes, 6 slots
//
// K elements of a processor that move alike are an h-relation with h = K. Registers: 0..K-1 what a
// processor has, K..2K-1 what arrives, then one for transit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

// The data of a request that move, with the registers they start and end in.
struct RelationData {
  std::vector<Packet> data;
  std::uint32_t h = 0;  // the most that a processor sends or receives
  Request request;      // with one destination for each element where destinations are listed
};
RelationData relation_of(const Request& request);
std::optional<std::string> relation_refusal(const Request& request);

// The schedule of packets that are the data of `relation`.
void emit_relation(const RelationData& relation, std::string_view planner,
                   const std::vector<Packet>& packets, ScheduleSink& sink);

// The class of every datum, in 0..classes-1. Requires d >= g, classes >= max(h, ceil(h·d/g)).
std::vector<std::uint32_t> fair_classes(const Pops& machine, const std::vector<Packet>& data,
                                        std::uint32_t classes);

// Slots filled in. h is the largest number of data that a processor sends or receives.
std::vector<Packet> relation_hops(const Pops& machine, std::vector<Packet> data, std::uint32_t h);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_relation;

}  // namespace faro::inline v1
