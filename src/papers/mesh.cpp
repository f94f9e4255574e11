// Tables I, IV, V and VI, Examples 2.1 to 4.5; what the theorems say is in mesh_theorems.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "faro/service/plan.hpp"
#include "faro/words/say.hpp"
#include "machines/mesh/bounds.hpp"
#include "papers/mesh_theorems.hpp"
#include "papers/pages.hpp"
#include "planners/mesh/gamma.hpp"
#include "planners/mesh/permute.hpp"

namespace faro::inline v1 {
namespace {

Request routing(const Mesh& mesh, const BpcVector& bits) {
  return Request::of(mesh, MapGoal{.map = bits.map()});
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : " ") + std::to_string(n);
  return text.empty() ? "none" : text;
}

std::string joined(const std::vector<mesh::Interchange>& pairs) {
  std::string text;
  for (const mesh::Interchange& b : pairs)
    text +=
        fmt::format("{}({},{})", text.empty() ? "" : " ", std::max(b.i, b.j), std::min(b.i, b.j));
  return text;
}

std::string mesh_costs(const MachinePlan& made) {
  const Cost& cost = made.cost();
  return fmt::format("{} units, {} routes, {} operations", to_string(cost.unit_routes),
                     to_string(cost.long_routes), to_string(cost.register_ops));
}

// A permutation of the tables, with what the paper prints of it.
struct Named {
  const char* title;
  const char* name;     // a named map of the notation
  const char* vector6;  // the printed vector, read for p = 6
  const char* beta;     // Table IV
  const char* gamma;    // Table VI
  // The same formulas for an n x n machine; nothing where none is printed for this n.
  std::optional<Count> (*printed_beta)(int side_log2);
  std::optional<Count> (*printed_gamma)(int side_log2);
};

Count side(int side_log2) {
  return Count{1} << side_log2;
}
std::optional<Count> whole(int side_log2) {
  return 4 * (side(side_log2) - 1);
}
std::optional<Count> twice(int side_log2) {
  return 2 * side(side_log2);
}
std::optional<Count> round_trip(int side_log2) {
  return 2 * (side(side_log2) - 1);
}
std::optional<Count> odd_distances(int side_log2) {
  return 2 * (side(side_log2) - 2);
}
std::optional<Count> bit_shuffle_beta(int side_log2) {
  const int c = (side_log2 + 1) / 2;  // ceil(p / 4)
  return (8 * side(side_log2) - 6 * side(c) - 2 * side(2 * c - side_log2)) / 3;
}
// Printed for p/2 even: (5n - 2)/3 - sqrt n.
std::optional<Count> bit_shuffle_gamma(int side_log2) {
  if (side_log2 % 2 != 0) return {};
  return (5 * side(side_log2) - 2) / 3 - side(side_log2 / 2);
}
std::optional<Count> nothing(int) {
  return {};
}

constexpr std::array<Named, 7> permutations{{
    {"Matrix transpose", "transpose", "[2, 1, 0, 5, 4, 3]", "4(n-1)", "2(n-1)", whole, round_trip},
    {"Bit reversal", "bit-reversal", "[0, 1, 2, 3, 4, 5]", "4(n-1)", "2(n-1)", whole, round_trip},
    {"Vector reversal", "vector-reversal", "[-5, -4, -3, -2, -1, -0]", "4(n-1)", "2(n-2)", whole,
     odd_distances},
    {"Perfect shuffle", "perfect-shuffle", "[0, 5, 4, 3, 2, 1]", "2n", "2(n-1)", twice, round_trip},
    {"Unshuffle", "unshuffle", "[4, 3, 2, 1, 0, 5]", nullptr, nullptr, nothing, nothing},
    {"Shuffled row-major", "shuffled-row-major", "[5, 2, 4, 1, 3, 0]", nullptr, nullptr, nothing,
     nothing},
    {"Bit shuffle", "bit-shuffle", "[5, 3, 1, 4, 2, 0]", "(8n - 6·2^c - 2·2^(2c-p/2))/3",
     "(5n-2)/3 - sqrt n", bit_shuffle_beta, bit_shuffle_gamma},
}};

BpcVector bits_of(const Named& named, int p) {
  return bpc_vector(fmt::format("{}:{}", named.name, p));
}

PaperTable table_1() {
  PaperTable table{.title = "Table I: some common permutations, p = 6",
                   .columns = {"permutation", "printed", "ours"},
                   .remarks = {"Ours is the named map of the notation, written as a vector; the "
                               "first row is the example of section 1."}};
  const BitMap example = bpc_vector("[-0, 3, -1, -2]").map();
  table.row({"[-0, 3, -1, -2] sends 0 and 15 to", "7 and 8",
             fmt::format("{} and {}", example(0), example(15))});
  for (const Named& named : permutations)
    table.row({named.title, named.vector6, bits_of(named, 6).text()});
  return table;
}

PaperTable example_2_1() {
  const MeshGeometry geometry({.sides_log2 = {4, 2}});
  std::vector<int> dimension;
  std::vector<int> level;
  for (int b = 5; b >= 0; --b) {
    dimension.push_back(geometry.dimension_of(b));
    level.push_back(geometry.level(b));
  }
  return {.title = "Example 2.1: a 16 x 4 mesh, bits 5 to 0",
          .columns = {"function", "printed", "ours"},
          .rows = {{"u", "1 1 1 1 0 0", joined(dimension)}, {"l", "3 2 1 0 1 0", joined(level)}}};
}

PaperTable example_2_2() {
  const MeshGeometry geometry({.sides_log2 = {4, 2}});
  const mesh::BitSets sets = mesh::sets_of(geometry, bpc_vector("[5, -3, 1, 4, 2, 0]"));
  return {.title = "Example 2.2: A = [5, -3, 1, 4, 2, 0] on a 16 x 4 mesh",
          .columns = {"set", "printed", "ours"},
          .rows = {{"L", "2", joined(sets.left)},
                   {"R", "4", joined(sets.right)},
                   {"S", "0 5", joined(sets.same)},
                   {"E", "1 3", joined(sets.exiting)}}};
}

PaperTable example_2_3() {
  const MeshGeometry geometry(square_mesh(3));
  const BpcVector shuffle = bpc_vector("perfect-shuffle:6");
  const mesh::BitSets sets = mesh::sets_of(geometry, shuffle);
  return {
      .title = "Example 2.3: perfect shuffle, n = 8, p = 6",
      .columns = {"quantity", "printed", "ours"},
      .rows = {{"M = {p-1, p/2-1}", "2 5", joined(sets.m)},
               {"Q", "none", joined(sets.q)},
               {"beta = 2n by (2.5)", "16", to_string(mesh::beta_by_sets(geometry, shuffle))},
               {"beta by (2.3)", "16", to_string(mesh::beta_by_bits(geometry, shuffle))},
               {"beta by (2.4)", "16", to_string(mesh::beta_by_complements(geometry, shuffle))}}};
}

PaperTable table_4(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Table IV: unit routes on an n x n mesh",
      {"permutation", "n", "formula", "printed", ours(mesh_permute.name()), bound()},
      {"Shuffled row-major, which the table leaves out, takes what bit shuffle takes: "
       "it is its inverse. c = ceil(p/4)."});
  for (const Named& named : permutations)
    for (const int side_log2 : {2, 3, 4, 5}) {
      const Request request = routing(square_mesh(side_log2), bits_of(named, 2 * side_log2));
      table.row(request, {named.title, side(side_log2), named.beta == nullptr ? "-" : named.beta,
                          named.printed_beta(side_log2)});
    }
  return table;
}

