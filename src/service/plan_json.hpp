// A plan's report as format faro-plan/1 (docs/schemas), and the parts that other reports share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// What a schedule costs and is compared with.
struct Price {
  Machine machine;
  Cost cost;
  Formula formula;
  std::optional<PaperCount> paper;
  Bound bound;
  std::string unchecked = {};  // why nobody has checked what proves the bound; empty: it is checked

  Count gap() const;  // in the machine's unit
};

Price price_of(const Plan& plan);
// Members cost, formula, paper, bound and gap.
void add_price(const Price& price, nlohmann::ordered_json& object);
// {"by": "both", "ok": true}, or null where nobody gave an answer.
nlohmann::ordered_json verified_json(const std::vector<Verdict>& verdicts);
bool was_refused(const std::vector<Verdict>& verdicts);

nlohmann::ordered_json plan_json(const Plan& plan);

}  // namespace faro::inline v1
