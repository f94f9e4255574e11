#include "cli/map_bounds.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/machines/text.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {
namespace {

// More processors than the machines' own limits are no machine; more elements no request.
constexpr int processor_bits_max = 60;
constexpr int memory_bits_max = 62;

}  // namespace

std::vector<MachineBound> map_bounds(const Notation& notation) {
  std::vector<MachineBound> rows;
  const Cut& cut = notation.cut;
  const bool both = cut.kind == Cut::Kind::both;
  const int n = both ? cut.processor_bits : notation.map.width();
  const int m = notation.map.width() - n;
  if (cut.kind == Cut::Kind::layout || n == 0 || n > processor_bits_max || m > memory_bits_max)
    return rows;
  // As square as it gets: 2^3 x 2^2 for 32 processors.
  const std::string sides = fmt::format("2^{}x2^{}", (n + 1) / 2, n / 2);
  for (const std::string& text :
       {fmt::format("cube:{}", n), fmt::format("cube:{},one-port", n), "mesh:" + sides,
        "torus:" + sides, "mesh:" + sides + ",all-links", "torus:" + sides + ",all-links",
        fmt::format("pops:2^{},2^{}", (n + 1) / 2, n / 2)}) {
    const Machine machine = machine_from(text);
    try {
      Bound bound = bound_of(
          Request::of(machine, MapGoal{.map = notation.map, .cut = both, .memory_bits = m}));
      if (bound.reason.rfind("no bound", 0) == 0) continue;
      rows.push_back({to_string(machine), cost_unit(machine), std::move(bound)});
    } catch (const Error& error) {
      // A machine that cannot do such a map at all has no row.
      if (error.code() != ErrorCode::impossible && error.code() != ErrorCode::limit) throw;
    }
  }
  return rows;
}

}  // namespace faro::cli