std::string digits(const BpcVector& bits) {
  std::string text;
  for (int i = bits.bits() - 1; i >= 0; --i) text += std::to_string(bits.to(i));
  return text;
}

PaperTable table_5() {
  PaperTable table{.title = "Table V: a 16 x 16 transpose on a 1 x 256 mesh by Theorem 4.2",
                   .columns = {"A7 ... A0", "lmax, i", "printed", "ours"},
                   .remarks = {"The paper prints eight rows."}};
  constexpr std::array<const char*, 8> printed{"32170654", "32710654", "37210654", "73210654",
                                               "73216054", "73261054", "73621054", "76321054"};
  const MeshGeometry line({.sides_log2 = {0, 8}});
  BpcVector bits = bpc_vector("transpose:8");
  const auto pairs = mesh::interchanges_of(line, bits, mesh::Variant::any_pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::string before = digits(bits);
    std::swap(bits.target[static_cast<std::size_t>(pairs[k].i)],
              bits.target[static_cast<std::size_t>(pairs[k].j)]);
    table.row({before, fmt::format("{}, {}", pairs[k].j, pairs[k].i),
               k < printed.size() ? printed[k] : "-", digits(bits)});
  }
  return table;
}

PaperTable examples_4(const Workshop& workshop) {
  PaperTable table{
      .title = "Examples 4.1 to 4.5",
      .columns = {"example", "printed", "ours", "bound"},
      .remarks = {"Example 4.2, whose counts are hard to read in the print: p^2/4 interchanges, "
                  "p^2/2 long routes, 3p^2/4 operations. By cycles (Theorem 4.3) there are p - k, "
                  "k the number of cycles.",
                  "The sequence of Example 4.5 is lost in the print."}};
  const auto row = [&](const std::string& what, const std::string& printed, const std::string& ours,
                       const std::string& bound) {
    table.row({what, printed, ours, bound});
  };
  const BpcVector first = bpc_vector("[-3, -4, 2, -0, -5, -1]");
  const MeshGeometry eight(square_mesh(3));
  std::vector<int> before;
  std::vector<int> after;
  for (int i = 5; i >= 0; --i) {
    const mesh::BitKind kind = mesh::kind_of(eight, first, i);
    if (!first.negative(i) || kind == mesh::BitKind::exiting) continue;
    (kind == mesh::BitKind::right ? after : before)
        .push_back(kind == mesh::BitKind::right ? first.to(i) : i);
  }
  row("4.1: complements before", "4 0", joined(before), "-");
  row("4.1: complements after", "3 0", joined(after), "-");
  const Request request = routing(square_mesh(3), first);
  row("4.1: unit routes", "beta(A)", workshop.ours(request, mesh_permute.name()),
      workshop.bound(request));

  const MeshGeometry line({.sides_log2 = {0, 8}});
  const BpcVector transpose = bpc_vector("transpose:8");
  const Request transposing = routing(line.mesh(), transpose);
  const std::string beta = fmt::format("{} units", workshop.bound(transposing));
  row("4.2: interchanges by Theorem 4.2, p = 8", "p^2/4 = 16",
      std::to_string(mesh::interchanges_of(line, transpose, mesh::Variant::any_pairs).size()), "-");
  row("4.2: cost by Theorem 4.2", "p^2/2 = 32 routes, 3p^2/4 = 48 operations",
      workshop.cell(transposing, mesh_interchanges.name(), mesh_costs), beta);
  row("4.2: interchanges by Algorithm 4.1", "p - k = 4",
      std::to_string(mesh::interchanges_of(line, transpose).size()), "-");
  row("4.2: cost by Algorithm 4.1", "-",
      workshop.cell(transposing, mesh_permute.name(), mesh_costs), beta);

  const BpcVector cyclic = bpc_vector("[5, 0, -4, 1, -2, -3]");
  std::string cycle = "4";
  for (int i = cyclic.to(4); i != 4; i = cyclic.to(i)) cycle += " " + std::to_string(i);
  row("4.3: the cycle of bit 4", "4 0 3", cycle, "-");
  row("4.4: perfect shuffle on 4 x 4", "(1,0) (3,2) (2,0)",
      joined(mesh::interchanges_of(MeshGeometry(square_mesh(2)), bpc_vector("perfect-shuffle:4"))),
      "-");
  row("4.4: perfect shuffle on 8 x 8", "(2,1) (1,0) (5,4) (4,3) (3,0)",
      joined(mesh::interchanges_of(eight, bpc_vector("perfect-shuffle:6"))), "-");
  row("4.5: bit shuffle on 16 x 16", "lost",
      joined(mesh::interchanges_of(MeshGeometry(square_mesh(4)), bpc_vector("bit-shuffle:8"))),
      "-");
  return table;
}

