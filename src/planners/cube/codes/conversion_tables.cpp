// A table is run with as many laps as its elements take, source by source.
#include "planners/cube/codes/conversion_tables.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::tables {
extern const std::string_view conversion;
}

namespace faro::inline v1::three_fifths {
namespace {

constexpr std::uint64_t lap_steps = 3;
constexpr std::uint64_t lap_elements = 5;

struct Table {
  int length = 0;
  int top_bits = 0;
  std::uint64_t elements = 0;        // with one lap
  std::optional<std::uint64_t> lap;  // its first step
  std::vector<std::string> steps;

  int low_bits() const { return length - top_bits; }
};

std::vector<Table> read() {
  std::vector<Table> all;
  const auto file = nlohmann::json::parse(faro::tables::conversion);
  for (const auto& table : file.at("tables")) {
    all.push_back({table.at("n").get<int>(),
                   table.at("top").get<int>(),
                   table.at("K").get<std::uint64_t>(),
                   {},
                   table.at("steps").get<std::vector<std::string>>()});
    if (table.contains("lap")) all.back().lap = table.at("lap").get<std::uint64_t>();
  }
  return all;
}

// Elements of one source that wait at (layer, position), in order of arrival. Those in one state
// are interchangeable; first come, first served makes the result unique.
class Waiting {
 public:
  struct State {
    int layer;
    int at;
    friend auto operator<=>(const State&, const State&) = default;
  };

  Waiting(int start, std::uint64_t elements) {
    for (std::uint64_t e = 0; e < elements; ++e) queue_[{0, start}].push_back(e);
  }
  void arrive(std::uint64_t step) {
    const auto due = due_.find(step);
    if (due == due_.end()) return;
    for (const auto& [state, element] : due->second) queue_[state].push_back(element);
    due_.erase(due);
  }
  std::uint64_t take(State state) {
    std::deque<std::uint64_t>& queue = queue_[state];
    FARO_CHECK(!queue.empty());
    const std::uint64_t element = queue.front();
    queue.pop_front();
    return element;
  }
  void schedule(std::uint64_t step, State state, std::uint64_t element) {
    due_[step].emplace_back(state, element);
  }

 private:
  std::map<State, std::deque<std::uint64_t>> queue_;
  std::map<std::uint64_t, std::vector<std::pair<State, std::uint64_t>>> due_;
};

struct Choice {
  const Table* table = nullptr;
  std::uint64_t laps = 1;
  std::uint64_t elements() const { return table->elements + lap_elements * laps - lap_elements; }
  std::uint64_t steps() const { return table->steps.size() + lap_steps * laps - lap_steps; }
  // Of the table, what is done in this step.
  std::string_view events(std::uint64_t step) const {
    if (table->lap && step >= *table->lap)
      step = step < *table->lap + lap_steps * laps ? *table->lap + (step - *table->lap) % lap_steps
                                                   : step - lap_steps * laps + lap_steps;
    return table->steps[step];
  }
};

// The one of least steps, and of those the one with the least surplus.
std::optional<Choice> choice_for(int length, std::uint64_t elements) {
  static const std::vector<Table> all = read();
  std::optional<Choice> best;
  for (const Table& table : all) {
    if (table.length != length || (!table.lap && table.elements < elements)) continue;
    Choice choice{&table, 1};
    if (table.lap)
      choice.laps = elements + lap_elements <= table.elements
                        ? 0
                        : (elements + 2 * lap_elements - 1 - table.elements) / lap_elements;
    if (!best ||
        std::pair(choice.steps(), choice.elements()) < std::pair(best->steps(), best->elements()))
      best = choice;
  }
  return best;
}

constexpr int served = 35;  // the state z

int digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

struct Runner {
  const Choice& choice;
  std::size_t source;
  Program& program;
  Waiting waiting{static_cast<int>(2 * source), choice.elements()};

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
    const int m = choice.table->low_bits();
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

std::optional<Count> table_cost(int length, std::uint64_t elements) {
  const auto choice = choice_for(length, elements);
  if (!choice) return {};
  // Without the surplus nothing may be left of a step.
  if (choice->elements() == elements) return choice->steps();
  return busy_steps(table_program(length, elements));
}

Program table_program(int length, std::uint64_t elements) {
  const auto choice = choice_for(length, elements);
  FARO_CHECK(choice.has_value());
  Program program{
      .steps = choice->steps(), .entries = {}, .source_bits = choice->table->top_bits - 1};
  for (std::size_t source = 0; source < bit(program.source_bits); ++source) {
    Runner runner{*choice, source, program};
    for (std::uint64_t step = 0; step < program.steps; ++step) {
      still_working();
      runner.waiting.arrive(step);
      const std::string_view events = choice->events(step);
      for (std::size_t i = 0; i + 4 <= events.size(); i += 4)
        runner.event(step, events.substr(i, 4));
    }
  }
  sort(program);
  std::erase_if(program.entries, [elements](const Entry& e) { return e.element >= elements; });
  return program;
}

}  // namespace faro::inline v1::three_fifths
