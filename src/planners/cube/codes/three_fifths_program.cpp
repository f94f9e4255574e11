// Compiling the tables into programs. Data: data/three_fifths_tables.json, found by search.
#include "planners/cube/codes/three_fifths_program.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"
#include "base/search.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"
#include "planners/cube/codes/three_fifths_tables.hpp"
#include "planners/cube/codes/waiting.hpp"

namespace faro::inline v1::three_fifths {
namespace {

constexpr std::uint64_t batch_steps = 3;
constexpr std::uint64_t batch_elements = 5;

Entry entry(std::uint64_t step, std::size_t source, std::uint64_t element, Entry::Kind kind,
            int dimension) {
  return {static_cast<std::uint32_t>(step),  static_cast<std::uint32_t>(element),  kind,
          static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(dimension), 0};
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

struct Choice {
  const UnitTable* table;
  std::uint64_t steps;
};
Choice best_units(int length, std::uint64_t elements) {
  Choice best{nullptr, 0};
  for (const UnitTable& table : unit_tables(length)) {
    const std::uint64_t steps = steps_of(table, length - 3, elements);
    if (best.table == nullptr || steps < best.steps) best = {&table, steps};
  }
  return best;
}

struct TableChoice {
  const CycleTable* table;
  std::uint64_t steps;
};
std::optional<TableChoice> best_table(int length, std::uint64_t elements) {
  const auto low_bits = static_cast<std::size_t>(length - 3);
  std::optional<TableChoice> best;
  if (low_bits >= tables().cycles.size()) return best;
  for (const CycleTable& t : tables().cycles[low_bits]) {
    if (elements < t.elements) continue;
    const std::uint64_t more = elements - t.elements;
    if (t.period == 0 ? more != 0 : more % batch_elements != 0) continue;
    const std::uint64_t steps = t.prologue + t.epilogue + more / batch_elements * t.period;
    if (!best || steps < best->steps) best = TableChoice{&t, steps};
  }
  return best;
}

void run_source(const CycleTable& t, const TableChoice& choice, int low_bits, std::size_t source,
                std::uint64_t elements, Program& program) {
  Waiting waiting(static_cast<int>(2 * source), elements);
  const std::uint64_t repeated = choice.steps - t.prologue - t.epilogue;
  for (std::uint64_t step = 0; step < choice.steps; ++step) {
    still_working();
    std::uint64_t cycle = step;
    if (t.period != 0 && step >= t.prologue)
      cycle = step < t.prologue + repeated ? t.prologue + (step - t.prologue) % t.period
                                           : step - repeated + t.period;
    waiting.arrive(step);
    for (const CycleEvent& event : t.cycles[cycle]) {
      if (event.source != source) continue;
      const std::uint64_t e = waiting.take({event.layer, event.at});
      if (event.what != 's') {
        const int d = event.what - '0';
        program.entries.push_back(entry(step, source, e, Entry::Kind::hop, d));
        waiting.schedule(step + 1, {event.layer, event.at ^ static_cast<int>(bit(d))}, e);
      } else if (t.model == CycleTable::Model::stage) {
        program.entries.push_back(entry(step, source, e, Entry::Kind::service, event.layer));
        waiting.schedule(step + 1, {event.layer + 1, event.at}, e);
      } else {
        for (int i = 0; i < low_bits; ++i)
          program.entries.push_back(
              entry(step + static_cast<std::uint64_t>(i), source, e, Entry::Kind::service, i));
        waiting.schedule(step + static_cast<std::uint64_t>(low_bits), {1, event.at}, e);
      }
    }
  }
}

}  // namespace

void sort(Program& program) {
  still_working();
  std::sort(program.entries.begin(), program.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.step, a.source, a.element) < std::tuple(b.step, b.source, b.element);
  });
}

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

// Two bits: three of five elements cross the low dimension where the top bit says so, the other
// two go to the other half for it.
static std::vector<UnitTable> two_bit_units() {
  using Kind = UnitEvent::Kind;
  UnitTable table(2, std::vector<Unit>(batch_elements));
  for (int p = 0; p < 3; ++p) table[1][static_cast<std::size_t>(p)] = {{Kind::service, p, 0}};
  for (int p = 3; p < 5; ++p)
    table[1][static_cast<std::size_t>(p)] = {
        {Kind::hop_before, p - 3, 1}, {Kind::service, p - 2, 0}, {Kind::hop_after, p - 2, 1}};
  return {table};
}

const std::vector<UnitTable>& unit_tables(int length) {
  FARO_CHECK(length >= 2);
  if (length == 2) {
    static const std::vector<UnitTable> two_bits = two_bit_units();
    return two_bits;
  }
  return length == 3 ? tables().three_bits
                     : tables().longer[static_cast<std::size_t>((length - 3) % 3)];
}

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

Count closed_form_cost(int length, std::uint64_t elements) {
  return best_units(length, elements).steps;
}

Program closed_form_program(int length, std::uint64_t elements) {
  const int low_bits = length - 3;
  const Choice choice = best_units(length, elements);
  Program program{.steps = choice.steps, .entries = {}};
  struct Run {
    std::uint64_t finish;
    std::uint64_t batch;
    std::size_t unit;
  };
  for (std::size_t source = 0; source < choice.table->size(); ++source) {
    const std::vector<Unit>& units = (*choice.table)[source];
    std::vector<Run> runs;
    for (std::size_t p = 0; p < units.size(); ++p)
      for (std::uint64_t f = finish_of(units[p], low_bits), j = 0;
           f + batch_steps * j <= choice.steps; ++j)
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

namespace {

Program exact_table_program(int length, std::uint64_t elements) {
  const auto choice = best_table(length, elements);
  FARO_CHECK(choice.has_value());
  Program program{.steps = choice->steps, .entries = {}};
  for (std::size_t source = 0; source < 4; ++source)
    run_source(*choice->table, *choice, length - 3, source, elements, program);
  sort(program);
  return program;
}

// Elements with which the tables take least, `elements` or a few more. The surplus is left out, so
// that a table serves the numbers below its own too. Nothing where no table fits.
std::optional<std::uint64_t> cheapest_surplus(int length, std::uint64_t elements) {
  constexpr std::uint64_t surplus_max = 16;
  constexpr std::uint64_t elements_max = 4096;  // beyond it counting what is left takes too long
  std::optional<std::uint64_t> best;
  Count best_steps = 0;
  const std::uint64_t last = elements > elements_max ? elements : elements + surplus_max;
  for (std::uint64_t k = elements; k <= last; ++k)
    if (const auto choice = best_table(length, k);
        choice && (!best || choice->steps < best_steps)) {
      best = k;
      best_steps = choice->steps;
    }
  return best;
}

}  // namespace

std::optional<Count> table_cost(int length, std::uint64_t elements) {
  const auto with = cheapest_surplus(length, elements);
  if (!with) return {};
  if (*with == elements) return best_table(length, elements)->steps;
  return busy_steps(table_program(length, elements));
}

Program table_program(int length, std::uint64_t elements) {
  const auto with = cheapest_surplus(length, elements);
  FARO_CHECK(with.has_value());
  Program program = exact_table_program(length, *with);
  std::erase_if(program.entries, [elements](const Entry& e) { return e.element >= elements; });
  return program;
}

}  // namespace faro::inline v1::three_fifths
