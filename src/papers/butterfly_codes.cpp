// Section 2 of the paper: the code, its identities, and the four loops that convert it.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "faro/algebra/classify.hpp"
#include "faro/service/plan.hpp"
#include "papers/butterfly_figures.hpp"
#include "papers/cells.hpp"
#include "planners/cube/butterfly/rows.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"

namespace faro::inline v1 {
namespace {

PaperTable figure1() {
  static constexpr std::array<const char*, 16> printed = {
      "0000", "0001", "0011", "0010", "0110", "0111", "0101", "0100",
      "1100", "1101", "1111", "1110", "1010", "1011", "1001", "1000"};
  PaperTable table{"Figure 1: a binary-reflected Gray code and binary code",
                   {"integer", "binary", "printed", "ours"}};
  const ButterflyNetwork request{
      .processor_bits = 4, .index_bits = 4, .encoding = Encoding::binary_gray};
  const std::vector<butterfly::Form> rows = butterfly::start_rows(request);
  for (Word i = 0; i < 16; ++i) {
    Word code = 0;
    for (std::size_t j = 0; j < 4; ++j) code |= Word{parity(rows[j].mask & i)} << j;
    table.row({i, printed_bits(i, 4), printed[i], printed_bits(code, 4)});
  }
  return table;
}

std::string numbers(const std::vector<Word>& all) {
  return fmt::format("{}", fmt::join(all, " "));
}

// The integers at processors 0, 1, .. (of a Gray code: at G(0), G(1), ..) before and after each
// exchange of a verified schedule in this order of dimensions.
std::vector<std::string> conversion_states(bool to_binary, const std::vector<int>& order) {
  const BitMap map = to_binary ? ungray_map(4) : gray_map(4);
  const ExchangeInOrder planner(order);
  PlanOptions options{.algorithm = std::string(planner.name()), .planners = {&planner}};
  ContentsSink run;
  plan(Request::of(Hypercube{.dimensions = 4, .ports = Hypercube::Ports::one}, MapGoal{.map = map}),
       options)
      .push(run);
  std::vector<std::string> states;
  for (const auto& contents : run.contents()) {
    std::vector<Word> row;
    for (Word i = 0; i < 16; ++i) {
      const auto from = static_cast<Word>(contents[to_binary ? gray(i) : i][0]);
      row.push_back(to_binary ? ungray(from) : from);
    }
    states.push_back(numbers(row));
  }
  return states;
}

PaperTable figure2() {
  static constexpr std::array<const char*, 4> printed = {
      "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "0 1 2 3 4 5 6 7 15 14 13 12 11 10 9 8",
      "0 1 2 3 7 6 5 4 12 13 14 15 11 10 9 8", "0 1 3 2 6 7 5 4 12 13 15 14 10 11 9 8"};
  PaperTable table{
      "Figure 2: from Gray to binary code, most significant bit first; the indices at "
      "processors G(0), G(1), ..",
      {"after", "printed", "ours"},
      {"Here and below each row is a state of a verified schedule (exchange-order)."}};
  const std::vector<std::string> states = conversion_states(true, {2, 1, 0});
  for (std::size_t k = 0; k < states.size(); ++k)
    table.row({k == 0 ? "start" : fmt::format("dimension {}", 3 - k), printed[k], states[k]});
  return table;
}

PaperTable conversion_loops() {
  PaperTable table{
      "The other three conversion loops; the indices at processors G(0), G(1), .. (to binary) or "
      "0, 1, .. (to Gray)",
      {"loop", "after dimension", "ours"}};
  struct Loop {
    const char* name;
    bool to_binary;
    std::vector<int> order;
  };
  for (const Loop& loop : {Loop{"Gray to binary, lsb first", true, {0, 1, 2}},
                           Loop{"binary to Gray, msb first", false, {2, 1, 0}},
                           Loop{"binary to Gray, lsb first", false, {0, 1, 2}}}) {
    const std::vector<std::string> states = conversion_states(loop.to_binary, loop.order);
    for (std::size_t k = 1; k < states.size(); ++k)
      table.row({loop.name, loop.order[k - 1], states[k]});
  }
  return table;
}

// An identity of section 2: for how many integers it holds as printed and as it must be.
struct Identity {
  const char* name;
  const char* formula;
  bool (*printed)(Word i, int n);
  bool (*ours)(Word i, int n);
};

bool every_dimension(int n, const std::function<bool(int)>& holds) {
  for (int j = 0; j < n; ++j)
    if (!holds(j)) return false;
  return true;
}
Word top_part(Word i, int n) {
  return i & bit(n - 1);
}
Word low_part(Word i, int n) {
  return i & (bit(n - 1) - 1);
}
bool code_by_halves(Word i, int n) {
  const Word low = low_part(i, n);
  return gray(i) == (top_part(i, n) | gray(top_part(i, n) == 0 ? low : low ^ (bit(n - 1) - 1)));
}
bool neighbour_in_dimension(Word i, int n) {
  return every_dimension(
      n, [&](int j) { return (gray(i) ^ bit(j)) == (gray(i ^ (bit(j + 1) - 1)) & (bit(n) - 1)); });
}
bool partners_differ_in_two(Word i, int n) {
  return every_dimension(n, [&](int j) {
    return (gray(i) ^ gray(i ^ bit(j))) == (j > 0 ? bit(j) | bit(j - 1) : Word{1});
  });
}

PaperTable identities() {
  static constexpr std::array<Identity, 4> all = {{
      {"Corollary 1", "G(1 low) = 1 G(~low)", code_by_halves, code_by_halves},
      {"Corollary 1, inverse", "G^-1(1 low) = 1 ~G^-1(low), printed 1 G^-1(low)",
       [](Word a, int n) { return ungray(a) == (top_part(a, n) | ungray(low_part(a, n))); },
       [](Word a, int n) {
         const Word low = ungray(low_part(a, n));
         return ungray(a) ==
                (top_part(a, n) | (top_part(a, n) == 0 ? low : low ^ (bit(n - 1) - 1)));
       }},
      {"Corollary 2", "G(i) ^ 2^j = G(i ^ 1..1), j+1 ones", neighbour_in_dimension,
       neighbour_in_dimension},
      {"Lemma 1", "G(i) ^ G(i ^ 2^j) = 2^j + 2^(j-1)", partners_differ_in_two,
       partners_differ_in_two},
  }};
  PaperTable table{"Corollaries 1 and 2, Lemma 1: for how many of 2^6 integers they hold",
                   {"identity", "which", "printed", "ours"},
                   {"Corollary 1, inverse, second case: the complement of the decoded lower part; "
                    "n = 3, a = 100 is 7, as printed 4. Decoding the complement instead is right "
                    "for two bits only."}};
  constexpr int n = 6;
  for (const Identity& identity : all) {
    const auto count = [&](bool (*holds)(Word, int)) {
      int many = 0;
      for (Word i = 0; i < bit(n); ++i) many += holds(i, n) ? 1 : 0;
      return std::to_string(many);
    };
    table.row({identity.name, identity.formula, count(identity.printed), count(identity.ours)});
  }
  return table;
}

}  // namespace

std::vector<PaperTable> code_figures() {
  std::vector<PaperTable> all{figure1(), identities(), figure2(), conversion_loops()};
  all[0].remarks = {"Lemma 2: the integer is G^-1(m)||i (slot 4 of 8: top field 7, not 6).",
                    "The third cyclic row of the introduction is binary||gray."};
  return all;
}

}  // namespace faro::inline v1
