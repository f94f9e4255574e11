// A planner as an entry of the catalogue: words and functions.
//
//   const PlannerEntry minimum_path({.name = "minimum-path", .. .refusal = refusal,
//                                    .estimate = estimate, .build = build});
//
// What has a formula gives `estimate` and `build`; what searches gives `offer` in their place,
// which keeps what it found.
#pragma once

#include <cstdint>

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

// How many mirrors of a question (cube/affine/mirror.hpp) may be put to one whose count depends on
// names, and when: of equal counts the first is taken.
struct OfMirrors {
  std::uint64_t most = 0;  // where all orders of dimensions can be tried
  std::uint64_t few = 0;   // of more dimensions
  bool pairs = false;      // an odd number of elements is made even by a copy of one
  int turn = 0;            // of each mirror; who shares one goes in the order of the catalogue
};

class PlannerEntry final : public Planner {
 public:
  struct Parts {
    std::string_view name;
    std::string_view machine;
    std::string_view title;
    std::string_view needs;
    std::string_view cost;
    std::string_view citation = "faro";
    std::optional<std::string> (*refusal)(const Request&);
    // The cost, and the schedule pushed into a sink. Require no refusal.
    Estimate (*estimate)(const Request&) = nullptr;
    void (*build)(const Request&, ScheduleSink&) = nullptr;
    Offer (*offer)(const Request&) = nullptr;
    bool searches = false;
    bool asks_for_fewer = false;
    bool finds_by_luck = false;
    bool asks_often = false;
    // What its search cannot take less than, if more is known of it than of the machine.
    Count (*least)(const Request&) = nullptr;
    // It looks at the question itself, which need not be one that moves data.
    bool computes = false;
    // Plans cubes of several ports, but not all; who does not say so is not asked.
    bool several_ports = false;
    OfMirrors of_mirrors = {};
    // Asked beside the cheapest plans where the ports of a cube take turns.
    bool of_ports = false;
    // A search whose count depends on no names: mirrors of conversions are planned by it.
    bool of_conversions = false;
  };

  explicit constexpr PlannerEntry(const Parts& parts)
      : about_{parts.name, parts.machine, parts.title, parts.needs, parts.cost, parts.citation},
        parts_(parts) {}

  const About& about() const override { return about_; }
  std::optional<std::string> refusal(const Request& request) const override;
  bool searches() const override { return parts_.searches; }
  bool asks_for_fewer() const override { return parts_.asks_for_fewer; }
  bool finds_by_luck() const override { return parts_.finds_by_luck; }
  bool asks_often() const override { return parts_.asks_often; }
  Count at_least(const Request& request) const override {
    return parts_.least == nullptr ? 0 : parts_.least(request);
  }
  const Parts& parts() const { return parts_; }
  Offer offer(const Request& request) const override;

 private:
  About about_;
  Parts parts_;
};

}  // namespace faro::inline v1
