// Figures 3 and 6 to 10, Tables 2 and 3: the exchanges of local conversion.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "base/check.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/simulation/simulate.hpp"
#include "faro/words/say.hpp"
#include "papers/butterfly_figures.hpp"
#include "papers/butterfly_motion.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1 {
namespace {

using butterfly::Form;

PaperTable figure3() {
  static constexpr std::array<std::array<const char*, 3>, 3> printed = {{
      {"initial allocation", "b6 b5", "b4 g3 g2 g1 g0"},
      {"first emulation step", "b4 g3", "b6 b5 g2 g1 g0"},
      {"second emulation step", "g2 g3", "b6 b5 b4 g1 g0"},
  }};
  PaperTable table{
      "Figure 3: the exchanges of the first two emulation steps, cyclic binary||gray, at n = 5, p "
      "= 7",
      {"after", "memory", "printed", "ours"}};
  for (std::size_t k = 0; k < printed.size(); ++k) {
    std::string text;
    const std::vector<Form> rows = rows_of_local(cyclic_network(5, 7), k == 0 ? 0 : k + 1);
    for (std::size_t j = rows.size(); j-- > 0;) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", letters(rows[j].mask));
    }
    table.row({printed[k][0], printed[k][1], printed[k][2], text});
  }
  return table;
}

// The four elements of every processor of a 2-cube after the verified exchange of memory and
// processor. An element is memory index | processor index.
struct Exchanged {
  std::array<std::array<std::string, 4>, 4> cells;  // slot, then processor in Gray order
  Count steps = 0;
};

// kept: an axis keeps its code, so that memory ends in Gray code and the processors in binary.
// converted: free moves inside the processors before and after the exchange change both.
enum class AxisCodes { kept, converted };

Exchanged exchanged(AxisCodes codes) {
  const auto slot_before = [&](Word c) { return codes == AxisCodes::kept ? c : gray(c); };
  const auto slot_after = [&](Word s) { return codes == AxisCodes::kept ? s : gray(s); };
  std::array<std::uint32_t, 16> elements{};
  for (Word q = 0; q < 4; ++q) {
    for (Word c = 0; c < 4; ++c) {
      elements[(4 * q) + slot_before(c)] = static_cast<std::uint32_t>((c << 4U) | ungray(q));
    }
  }
  const Notation notation = say("p:2 | m:2 -> m | p").as_bits();
  const Request request = Request::of(Hypercube{.dimensions = 2},
                                      MapGoal{.map = notation.map, .cut = true, .memory_bits = 2});
  PlanOptions options;
  options.verify = VerifyBy::both;
  const Simulation done = simulate_plan(request, options, std::as_bytes(std::span(elements)), 4);
  std::memcpy(elements.data(), done.result.data(), sizeof(elements));
  Exchanged result;
  result.steps = done.cost.steps;
  for (Word s = 0; s < 4; ++s) {
    for (Word i = 0; i < 4; ++i) {
      const std::uint32_t element = elements[(4 * gray(i)) + slot_after(s)];
      result.cells[s][i] = fmt::format("{}|{}", element >> 4U, element & 3U);
    }
  }
  return result;
}

PaperTable figure_of_exchange(const char* title, AxisCodes codes,
                              const std::array<std::array<const char*, 4>, 4>& printed) {
  PaperTable table{title, {"memory", "processor", "printed", "ours"}};
  const Exchanged done = exchanged(codes);
  for (std::size_t s = 0; s < 4; ++s) {
    for (Word i = 0; i < 4; ++i) {
      table.row({printed_bits(s, 2), printed_bits(gray(i), 2), printed[s][i], done.cells[s][i]});
    }
  }
  table.row({"all", "all", "2 steps", fmt::format("{} steps", to_string(done.steps))});
  table.remarks = {"An entry is memory index | index of the two top dimensions."};
  return table;
}

PaperTable figure6() {
  PaperTable table = figure_of_exchange(
      "Figures 4 and 6: all-to-all personalized communication in 2-cubes, no code conversion",
      AxisCodes::kept,
      {{{"0|0", "1|0", "3|0", "2|0"},
        {"0|1", "1|1", "3|1", "2|1"},
        {"0|3", "1|3", "3|3", "2|3"},
        {"0|2", "1|2", "3|2", "2|2"}}});
  table.remarks.emplace_back("Figure 4 is a drawing of the two steps.");
  return table;
}

PaperTable figure7() {
  PaperTable table = figure_of_exchange(
      "Figures 5 and 7: the same with code conversion of both axes", AxisCodes::converted,
      {{{"0|0", "1|0", "2|0", "3|0"},
        {"0|1", "1|1", "2|1", "3|1"},
        {"0|2", "1|2", "3|2", "2|2"},
        {"0|3", "1|3", "3|3", "2|3"}}});
  table.remarks.emplace_back(
      "In the last two rows processors 11 and 10 are exchanged in print: the first two rows have "
      "the memory index in Gray code over the processors, and so must these.");
  table.remarks.emplace_back("Figure 5 is a drawing of the two steps.");
  return table;
}

