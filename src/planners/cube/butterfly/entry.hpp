// What entries of butterfly networks in the catalogue are made of: functions of the network.
//
//   .machine = networks,
//   .refusal = refused<refusal_memory>,
//   .offer = offered<estimate_memory, build_memory>,     with a formula; what searches gives
//   .offer = found<list_schedule>, .searches = true,     an offer, which keeps what it found
#pragma once

#include <functional>

#include "faro/schedules/cost.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1::butterfly {

inline constexpr std::string_view networks = "cube, butterfly networks (--butterfly)";

// An offer of what computes: its schedule is the compiled one without the indices.
Offer offer_of(Estimate estimate, std::function<void(CompiledSink&)> push,
               std::string expression = {});

template <std::optional<std::string> (*refusal)(const ButterflyNetwork&)>
std::optional<std::string> refused(const Request& request) {
  const auto* network = request.get_if<ButterflyNetwork>();
  if (network == nullptr) return "it plans butterfly networks; this request is none";
  return refusal(*network);
}

template <Estimate (*estimate)(const ButterflyNetwork&),
          void (*build)(const ButterflyNetwork&, CompiledSink&)>
Offer offered(const Request& request) {
  const ButterflyNetwork network = *request.get_if<ButterflyNetwork>();
  return offer_of(estimate(network), [network](CompiledSink& sink) { build(network, sink); });
}

// Whatever a function of the network says: an offer, or what no search can take less than.
template <auto of>
auto found(const Request& request) {
  return of(*request.get_if<ButterflyNetwork>());
}

}  // namespace faro::inline v1::butterfly
