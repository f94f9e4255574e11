#include "papers/shuffle_rows.hpp"

#include <fmt/format.h>

#include <bit>
#include <sstream>

#include "faro/machines/verifier.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

Request shuffle_of(int slot_bits, const std::vector<int>& chains, const std::vector<int>& cycles,
                   Hypercube::Ports ports) {
  std::vector<int> place(static_cast<std::size_t>(slot_bits));
  for (int i = 0; i < slot_bits; ++i) place[static_cast<std::size_t>(i)] = i;
  for (std::size_t j = 0; j < chains.size(); ++j) {
    std::size_t last = j;
    for (int i = 0; i < chains[j]; ++i) {
      place[last] = static_cast<int>(place.size());
      last = place.size();
      place.push_back(0);
    }
    place[last] = static_cast<int>(j);
  }
  for (const int length : cycles) {
    const auto first = static_cast<int>(place.size());
    for (int i = 0; i < length; ++i) place.push_back(first + (i + 1) % length);
  }
  return Request::of(
      Hypercube{.dimensions = static_cast<int>(place.size()) - slot_bits, .ports = ports},
      MapGoal{.map = BitMap::from_places(place), .cut = true, .memory_bits = slot_bits});
}

std::string row_text(const shuffle::JobRow& row) {
  std::string line;
  shuffle::Time now = 0;
  for (const shuffle::RowEntry& e : row) {
    for (; now < e.step; ++now) line += ". ";
    line += fmt::format("{}{}{} ", e.spare ? 'v' : '0', e.position + 1, e.chain == 0 ? "" : "'");
    ++now;
  }
  if (!line.empty()) line.pop_back();
  return line;
}

std::vector<shuffle::JobRow> rows_of(std::span<const char* const> printed) {
  std::vector<shuffle::JobRow> rows;
  for (const char* line : printed) {
    shuffle::JobRow row;
    std::istringstream words{std::string(line)};
    std::string word;
    for (shuffle::Time now = 0; words >> word; ++now)
      if (word != ".")
        row.push_back({now, word.back() == '\'' ? 1 : 0, word[1] - '1', word[0] == 'v'});
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

// Storage for twice as many elements as rows, a power of two.
Request request_of_rows(const std::vector<int>& chains, std::size_t rows) {
  return shuffle_of(static_cast<int>(std::bit_width(2 * rows - 1)), chains, {});
}

// Hands on what concerns the first `filled` slots of a processor: the others are empty.
class FilledSlots : public ScheduleSink {
 public:
  FilledSlots(ScheduleSink& sink, Slot filled) : sink_(sink), filled_(filled) {}
  void begin(const ScheduleHeader& header) override { sink_.begin(header); }
  void step(const CubeStep& step) override {
    CubeStep kept = step;
    std::erase_if(kept.rules, [this](const Rule& rule) { return rule.from >= filled_; });
    sink_.step(kept);
  }
  void finish() override { sink_.finish(); }

 private:
  ScheduleSink& sink_;
  Slot filled_;
};

}  // namespace

std::string replayed(const std::vector<int>& chains, const std::vector<shuffle::JobRow>& rows) {
  const auto filled = static_cast<Slot>(2 * rows.size());
  const Request request = request_of_rows(chains, rows.size());
  const shuffle::Structure s = shuffle::structure_of(request);
  ScheduleHeader header = header_of(request, "", request.elements());
  header.elements = filled;
  MovesGoal goal;
  for (Word p = 0; p < bit(s.processor_bits); ++p)
    for (Slot slot = 0; slot < filled; ++slot) {
      const Word to = request.map().map((p << s.slot_bits) ^ slot);
      goal.moves.push_back({.from_processor = p,
                            .from_slot = slot,
                            .to_processor = to >> s.slot_bits,
                            .to_slot = static_cast<Slot>(to & s.slot_mask())});
    }
  header.goal = std::move(goal);
  const auto replay = make_replay();
  FilledSlots sink(*replay, filled);
  sink.begin(header);
  shuffle::emit_part({s, shuffle::rows_phase(s, rows)}, sink);
  shuffle::emit_final(s, sink);
  sink.finish();
  const Verdict verdict = replay->verdict();
  if (verdict.ok()) return to_string(verdict.cost.steps);
  return "refused: " + verdict.violations.front().rule;
}

std::string bound_of_rows(const std::vector<int>& chains, std::size_t rows) {
  const Request request = request_of_rows(chains, rows);
  return to_string(lower_bound(request.machine(), request.map(), 2 * rows).value);
}

}  // namespace faro::inline v1