// What lies at processor 0 0 a 0 of a 4-cube in the slots whose bits are the forms, highest first:
// the bits of the index from bit 3 down, `shown` of them.
std::string held(const std::vector<Form>& rows, Word a, std::span<const Form> slot, Word s,
                 std::span<const int> shown) {
  for (Word v = 0; v < 64; ++v) {
    bool here = true;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      here = here && parity(rows[d].mask & v) == (d == 1 ? a : 0);
    }
    for (std::size_t i = 0; i < slot.size(); ++i) {
      const Word bit_there = (s >> (slot.size() - 1 - i)) & 1U;
      here = here && parity(slot[i].mask & v) == bit_there;
    }
    if (!here) continue;
    std::string text;
    for (const int b : shown) text += has_bit(v, b) ? '1' : '0';
    return text;
  }
  return "nothing";
}

PaperTable figures_8_to_10() {
  struct State {
    const char* name;
    std::size_t exchanges;
    std::array<Form, 2> slot;  // as the figure orders the memory
    std::array<std::array<const char*, 2>, 4> printed;
  };
  const Form b3{0b1000, 0};
  const Form b2{0b0100, 0};
  const Form b1{0b0010, 0};
  const Form g1{0b0110, 0};
  const std::array<State, 3> states = {{
      {"Figure 8: the exchange in 2-cubes",
       2,
       {b3, b2},
       {{{"000", "001"}, {"011", "010"}, {"100", "101"}, {"111", "110"}}}},
      {"Figure 9: and an exchange in dimension n-3",
       3,
       {g1, b2},
       {{{"000", "100"}, {"011", "111"}, {"001", "101"}, {"010", "110"}}}},
      {"Figure 10: and memory reordering",
       3,
       {b2, b1},
       {{{"000", "100"}, {"001", "101"}, {"010", "110"}, {"011", "111"}}}},
  }};
  PaperTable table{
      "Figures 8 to 10: the index bits n-1, n-2, n-3 within an (n-2)-cube, at n = 4, K = 4",
      {"after", "memory", "a = 0 printed", "ours", "a = 1 printed", "ours"},
      {"a is processor bit n-3. Figure 10 leaves out bit n-1, which is a; it is put back here. The "
       "bars over the low part of the index are lost in our text of the paper and not compared."}};
  constexpr std::array<int, 3> shown = {3, 2, 1};
  for (const State& state : states) {
    const std::vector<Form> rows = rows_of_local(cyclic_network(4, 6), state.exchanges);
    for (Word s = 0; s < 4; ++s) {
      table.row({state.name, printed_bits(s, 2), state.printed[s][0],
                 held(rows, 0, state.slot, s, shown), state.printed[s][1],
                 held(rows, 1, state.slot, s, shown)});
    }
  }
  return table;
}

// A state of Table 2: how many exchanges are done, how the table orders the memory, and each slot's
// elements at processors G(0), G(1), ..
struct OrderedState {
  const char* name;
  std::size_t exchanges;
  std::array<Form, 2> slot;
  std::array<const char*, 4> printed;
};

const std::array<OrderedState, 6>& states_of_table_2() {
  static const std::array<OrderedState, 6> states = {{
      {"start",
       0,
       {{{0b10000, 0}, {0b11000, 0}}},
       {"00000 00001 00010 00011 00100 00101 00110 00111",
        "01111 01110 01101 01100 01011 01010 01001 01000",
        "11111 11110 11101 11100 11011 11010 11001 11000",
        "10000 10001 10010 10011 10100 10101 10110 10111"}},
      {"exchange of dimensions 2 and 4",
       1,
       {{{0b01100, 0}, {0b11000, 0}}},
       {"00000 00001 00010 00011 11100 11101 11110 11111",
        "01111 01110 01101 01100 10011 10010 10001 10000",
        "00111 00110 00101 00100 11011 11010 11001 11000",
        "01000 01001 01010 01011 10100 10101 10110 10111"}},
      {"local conversion, dimension 3",
       1,
       {{{0b01100, 0}, {0b01000, 0}}},
       {"00000 00001 00010 00011 10011 10010 10001 10000",
        "01111 01110 01101 01100 11100 11101 11110 11111",
        "00111 00110 00101 00100 10100 10101 10110 10111",
        "01000 01001 01010 01011 11011 11010 11001 11000"}},
      {"exchange of dimensions 1 and 3",
       2,
       {{{0b01100, 0}, {0b00110, 0}}},
       {"00000 00001 01110 01111 11111 11110 10001 10000",
        "00011 00010 01101 01100 11100 11101 10010 10011",
        "00111 00110 01001 01000 11000 11001 10110 10111",
        "00100 00101 01010 01011 11011 11010 10101 10100"}},
      {"local conversion, dimension 4",
       2,
       {{{0b00100, 0}, {0b00110, 0}}},
       {"00000 00001 01001 01000 11000 11001 10001 10000",
        "00011 00010 01010 01011 11011 11010 10010 10011",
        "00111 00110 01110 01111 11111 11110 10110 10111",
        "00100 00101 01101 01100 11100 11101 10101 10100"}},
      {"exchange of dimensions 0 and 4",
       3,
       {{{0b00011, 0}, {0b00110, 0}}},
       {"00000 00111 01111 01000 11000 11111 10111 10000",
        "00011 00100 01100 01011 11011 11100 10100 10011",
        "00001 00110 01110 01001 11001 11110 10110 10001",
        "00010 00101 01101 01010 11010 11101 10101 10010"}},
  }};
  return states;
}

