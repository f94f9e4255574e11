// What reports say: of a plan, format faro-plan/1 (docs/schemas), of a map, format faro-map/1, and
// of a verdict, format faro-verdict/1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/service/plan.hpp"
#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1 {

// What a schedule costs and is compared with.
struct Price {
  Machine machine;
  Cost cost;
  Formula formula;
  std::optional<PaperCount> paper;
  Bound bound;
  std::string unchecked = {};  // why nobody has checked what proves the bound; empty: it is checked
  std::string of = {};         // the schedules that it speaks of, where not of all

  Count gap() const;  // in the machine's unit
};

Price price_of(const MachinePlan& plan);
// Members cost, formula, paper, bound and gap.
void add_price(const Price& price, Report& report);
// {"by": "both", "ok": true}, or null where nobody gave an answer.
Report verified_report(const std::vector<Verdict>& verdicts);
bool was_refused(const std::vector<Verdict>& verdicts);

Report plan_report(const MachinePlan& plan);

// What the map costs at least on a machine of as many processors as it speaks of.
struct MachineBound {
  std::string machine;  // as --on takes it
  std::string unit;     // "steps", "unit routes", "slots"
  Bound bound;
};

// One row a machine for which a bound is known; none for layouts, which move nothing by themselves.
std::vector<MachineBound> map_bounds(const Notation& notation);

// Chains and cycles of a map that tells processor and memory apart; nothing if it is no permutation
// of bits.
std::optional<shuffle::Structure> structure_of(const Notation& notation);

// Canonical text of the inverse. That of a layout is a plain map.
std::string inverse_text(const Notation& notation);

// 1, 2, 3, as far as there are so many.
std::vector<Word> example_indices(int width);

// Format faro-map/1; `text` as it was typed.
Report map_report(std::string_view text, const Notation& notation, int replica_bits,
                  const std::vector<MachineBound>& bounds);

// Format faro-verdict/1.
Report verdict_report(const VerifyReport& report);

}  // namespace faro::inline v1
