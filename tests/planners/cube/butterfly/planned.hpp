// Requests over a grid, and plans with the verdicts of both verifiers.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "planners/part.hpp"

namespace faro::testing {

using Order = ButterflyGoal::Order;
using Output = ButterflyNetwork::Output;
using Finish = ButterflyNetwork::Finish;

inline std::string text_of(const ButterflyNetwork& r) {
  const char* encodings[] = {"binary", "gray", "gray||gray", "binary||gray"};
  const char* outputs[] = {"binary", "gray", "gray_through"};
  return fmt::format("n {} p {} {} {} {} to {}{}", r.processor_bits, r.index_bits,
                     r.allocation == Allocation::cyclic ? "cyclic" : "consecutive",
                     encodings[static_cast<int>(r.encoding)],
                     r.order == Order::most_significant_first ? "msb" : "lsb",
                     outputs[static_cast<int>(r.output)],
                     r.finish == Finish::restored ? " restored" : "");
}

// Every layout, order and output on an n-cube with 2^m elements a processor.
inline std::vector<ButterflyNetwork> requests(int n, int m) {
  std::vector<ButterflyNetwork> all;
  for (const auto allocation : {Allocation::consecutive, Allocation::cyclic}) {
    for (const auto encoding :
         {Encoding::binary, Encoding::gray, Encoding::gray_gray, Encoding::binary_gray}) {
      for (const auto order : {Order::most_significant_first, Order::least_significant_first}) {
        for (const auto output : {Output::binary, Output::gray, Output::gray_through}) {
          for (const auto finish : {Finish::as_planned, Finish::restored}) {
            all.push_back({.processor_bits = n,
                           .index_bits = n + m,
                           .allocation = allocation,
                           .encoding = encoding,
                           .order = order,
                           .output = output,
                           .finish = finish});
          }
        }
      }
    }
  }
  return all;
}

inline std::string first_violation(const Verdict& v) {
  if (v.violations.empty()) return v.limit;
  return fmt::format("step {}: {}: {}", to_string(v.violations[0].step), v.violations[0].rule,
                     v.violations[0].message);
}

inline Verdict replayed(const RecordingSink& schedule) {
  auto verifier = make_replay();
  schedule.replay_into(*verifier);
  return verifier->verdict();
}

inline Verdict proved(const RecordingSink& schedule) {
  auto verifier = make_proof();
  schedule.replay_into(*verifier);
  return verifier->verdict();
}

inline Request request_of(const ButterflyNetwork& network) {
  return Request::of(Hypercube{.dimensions = network.processor_bits}, network);
}

// The library's planners of butterfly networks.
inline std::vector<const Planner*> butterfly_planners() {
  std::vector<const Planner*> all;
  for (const Planner* planner : catalogue())
    if (planner->name().starts_with("butterfly-")) all.push_back(planner);
  return all;
}

inline RecordingSink recorded(const Offer& offer) {
  RecordingSink schedule;
  offer.push(schedule);
  return schedule;
}

inline ButterflyGoal goal_of(const Offer& offer) {
  return std::get<ButterflyGoal>(header_of(offer).goal);
}

inline RecordingSink recorded(std::string_view planner, const ButterflyNetwork& network) {
  return recorded(find_planner(planner)->offer(request_of(network)));
}

}  // namespace faro::testing
