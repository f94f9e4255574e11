// Figure 11: sequences pipelined one by one, the algorithm behind Theorem 1.
//
// What it starts from is our verified plan after two exchanges; from there each element crosses at
// the step that a condition on its index says, and takes the place of the one it is exchanged with.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <sstream>

#include "base/check.hpp"
#include "faro/machines/verifier.hpp"
#include "papers/butterfly_figures.hpp"
#include "papers/butterfly_motion.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t states_count = 3;
// The index at each processor (bits n-3 and n-4 of its address) and slot, n = 4.
using Cells = std::array<std::array<Word, 4>, 4>;
using States = std::array<Cells, states_count>;

constexpr std::array<Word, 4> processors_in_order = {0b00, 0b01, 0b11, 0b10};

constexpr std::array<std::array<const char*, 4>, states_count> printed_cells = {{
    {"0000 0001 0010 0011", "0111 0110 0101 0100", "1000 1001 1010 1011", "1111 1110 1101 1100"},
    {"0000 0001 1001 1000", "0111 0110 0101 0100", "0011 0010 1010 1011", "1111 1110 1101 1100"},
    {"0000 0001 1100 1000", "0010 0110 1110 1111", "0011 0111 1010 1011", "0100 0101 1101 1001"},
}};

States printed_states() {
  States states{};
  for (std::size_t t = 0; t < states_count; ++t)
    for (std::size_t s = 0; s < 4; ++s) {
      std::istringstream words(printed_cells[t][s]);
      std::string word;
      for (const Word p : processors_in_order) {
        words >> word;
        states[t][p][s] = std::stoull(word, nullptr, 2);
      }
    }
  return states;
}

std::string row_of(const Cells& cells, std::size_t s) {
  std::string row;
  for (const Word p : processors_in_order)
    row += fmt::format("{}{:04b}", row.empty() ? "" : " ", cells[p][s]);
  return row;
}

// Figure 8 once more: index bits n-1 and n-2 are the slot.
Cells after_two_exchanges() {
  const std::vector<butterfly::Form> rows =
      rows_of_local({.processor_bits = 4, .index_bits = 6, .encoding = Encoding::binary_gray}, 2);
  Cells cells{};
  for (Word v = 0; v < 16; ++v) {
    Word p = 0;
    for (std::size_t d = 0; d < rows.size(); ++d)
      p |= Word{parity(rows[d].mask & v) ^ rows[d].value} << d;
    cells.at(p)[v >> 2U] = v;
  }
  return cells;
}

// In the end address bit n-3 is index bit n-1, and n-4 is n-2. The half whose index bit n-2 is 0
// crosses n-3 first; then those of stage n-2 that have met cross n-4 beside the other half.
bool crosses(Word v, std::size_t step, int dimension) {
  if (dimension == 1) return parity(v & 0b1110U) != 0 && has_bit(v, 2) == (step == 2);
  return step == 2 && parity(v & 0b0111U) != 0 && parity(v & 0b1010U) != 0;
}

// The slot of the one element of a processor that crosses, if there is one.
std::optional<Slot> crossing(const std::array<Word, 4>& slots, std::size_t step, int dimension) {
  std::optional<Slot> found;
  for (Slot s = 0; s < 4; ++s) {
    if (!crosses(slots[s], step, dimension)) continue;
    FARO_CHECK(!found);
    found = s;
  }
  return found;
}

CubeStep exchange(Cells& cells, std::size_t step) {
  const Cells before = cells;
  CubeStep made;
  for (Word p = 0; p < 4; ++p)
    for (const int dimension : {1, 0}) {
      const Word to = p ^ bit(dimension);
      const std::optional<Slot> from_slot = crossing(before[p], step, dimension);
      if (!from_slot) continue;
      const Slot to_slot = crossing(before[to], step, dimension).value();
      cells[to][to_slot] = before[p][*from_slot];
      made.moves.push_back(
          {.from_processor = p, .from_slot = *from_slot, .to_processor = to, .to_slot = to_slot});
    }
  return made;
}

