// Units into programs: as many of every source as there are elements, those that finish first.
#include "planners/cube/codes/three_fifths_program.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "base/check.hpp"
#include "base/search.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::tables {
extern const std::string_view three_fifths_units;
}

namespace faro::inline v1::three_fifths {
namespace {

constexpr std::uint64_t batch_steps = 3;
constexpr std::uint64_t batch_elements = 5;

Entry entry(std::uint64_t step, std::size_t source, std::uint64_t element, Entry::Kind kind,
            int dimension) {
  return {static_cast<std::uint32_t>(step),  static_cast<std::uint32_t>(element),  kind,
          static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(dimension), 0};
}

// The step after a unit's last.
std::uint64_t finish_of(const Unit& unit, int low_bits) {
  std::uint64_t finish = 0;
  for (const UnitEvent& event : unit) {
    const int end = event.time + (event.kind == UnitEvent::Kind::hop_before ? 1
                                  : event.kind == UnitEvent::Kind::service  ? low_bits
                                                                            : low_bits + 1);
    finish = std::max(finish, static_cast<std::uint64_t>(end));
  }
  return finish;
}

// Steps in which a table of units brings `elements` of every source home.
std::uint64_t steps_of(const UnitTable& table, int low_bits, std::uint64_t elements) {
  const auto enough = [&](std::uint64_t steps) {
    for (const std::vector<Unit>& units : table) {
      std::uint64_t home = 0;
      for (const Unit& unit : units)
        if (const std::uint64_t f = finish_of(unit, low_bits); f <= steps)
          home += (steps - f) / batch_steps + 1;
      if (home < elements) return false;
    }
    return true;
  };
  return least_that(0, batch_steps * elements + 4 * static_cast<std::uint64_t>(low_bits) + 64,
                    enough);
}

struct Tables {
  UnitTable three_bits;
  std::array<UnitTable, 3> longer;  // by (n-3) mod 3
};

UnitTable read_table(const nlohmann::json& table) {
  UnitTable units(4);
  for (std::size_t source = 0; source < units.size(); ++source)
    for (const auto& unit : table.at(std::to_string(2 * source))) {
      Unit events;
      for (const auto& event : unit) {
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

Tables read_tables() {
  const auto file = nlohmann::json::parse(faro::tables::three_fifths_units);
  const auto& longer = file.at("longer");
  return {read_table(file.at("three_bits")),
          {read_table(longer.at(0)), read_table(longer.at(1)), read_table(longer.at(2))}};
}

// The entries of one element's unit, `shift` steps later than the table says.
void add_unit(const Unit& unit, int low_bits, std::uint64_t shift, std::size_t source,
              std::uint64_t element, Program& program) {
  const auto m = static_cast<std::uint64_t>(low_bits);
  for (const UnitEvent& event : unit) {
    const std::uint64_t at = shift + static_cast<std::uint64_t>(event.time);
    if (event.kind == UnitEvent::Kind::service) {
      for (int i = 0; i < low_bits; ++i)
        program.entries.push_back(
            entry(at + static_cast<std::uint64_t>(i), source, element, Entry::Kind::service, i));
    } else {
      const std::uint64_t late = event.kind == UnitEvent::Kind::hop_after ? m : 0;
      program.entries.push_back(
          entry(at + late, source, element, Entry::Kind::hop, event.dimension));
    }
  }
}

}  // namespace

const UnitTable& unit_table(int length) {
  static const Tables all = read_tables();
  FARO_CHECK(length >= 3);
  return length == 3 ? all.three_bits : all.longer[static_cast<std::size_t>((length - 3) % 3)];
}

void sort(Program& program) {
  still_working();
  std::sort(program.entries.begin(), program.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.step, a.source, a.element) < std::tuple(b.step, b.source, b.element);
  });
}

Count closed_form_cost(int length, std::uint64_t elements) {
  return steps_of(unit_table(length), length - 3, elements);
}

Program closed_form_program(int length, std::uint64_t elements) {
  const int low_bits = length - 3;
  const UnitTable& table = unit_table(length);
  Program program{.steps = steps_of(table, low_bits, elements), .entries = {}};
  struct Run {
    std::uint64_t finish;
    std::uint64_t batch;
    std::size_t unit;
  };
  for (std::size_t source = 0; source < table.size(); ++source) {
    const std::vector<Unit>& units = table[source];
    std::vector<Run> runs;
    for (std::size_t p = 0; p < units.size(); ++p)
      for (std::uint64_t f = finish_of(units[p], low_bits), j = 0;
           f + batch_steps * j <= program.steps; ++j)
        runs.push_back({f + batch_steps * j, j, p});
    // The first to finish are kept, then numbered in order of their start.
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
      return std::tuple(a.finish, a.batch, a.unit) < std::tuple(b.finish, b.batch, b.unit);
    });
    FARO_CHECK(runs.size() >= elements);
    runs.resize(elements);
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
      return std::tuple(a.batch, a.unit) < std::tuple(b.batch, b.unit);
    });
    for (std::uint64_t e = 0; e < elements; ++e)
      add_unit(units[runs[e].unit], low_bits, batch_steps * runs[e].batch, source, e, program);
  }
  sort(program);
  return program;
}

std::uint64_t busy_steps(const Program& program) {
  std::uint64_t busy = 0;
  std::optional<std::uint32_t> last;
  for (const Entry& e : program.entries)
    if (last != e.step) {
      last = e.step;
      ++busy;
    }
  return busy;
}

}  // namespace faro::inline v1::three_fifths
