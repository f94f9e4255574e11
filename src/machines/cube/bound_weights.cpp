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

using certificate::Dual;
using Json = nlohmann::json;
using Numbers = std::vector<std::uint64_t>;

RateWeights rate_weights(const Json& entry) {
  RateWeights weights;
  const auto rate = entry.at("rate").get<std::string>();
  const std::size_t slash = rate.find('/');
  weights.rate = {std::stoull(rate.substr(0, slash)), std::stoull(rate.substr(slash + 1))};
  weights.step.links = entry.at("links").get<std::vector<Numbers>>();
  if (entry.contains("ports")) weights.step.ports = entry.at("ports").get<Numbers>();
  return weights;
}

struct Tables {
  std::map<int, RateWeights> one_port;
  std::map<std::uint64_t, std::vector<Dual::Phase>> steps;
  std::map<std::pair<int, bool>, RateWeights> cycles;

  Tables() {
    const Json file = Json::parse(tables::bound_weights);
    for (const Json& entry : file.at("conversion_one_port"))
      one_port.emplace(entry.at("length").get<int>(), rate_weights(entry));
    for (const Json& entry : file.at("conversion_steps")) {
      auto& phases = steps[entry.at("elements").get<std::uint64_t>()];
      for (const Json& step : entry.at("steps"))
        phases.push_back({.steps = 1, .links = step.get<std::vector<Numbers>>(), .ports = {}});
    }
    for (const Json& entry : file.at("cycles"))
      cycles.emplace(std::pair(entry.at("length").get<int>(), entry.at("odd").get<bool>()),
                     rate_weights(entry));
  }
};

const Tables& all() {
  static const Tables tables;
  return tables;
}

}  // namespace

const RateWeights& one_port_conversion(int length) {
  const auto found = all().one_port.find(std::min(length, 6));
  FARO_CHECK(found != all().one_port.end());
  return found->second;
}

const std::vector<Dual::Phase>* conversion_in_steps(std::uint64_t elements) {
  const auto found = all().steps.find(elements);
  return found == all().steps.end() ? nullptr : &found->second;
}

const RateWeights* cycle_weights(int length, bool odd) {
  const auto found = all().cycles.find({length, odd});
  return found == all().cycles.end() ? nullptr : &found->second;
}

Dual::Phase reversed(const Dual::Phase& phase) {
  Dual::Phase back = phase;
  for (std::size_t i = 0; i < back.links.size(); ++i)
    for (Word node = 0; node < back.links[i].size(); ++node)
      back.links[i][node] = phase.links[i][node ^ bit(static_cast<int>(i))];
  return back;
}

Dual::Phase translated(const Dual::Phase& phase, Word t) {
  Dual::Phase moved = phase;
  for (std::size_t i = 0; i < moved.links.size(); ++i)
    for (Word node = 0; node < moved.links[i].size(); ++node)
      moved.links[i][node] = phase.links[i][node ^ t];
  for (Word node = 0; node < moved.ports.size(); ++node) moved.ports[node] = phase.ports[node ^ t];
  return moved;
}

}  // namespace faro::inline v1
