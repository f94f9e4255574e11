// A planner of butterfly networks as an entry of the catalogue: words and functions.
//
// What has a formula gives `estimate` and `build`; what searches gives `found` in their place,
// which keeps what it found.
#pragma once

#include <functional>

#include "faro/planners/planner.hpp"
#include "faro/schedules/cost.hpp"

namespace faro::inline v1 {

class ButterflyEntry final : public Planner {
 public:
  struct Found {
    Estimate estimate;
    std::function<void(CompiledSink&)> push;
    std::string expression = {};
  };
  struct Parts {
    const char* name;
    std::string_view title;
    std::string_view needs;
    std::string_view cost;
    std::string_view citation;
    std::optional<std::string> (*refusal)(const ButterflyNetwork&);
    // The cost, and the schedule pushed into a sink. Require no refusal.
    Estimate (*estimate)(const ButterflyNetwork&) = nullptr;
    void (*build)(const ButterflyNetwork&, CompiledSink&) = nullptr;
    Found (*found)(const ButterflyNetwork&) = nullptr;
    // What a search cannot take less than, if more is known of it than of the machine.
    Count (*least)(const ButterflyNetwork&) = nullptr;
  };

  explicit constexpr ButterflyEntry(const Parts& parts)
      : about_{parts.name,  "cube, butterfly networks (--butterfly)",
               parts.title, parts.needs,
               parts.cost,  parts.citation},
        parts_(parts) {}

  const About& about() const override { return about_; }
  std::optional<std::string> refusal(const Request& request) const override;
  bool searches() const override { return parts_.found != nullptr; }
  Count at_least(const Request& request) const override {
    return parts_.least == nullptr ? 0 : parts_.least(*request.get_if<ButterflyNetwork>());
  }
  Offer offer(const Request& request) const override;

 private:
  About about_;
  Parts parts_;
};

// An offer of what computes: its schedule is the compiled one without the indices.
Offer offer_of(Estimate estimate, std::function<void(CompiledSink&)> push);

}  // namespace faro::inline v1
