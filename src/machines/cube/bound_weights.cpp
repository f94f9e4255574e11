#include "machines/cube/bound_weights.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.hpp"

namespace faro::inline v1::tables {
extern const std::string_view bound_weights;
}

namespace faro::inline v1 {
namespace {

using nlohmann::json;

struct Tables {
  std::map<int, Fraction> one_port;
  std::map<std::uint64_t, Count> steps;

  Tables() {
    const json file = json::parse(tables::bound_weights);
    for (const json& entry : file.at("conversion_one_port")) {
      const auto rate = entry.at("rate").get<std::string>();
      const std::size_t slash = rate.find('/');
      one_port[entry.at("length").get<int>()] = {std::stoull(rate.substr(0, slash)),
                                                 std::stoull(rate.substr(slash + 1))};
    }
    for (const json& entry : file.at("conversion_steps"))
      steps[entry.at("elements").get<std::uint64_t>()] = entry.at("steps").size() + 1;
  }
};

const Tables& all() {
  static const Tables tables;
  return tables;
}

}  // namespace

Fraction one_port_conversion_rate(int length) {
  const auto found = all().one_port.find(std::min(length, all().one_port.rbegin()->first));
  FARO_CHECK(found != all().one_port.end());
  return found->second;
}

std::optional<Count> conversion_steps(std::uint64_t elements) {
  const auto found = all().steps.find(elements);
  if (found == all().steps.end()) return {};
  return found->second;
}

}  // namespace faro::inline v1