PaperTable table_6(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Table VI: unit routes on an n x n torus",
      {"permutation", "n", "printed beta", "formula", "printed",
       planned("PERMUTE", mesh_permute.name()), ours(), bound()},
      {"PERMUTE is the paper's algorithm with the wraparound left alone.",
       "Vector reversal: 2(n-2) needs n >= 4; for n = 2 it is 2.",
       "Bit shuffle: the formula, exact for n = 4, is only a bound. Exact are (5n-8)/3 for log "
       "n even and "
       "(5n-10)/3 for log n odd, n >= 4: n = 16 has 24, not 22."});
  for (const Named& named : permutations)
    for (const int side_log2 : {1, 2, 3, 4}) {
      const Request request =
          routing(square_mesh(side_log2, Mesh::Wrap::orthogonal), bits_of(named, 2 * side_log2));
      table.row(request,
                {named.title, side(side_log2), named.printed_beta(side_log2),
                 named.gamma == nullptr ? "-" : named.gamma, named.printed_gamma(side_log2)});
    }
  return table;
}

// Every table has the column, for programs that read them.
std::vector<PaperTable> with_bounds(std::vector<PaperTable> tables) {
  for (PaperTable& table : tables) {
    if (std::find(table.columns.begin(), table.columns.end(), "bound") != table.columns.end())
      continue;
    table.columns.push_back("bound");
    for (auto& row : table.rows) row.push_back("-");
  }
  return tables;
}

PaperPage mesh_page(const PaperTold& told) {
  const Workshop all(catalogue());
  PaperPage page(
      "Nassimi, Sahni: An optimal routing algorithm for mesh-connected "
      "parallel computers. Journal of the ACM 27(1), 6-29, 1980",
      told);
  page.add(with_bounds({table_1()}));
  page.add(with_bounds({example_2_1()}));
  page.add(with_bounds({example_2_2()}));
  page.add(with_bounds({example_2_3()}));
  page.add(with_bounds({table_4(all)}));
  page.add(with_bounds({table_5()}));
  page.add(with_bounds({examples_4(all)}));
  page.add(with_bounds({table_6(all)}));
  page.add(with_bounds(mesh_theorems(all)));
  return page;
}

}  // namespace

const Paper mesh_paper{
    .name = "mesh",
    .title =
        "An optimal routing algorithm for mesh-connected parallel computers (Nassimi, Sahni "
        "1980)",
    .page = mesh_page,
};

}  // namespace faro::inline v1
