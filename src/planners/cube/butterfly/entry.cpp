// The offer of a network is compiled; as a schedule it is the same without what processors compute.
#include "planners/cube/butterfly/entry.hpp"

#include <utility>

namespace faro::inline v1 {

std::optional<std::string> ButterflyEntry::refusal(const Request& request) const {
  const auto* network = request.get_if<ButterflyNetwork>();
  if (network == nullptr) return "it plans butterfly networks; this request is none";
  return parts_.refusal(*network);
}

Offer ButterflyEntry::offer(const Request& request) const {
  const ButterflyNetwork network = *request.get_if<ButterflyNetwork>();
  if (parts_.found != nullptr) {
    Found found = parts_.found(network);
    Offer offer = offer_of(std::move(found.estimate), std::move(found.push));
    offer.expression = std::move(found.expression);
    return offer;
  }
  return offer_of(parts_.estimate(network),
                  [build = parts_.build, network](CompiledSink& sink) { build(network, sink); });
}

Offer offer_of(Estimate estimate, std::function<void(CompiledSink&)> push) {
  return {.estimate = std::move(estimate),
          .push =
              [push](ScheduleSink& sink) {
                ToSchedule to(sink);
                push(to);
              },
          .compiled = push};
}

}  // namespace faro::inline v1
