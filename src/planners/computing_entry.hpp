// A planner of what computes or copies as an entry of the catalogue. Its functions look at the
// question themselves.
#pragma once

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

class ComputingEntry final : public Planner {
 public:
  struct Parts {
    About about;
    std::optional<std::string> (*refusal)(const Request&);
    Offer (*offer)(const Request&);  // requires no refusal
  };

  explicit constexpr ComputingEntry(const Parts& parts) : parts_(parts) {}

  const About& about() const override { return parts_.about; }
  std::optional<std::string> refusal(const Request& request) const override {
    return parts_.refusal(request);
  }
  Offer offer(const Request& request) const override { return parts_.offer(request); }

 private:
  Parts parts_;
};

}  // namespace faro::inline v1
