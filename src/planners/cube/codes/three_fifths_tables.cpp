// JSON to tables: units by the source of a token, periodic plans by the number of low bits.
#include "planners/cube/codes/three_fifths_tables.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.hpp"

namespace faro::inline v1::tables {
extern const std::string_view three_fifths;
}

namespace faro::inline v1::three_fifths {
namespace {

using nlohmann::json;

UnitTable unit_table(const json& table) {
  UnitTable units(4);
  for (std::size_t source = 0; source < 4; ++source)
    for (const json& unit : table.at(std::to_string(2 * source))) {
      Unit events;
      for (const json& event : unit) {
        const auto kind = event.at(0).get<std::string>();
        events.push_back({kind == "h"   ? UnitEvent::Kind::hop_before
                          : kind == "s" ? UnitEvent::Kind::service
                                        : UnitEvent::Kind::hop_after,
                          event.at(1).get<int>(), event.at(2).get<int>()});
      }
      units[source].push_back(std::move(events));
    }
  return units;
}

std::vector<UnitTable> unit_tables_of(const json& list) {
  std::vector<UnitTable> all;
  for (const json& table : list) all.push_back(unit_table(table));
  return all;
}

CycleTable cycle_table(const json& table) {
  CycleTable t;
  t.model = table.at("model").get<std::string>() == "stage" ? CycleTable::Model::stage
                                                            : CycleTable::Model::delay;
  t.elements = table.at("K0").get<std::uint64_t>();
  t.prologue = table.at("P").get<std::uint64_t>();
  t.epilogue = table.at("E").get<std::uint64_t>();
  t.period = table.at("period").get<std::uint64_t>();
  for (const json& cycle : table.at("cycles")) {
    const auto text = cycle.get<std::string>();
    std::vector<CycleEvent> events;
    const auto digit = [](char c) { return static_cast<std::uint8_t>(c - '0'); };
    for (std::size_t i = 0; i + 4 <= text.size(); i += 4)
      events.push_back({static_cast<std::uint8_t>(digit(text[i]) / 2), digit(text[i + 1]),
                        digit(text[i + 2]), text[i + 3]});
    t.cycles.push_back(std::move(events));
  }
  FARO_CHECK(t.cycles.size() == t.prologue + t.epilogue + t.period);
  return t;
}

Tables read_tables() {
  const json all = json::parse(faro::tables::three_fifths);
  Tables t;
  const json& a = all.at("A");
  t.three_bits = unit_tables_of(a.at("n0"));
  t.longer = {unit_tables_of(a.at("s0")), unit_tables_of(a.at("s1")), unit_tables_of(a.at("s2"))};
  for (const auto& [key, list] : all.at("cycles").items()) {
    const auto low_bits = static_cast<std::size_t>(std::stoi(key));
    if (t.cycles.size() <= low_bits) t.cycles.resize(low_bits + 1);
    for (const json& table : list) t.cycles[low_bits].push_back(cycle_table(table));
  }
  return t;
}

}  // namespace

const Tables& tables() {
  static const Tables all = read_tables();
  return all;
}

}  // namespace faro::inline v1::three_fifths