// From one state to the other, whatever the steps between them are.
MovesGoal goal_between(const Cells& from, const Cells& to) {
  MovesGoal goal;
  for (Word p = 0; p < 4; ++p)
    for (Slot s = 0; s < 4; ++s)
      for (Word q = 0; q < 4; ++q)
        for (Slot r = 0; r < 4; ++r)
          if (from[p][s] == to[q][r])
            goal.moves.push_back(
                {.from_processor = p, .from_slot = s, .to_processor = q, .to_slot = r});
  return goal;
}

// Fills in the states after the first; the goal is the last printed one.
std::string replayed_steps(States& states, const States& printed) {
  const auto replay = make_replay();
  replay->begin({.machine = Hypercube{.dimensions = 2},
                 .goal = goal_between(states.front(), printed.back()),
                 .map_text = {},
                 .elements = 4,
                 .slots = 4,
                 .planner = {},
                 .cost = {},
                 .bound = {},
                 .result = {}});
  for (std::size_t t = 1; t < states_count; ++t) {
    states[t] = states[t - 1];
    replay->step(exchange(states[t], t));
  }
  replay->finish();
  const Verdict verdict = replay->verdict();
  if (!verdict.ok()) return "refused: " + verdict.violations.front().rule;
  return fmt::format("{} steps, {} moves", to_string(verdict.cost.steps),
                     to_string(verdict.cost.remote_moves));
}

std::string steps_between(const States& states) {
  int links = 0;
  for (std::size_t t = 1; t < states_count; ++t)
    for (const Move& move : goal_between(states[t - 1], states[t]).moves)
      links += std::popcount(move.from_processor ^ move.to_processor);
  return fmt::format("{} steps, {} moves", states_count - 1, links);
}

// How many of the eight pairs that differ in this index bit alone have been in one processor.
std::string pairs_met(const States& states, int index_bit) {
  std::array<bool, 16> met{};
  std::string text;
  for (const Cells& cells : states) {
    for (const auto& slots : cells)
      for (const Word v : slots)
        for (const Word w : slots)
          if ((v ^ w) == bit(index_bit)) met.at(v & w) = true;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", std::count(met.begin(), met.end(), true));
  }
  return text;
}

}  // namespace

PaperTable figure_11() {
  static constexpr std::array<const char*, states_count> names = {
      "exchange in 2-cubes", "half in dimension n-3", "the rest of it, half in n-4"};
  PaperTable table{
      "Figure 11: sequences pipelined one by one, index bits n-1 .. n-4 within an (n-2)-cube, at n "
      "= 4, K = 4; processors 00, 01, 11, 10",
      {"after", "memory", "printed", "ours"},
      {"Processors are address bits n-3 and n-4. The first state is our verified plan's; from "
       "there "
       "elements are exchanged by conditions on their index and the moves are replayed, towards "
       "the "
       "printed last state. In the second step every directed link carries one element.",
       "Of stage n-2 half the pairs meet after the first step and the others after the second, "
       "when stage n-3 begins: the printed subscripts. Each of the three states holds 16 "
       "different indices by these four bits; the bars over the low part are lost in our text "
       "and not compared. Of the superscripts two are lost too, at 01 11 and 00 10 of the second "
       "state, which cross n-4."}};
  const States printed = printed_states();
  States ours{};
  ours.front() = after_two_exchanges();
  const std::string steps = replayed_steps(ours, printed);
  for (std::size_t t = 0; t < states_count; ++t)
    for (std::size_t s = 0; s < 4; ++s)
      table.row({names[t], fmt::format("{:02b}", s), printed_cells[t][s], row_of(ours[t], s)});
  for (const int stage : {1, 2, 3})
    table.row({fmt::format("pairs of stage n-{} that have met", stage), "all",
               pairs_met(printed, 4 - stage), pairs_met(ours, 4 - stage)});
  table.row({"both", "all", steps_between(printed), steps});
  return table;
}

}  // namespace faro::inline v1
