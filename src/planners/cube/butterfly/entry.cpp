// The offer of a network is compiled; as a schedule it is the same without what processors compute.
#include "planners/cube/butterfly/entry.hpp"

#include <utility>

namespace faro::inline v1::butterfly {

Offer offer_of(Estimate estimate, std::function<void(CompiledSink&)> push, std::string expression) {
  return {.estimate = std::move(estimate),
          .push =
              [push](ScheduleSink& sink) {
                ToSchedule to(sink);
                push(to);
              },
          .expression = std::move(expression),
          .compiled = push};
}

}  // namespace faro::inline v1::butterfly
