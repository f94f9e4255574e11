// Figures 15 to 17: conversion between processors; and of the figures that are drawings, the data
// motion and the use of the links by our own schedules.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faro/algebra/classify.hpp"
#include "papers/butterfly_figures.hpp"
#include "papers/butterfly_motion.hpp"

namespace faro::inline v1 {

std::string printed_bits(Word value, int width) {
  return width == 0 ? "" : fmt::format("{:0{}b}", value, width);
}

ButterflyNetwork cyclic_network(int n, int p) {
  return {.processor_bits = n, .index_bits = p, .encoding = Encoding::binary_gray};
}

namespace {

// The elements at a processor: bit `first` of each, a bar, the `count` bits below `top`.
std::string elements(const std::vector<Word>& indices, int first, int top) {
  std::vector<std::string> texts;
  for (const Word v : indices) {
    texts.push_back(fmt::format("{}|{}{}", has_bit(v, first) ? 1 : 0, has_bit(v, top) ? 1 : 0,
                                has_bit(v, top - 1) ? 1 : 0));
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : " ") + one;
  return text;
}

PaperTable figures_15_and_16() {
  struct State {
    const char* name;
    std::size_t step;
    int first;  // the index bit before the bar
    std::array<const char*, 4> printed;
  };
  // n = 4, K = 2. Figure 16 is the second step in the half with a_3 = 0, where the order is
  // reversed.
  static constexpr std::array<State, 4> states = {{
      {"Figure 15, before", 0, 4, {"0|00 1|00", "0|01 1|01", "0|10 1|10", "0|11 1|11"}},
      {"Figure 15, after", 1, 4, {"0|01 0|11", "0|00 0|10", "1|01 1|11", "1|00 1|10"}},
      {"Figure 16, before", 1, 3, {"0|11 1|11", "0|10 1|10", "0|01 1|01", "0|00 1|00"}},
      {"Figure 16, after", 2, 3, {"0|00 0|10", "0|01 0|11", "1|00 1|10", "1|01 1|11"}},
  }};
  PaperTable table{
      "Figures 15 and 16: bi-section with code conversion between processors; the elements at the "
      "processors of the top two dimensions",
      {"state", "processor", "printed", "ours"},
      {"An element is the bit that was in memory | the two bits below it. The order inside a "
       "memory is left out: Figure 16 prints one more state that only reorders memories."}};
  const Motion motion = motion_of(cyclic_network(4, 5), "butterfly-inter");
  for (const State& state : states) {
    // The processors 00.., 01.., 11.., 10.. of the cube, or of its half.
    const int top = state.first == 4 ? 2 : 1;
    for (Word i = 0; i < 4; ++i) {
      const Word q = gray(i) << top;
      table.row({state.name, printed_bits(gray(i), 2), state.printed[i],
                 elements(motion.contents[state.step][q], state.first, state.first - 1)});
    }
  }
  return table;
}

PaperTable figure17() {
  struct Statement {
    std::size_t step;
    int dimension;
    const char* where;
    Word top;  // a_{n-1} a_{n-2} there
    const char* printed;
  };
  // From the text beside the figure, at n = 4: a_2 after the first step, a_1 after the second.
  static constexpr std::array<Statement, 6> statements = {{
      {1, 2, "0***", 0b00, "not b2"},
      {1, 2, "1***", 0b10, "b2"},
      {2, 1, "11**", 0b11, "b1"},
      {2, 1, "10**", 0b10, "not b1"},
      {2, 1, "00**", 0b00, "b1"},
      {2, 1, "01**", 0b01, "not b1"},
  }};
  PaperTable table{
      "Figure 17: the two first emulation steps of bi-sectioning with conversion between "
      "processors, binary output, at n = 4",
      {"after step", "processor bit", "in subcube", "printed", "ours"},
      {"Compared is what the text says of the subcubes; in our text of the paper the bars of the "
       "figure itself are lost, the initial row having them too."}};
  const Motion motion = motion_of(cyclic_network(4, 5), "butterfly-inter");
  for (const Statement& s : statements) {
    const std::vector<Parity> rows = motion.rows(s.step);
    // Bits that the top rows fix in the subcube are put in for constants.
    Parity form = rows[static_cast<std::size_t>(s.dimension)];
    for (int d = 3; d > s.dimension; --d) {
      const Parity& above = rows[static_cast<std::size_t>(d)];
      if ((form.mask & above.mask) != above.mask) continue;
      form.mask ^= above.mask;
      form.value ^= above.value ^ (has_bit(s.top, d - 2) ? 1U : 0U);
    }
    const std::string ours = fmt::format("{}{}", form.value == 0 ? "" : "not ", letters(form.mask));
    table.row({s.step, s.dimension, s.where, s.printed, ours});
  }
  return table;
}

// ---- drawings ----

PaperTable drawn_motion() {
  struct Drawing {
    const char* name;
    ButterflyNetwork request;
    const char* algorithm;
  };
  ButterflyNetwork gray_out = cyclic_network(3, 4);
  gray_out.output = ButterflyNetwork::Output::gray;
  ButterflyNetwork blocks = cyclic_network(3, 4);
  blocks.allocation = Allocation::consecutive;
  ButterflyNetwork blocks_gray = blocks;
  blocks_gray.output = ButterflyNetwork::Output::gray;
  ButterflyNetwork single = cyclic_network(3, 3);
  single.output = ButterflyNetwork::Output::gray;
  const std::array<Drawing, 5> drawings = {{
      {"Figure 13: cyclic, Gray output", gray_out, "butterfly-inter"},
      {"Figure 14: cyclic, binary output", cyclic_network(3, 4), "butterfly-inter"},
      {"Figure 21: consecutive, Gray output", blocks_gray, "butterfly-inter"},
      {"Figure 22: consecutive, binary output", blocks, "butterfly-inter"},
      {"Figure 23: one element, Gray output", single, "butterfly-replication"},
  }};
  PaperTable table{
      "Figures 13, 14, 21, 22, 23: data motion on a 3-cube; the indices at processors G(0), G(1), "
      "..",
      {"figure", "step", "ours"},
      {"The paper has drawings here, which our text of it does not hold; shown is what our "
       "verified "
       "schedules do."}};
  for (const Drawing& drawing : drawings) {
    const Motion motion = motion_of(drawing.request, drawing.algorithm);
    for (std::size_t t = 0; t < motion.contents.size(); ++t) {
      std::string text;
      for (Word i = 0; i < 8; ++i) {
        std::string here;
        for (const Word v : motion.contents[t][gray(i)])
          here += fmt::format("{}{}", here.empty() ? "" : ",", v);
        text += fmt::format("{}{}", text.empty() ? "" : " ", here);
      }
      table.row({drawing.name, t == 0 ? "start" : fmt::format("{}", t), text});
    }
  }
  return table;
}

PaperTable drawn_schedules() {
  struct Drawing {
    const char* name;
    Allocation allocation;
    Encoding encoding;
    const char* algorithm;
  };
  static constexpr std::array<Drawing, 6> drawings = {{
      {"Figure 12: cyclic, local", Allocation::cyclic, Encoding::binary_gray, "butterfly-local"},
      {"Figure 18: cyclic, between processors", Allocation::cyclic, Encoding::binary_gray,
       "butterfly-inter"},
      {"Figure 19: consecutive, local", Allocation::consecutive, Encoding::binary_gray,
       "butterfly-local-twice"},
      {"Figure 19: consecutive, between processors", Allocation::consecutive, Encoding::binary_gray,
       "butterfly-inter"},
      {"Figure 20: cyclic gray, local", Allocation::cyclic, Encoding::gray, "butterfly-local"},
      {"Figure 20: cyclic gray, between processors", Allocation::cyclic, Encoding::gray,
       "butterfly-inter"},
  }};
  PaperTable table{
      "Figures 12, 18, 19, 20: scheduling of communications, n = 4, K = 8; the dimensions that the "
      "pairs of elements 0, 1, 2, 3 use",
      {"figure", "step", "pair 0", "pair 1", "pair 2", "pair 3"},
      {"Drawings in the paper, which our text of it does not hold; shown is what our verified "
       "schedules do."}};
  for (const Drawing& drawing : drawings) {
    const Motion motion = motion_of({.processor_bits = 4,
                                     .index_bits = 7,
                                     .allocation = drawing.allocation,
                                     .encoding = drawing.encoding},
                                    drawing.algorithm);
    for (std::size_t t = 0; t < motion.used.size(); ++t) {
      std::vector<std::string> row{drawing.name, fmt::format("{}", t + 1)};
      for (const std::vector<int>& of_job : motion.used[t]) {
        std::string text;
        for (const int d : of_job) text += fmt::format("{}{}", text.empty() ? "" : " ", d);
        row.push_back(text.empty() ? "-" : text);
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<PaperTable> inter_conversion_figures() {
  return {figures_15_and_16(), figure17(), drawn_motion(), drawn_schedules()};
}

}  // namespace faro::inline v1