// The index in that place of a 3-cube with four slots; nothing where the forms name no one place.
std::optional<Word> index_at(const std::vector<Form>& rows, std::span<const Form> slot, Word q,
                             Word s) {
  std::optional<Word> found;
  for (Word v = 0; v < 32; ++v) {
    bool here = true;
    for (std::size_t d = 0; d < rows.size(); ++d)
      here = here && parity(rows[d].mask & v) == (q >> d & 1U);
    for (std::size_t i = 0; i < slot.size(); ++i)
      here = here && parity(slot[i].mask & v) == (s >> (slot.size() - 1 - i) & 1U);
    if (here && found) return {};
    if (here) found = v;
  }
  return found;
}

}  // namespace

PaperTable steps_in_order() {
  PaperTable table{
      "Table 2: 32 elements on a 3-cube, cyclic gray, bi-sectioning with local conversion; the "
      "indices in each slot of processors G(0), G(1), ..",
      {"after", "slot", "printed", "ours"},
      {"Every printed entry is right. Which indices a processor holds is our verified plan's; in "
       "which order is the table's, as forms of the index that must name every place once. The "
       "processor bits become local after the exchanges: bit 4 | 3 | 2 | 1, 0."}};
  const ButterflyNetwork request{.processor_bits = 3, .index_bits = 5, .encoding = Encoding::gray};
  for (const OrderedState& state : states_of_table_2()) {
    const std::vector<Form> rows = rows_of_local(request, state.exchanges);
    for (Word s = 0; s < 4; ++s) {
      std::string text;
      for (Word i = 0; i < 8; ++i) {
        const std::optional<Word> index = index_at(rows, state.slot, gray(i), s);
        text += fmt::format("{}{}", i == 0 ? "" : " ", index ? printed_bits(*index, 5) : "none");
      }
      table.row({state.name, printed_bits(s, 2), state.printed[s], text});
    }
  }
  return table;
}

PaperTable dimension_assignments() {
  struct Line {
    const char* after;
    std::size_t exchanges;
    std::array<Form, 2> slot;
    const char* printed;
  };
  static constexpr Form b5{0b100000, 0};
  static constexpr Form b4{0b010000, 0};
  static constexpr Form g4{0b110000, 0};
  static constexpr Form g3{0b011000, 0};
  static constexpr Form g2{0b001100, 0};
  static const std::array<Line, 5> lines = {{
      {"start", 0, {b5, g4}, "b5 g4 | g3 g2 g1 g0"},
      {"local reordering, n+1", 0, {b5, g4}, "b5 g4 | g3 g2 g1 g0"},
      {"exchange, dimension n-1", 1, {g3, g4}, "g3 g4 | b5 g2 g1 g0"},
      {"local reordering, n", 1, {g3, b4}, "g3 b4 | b5 g2 g1 g0"},
      {"exchange, dimension n-2", 2, {g3, g2}, "g3 g2 | b5 b4 g1 g0"},
  }};
  PaperTable table{
      "Table 3: what the machine dimensions hold, local conversion, cyclic gray, at n = 4, p = 6",
      {"after", "printed", "ours"},
      {"Memory | processors. The processors' part is our verified plan's; memory's is the table's "
       "where it names every place once. With more memory bits b_{n+1} in print is any but b_n; "
       "ours takes the top one."}};
  const ButterflyNetwork request{.processor_bits = 4, .index_bits = 6, .encoding = Encoding::gray};
  for (const Line& line : lines) {
    const std::vector<Form> rows = rows_of_local(request, line.exchanges);
    std::vector<Word> places;
    for (const Form& form : line.slot) places.push_back(form.mask);
    for (const Form& form : rows) places.push_back(form.mask);
    std::string text = reduced_basis(places).size() == places.size()
                           ? fmt::format("{} {} |", letters(places[0]), letters(places[1]))
                           : "no order |";
    for (std::size_t j = rows.size(); j-- > 0;) text += " " + letters(rows[j].mask);
    table.row({line.after, line.printed, text});
  }
  return table;
}

std::vector<PaperTable> local_conversion_figures() {
  return {figure3(), figure6(), figure7(), figures_8_to_10(), figure_11()};
}

}  // namespace faro::inline v1
