#include "planners/cube/codes/services_tables.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"
#include "planners/cube/codes/waiting.hpp"

namespace faro::inline v1::tables {
extern const std::string_view conversion;
}

namespace faro::inline v1::three_fifths {
namespace {

struct Table {
  int length = 0;
  int top_bits = 0;
  std::uint64_t elements = 0;
  std::vector<std::string> steps;

  int low_bits() const { return length - top_bits; }
};

std::vector<Table> read() {
  std::vector<Table> all;
  const auto file = nlohmann::json::parse(faro::tables::conversion);
  for (const auto& table : file.at("tables"))
    all.push_back({table.at("n").get<int>(), table.at("top").get<int>(),
                   table.at("K").get<std::uint64_t>(),
                   table.at("steps").get<std::vector<std::string>>()});
  return all;
}

// The one of least steps.
const Table* table_for(int length, std::uint64_t elements) {
  static const std::vector<Table> all = read();
  const Table* best = nullptr;
  for (const Table& table : all)
    if (table.length == length && table.elements >= elements &&
        (best == nullptr || table.steps.size() < best->steps.size()))
      best = &table;
  return best;
}

constexpr int served = 35;  // the state z

int digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

struct Runner {
  const Table& table;
  std::size_t source;
  Program& program;
  Waiting waiting{static_cast<int>(2 * source), table.elements};

  void add(std::uint64_t step, std::uint64_t element, Entry::Kind kind, int dimension,
           int pivot = 0) {
    program.entries.push_back(
        {static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(element), kind,
         static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(dimension),
         static_cast<std::uint8_t>(pivot)});
  }
  // Low dimensions first .. end-1, a step each.
  void serve(std::uint64_t step, std::uint64_t element, int first, int end, Waiting::State after,
             int pivot = 0) {
    for (int i = first; i < end; ++i)
      add(step + static_cast<std::uint64_t>(i - first), element, Entry::Kind::service, i, pivot);
    waiting.schedule(step + static_cast<std::uint64_t>(end - first), after, element);
  }
  void event(std::uint64_t step, std::string_view text) {
    if (digit(text[0]) != static_cast<int>(2 * source)) return;
    const int state = digit(text[1]);
    const int at = digit(text[2]);
    const char what = text[3];
    const std::uint64_t element = waiting.take({state, at});
    const int m = table.low_bits();
    if (what >= '0' && what <= '9') {
      add(step, element, Entry::Kind::hop, what - '0');
      waiting.schedule(step + 1, {state, at ^ static_cast<int>(bit(what - '0'))}, element);
    } else if (what == 's') {
      serve(step, element, 0, state == 0 ? m : state, {served, at}, state);
    } else {
      const int pivot = what - 'A' + 1;
      serve(step, element, pivot, m, {pivot, at});
    }
  }
};

}  // namespace

bool services_table_holds(int length, std::uint64_t elements) {
  return table_for(length, elements) != nullptr;
}

std::optional<Program> services_table_program(int length, std::uint64_t elements) {
  const Table* table = table_for(length, elements);
  if (table == nullptr) return {};
  Program program{.steps = table->steps.size(), .entries = {}, .source_bits = table->top_bits - 1};
  for (std::size_t source = 0; source < bit(program.source_bits); ++source) {
    Runner runner{*table, source, program};
    for (std::uint64_t step = 0; step < program.steps; ++step) {
      still_working();
      runner.waiting.arrive(step);
      const std::string_view events = table->steps[step];
      for (std::size_t i = 0; i + 4 <= events.size(); i += 4)
        runner.event(step, events.substr(i, 4));
    }
  }
  sort(program);
  std::erase_if(program.entries, [elements](const Entry& e) { return e.element >= elements; });
  return program;
}

}  // namespace faro::inline v1::three_fifths
