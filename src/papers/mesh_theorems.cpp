// Each theorem is tried: on every map of small machines, or by verified plans.
#include "papers/mesh_theorems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "faro/words/say.hpp"
#include "machines/mesh/bounds.hpp"
#include "planners/mesh/permute.hpp"

namespace faro::inline v1 {

BpcVector bpc_vector(const std::string& text) {
  const auto bits = BpcVector::from(say(text).map.as_bits());
  FARO_CHECK(bits.has_value());
  return *bits;
}

Mesh square_mesh(int side_log2, Mesh::Wrap wrap) {
  return {.sides_log2 = {side_log2, side_log2}, .wrap = wrap};
}

namespace {

using mesh::BitKind;

// By how much the distance along a dimension changes with bit i of the sender: the same for all.
Count change(const MeshGeometry& geometry, const BpcVector& bits, int i, int dimension) {
  const BitMap map = bits.map();
  const auto distance = [&](Word m) {
    return geometry.coordinate(map(m), dimension) - geometry.coordinate(m, dimension);
  };
  std::optional<std::int64_t> all;
  for (Word m = 0; m < geometry.processors(); ++m) {
    if (has_bit(m, i)) continue;
    const std::int64_t now = std::abs(distance(m) - distance(m | bit(i)));
    FARO_CHECK(!all || *all == now);
    all = now;
  }
  return static_cast<Count>(all.value_or(0));
}

// Table II on an 8 x 8 mesh: a vector with a bit of each type, and what the printed formula gives.
struct BitType {
  const char* type;
  const char* formula;
  const char* vector;
  int i;
  int dimension;
  int printed;
};
constexpr std::array<BitType, 9> bit_types{{
    {"S+", "0", "[5, 4, 3, 2, 1, 0]", 1, 0, 0},
    {"S-", "2g(i)", "[5, 4, 3, 2, -1, 0]", 1, 0, 4},
    {"L+", "g(A_i) - g(i)", "[5, 4, 3, 0, 1, 2]", 0, 0, 3},
    {"L-", "g(A_i) + g(i)", "[5, 4, 3, 0, 1, -2]", 0, 0, 5},
    {"R+", "g(i) - g(A_i)", "[5, 4, 3, 0, 1, 2]", 2, 0, 3},
    {"R-", "g(i) + g(A_i)", "[5, 4, 3, -0, 1, 2]", 2, 0, 5},
    {"E, in its own dimension", "g(i)", "[1, 4, 3, 2, 5, 0]", 1, 0, 2},
    {"E+, where it goes", "g(A_i)", "[1, 4, 3, 2, 5, 0]", 1, 1, 4},
    {"E-, where it goes", "g(A_i)", "[1, 4, 3, 2, -5, 0]", 1, 1, 4},
}};

PaperTable table_2() {
  PaperTable table{
      .title = "Table II: by how much a bit changes the distance, h_k(i), on 8 x 8",
      .columns = {"bit", "vector, i, k", "formula", "printed", "ours"},
      .remarks = {"Ours is measured: the distance along dimension k of every processor with bit i "
                  "and of the one without; the difference is the same for all."}};
  const MeshGeometry geometry(square_mesh(3, Mesh::Wrap::none));
  for (const BitType& t : bit_types)
    table.row({t.type, fmt::format("{}, {}, {}", t.vector, t.i, t.dimension), t.formula, t.printed,
               change(geometry, bpc_vector(t.vector), t.i, t.dimension)});
  return table;
}

struct Contribution {
  const char* type;
  const char* formula;
  const char* vector;  // with the bit uncomplemented
  int i;
  int plain;
  int complemented;
};
constexpr std::array<Contribution, 4> contributions{{
    {"E", "g(A_i) + g(i), 0 more", "[1, 4, 3, 2, 5, 0]", 1, 6, 6},
    {"S", "0, 2g(i) more", "[5, 4, 3, 2, 1, 0]", 1, 0, 4},
    {"L", "g(A_i) - g(i), 2g(i) more", "[5, 4, 3, 0, 1, 2]", 0, 3, 5},
    {"R", "g(i) - g(A_i), 2g(A_i) more", "[5, 4, 3, 0, 1, 2]", 2, 3, 5},
}};

PaperTable table_3() {
  PaperTable table{.title = "Table III: what a bit adds to beta, on 8 x 8",
                   .columns = {"bit", "vector, i", "formula", "printed", "ours"}};
  const MeshGeometry geometry(square_mesh(3, Mesh::Wrap::none));
  for (const Contribution& c : contributions) {
    BpcVector bits = bpc_vector(c.vector);
    const Count plain = change(geometry, bits, c.i, 0) + change(geometry, bits, c.i, 1);
    bits.inverted[static_cast<std::size_t>(c.i)] = true;
    const Count with = change(geometry, bits, c.i, 0) + change(geometry, bits, c.i, 1);
    table.row({c.type, fmt::format("{}, {}", c.vector, c.i), c.formula,
               fmt::format("{}, complemented {}", c.plain, c.complemented),
               fmt::format("{}, complemented {}", to_string(plain), to_string(with))});
  }
  return table;
}

// Calls `see` with every BPC vector of so many bits.
template <class See>
void every_vector(int p, const See& see) {
  std::vector<int> targets(static_cast<std::size_t>(p));
  std::iota(targets.begin(), targets.end(), 0);
  do {
    for (Word signs = 0; signs < bit(p); ++signs) {
      BpcVector bits{.target = targets, .inverted = {}};
      for (int i = 0; i < p; ++i) bits.inverted.push_back(has_bit(signs, i));
      see(bits);
    }
  } while (std::next_permutation(targets.begin(), targets.end()));
}

std::string shape_text(const std::vector<int>& sides_log2) {
  std::string text;
  for (const int s : sides_log2) text += fmt::format("{}{}", text.empty() ? "" : " x ", bit(s));
  return text;
}

PaperTable theorem_2_2(const Workshop& workshop) {
  PlannedTable table(workshop, "Theorem 2.2: beta is at most twice the sum of n_k - 1",
                     {"mesh", "printed", "largest beta of all BPC maps",
                      planned("ours, vector reversal", mesh_permute.name()), bound()},
                     {"Vector reversal attains it on every mesh: each of its bits is S-."});
  for (const std::vector<int>& sides :
       {std::vector<int>{0, 4}, {2, 2}, {1, 3}, {1, 1, 2}, {2, 3}}) {
    const Mesh mesh{.sides_log2 = sides};
    const MeshGeometry geometry(mesh);
    Count printed = 0;
    for (const int s : sides) printed += 2 * (bit(s) - 1);
    Count largest = 0;
    every_vector(geometry.bits(), [&](const BpcVector& bits) {
      largest = std::max(largest, mesh::beta_by_bits(geometry, bits));
    });
    const Request request = Request::of(
        mesh, MapGoal{.map = bpc_vector(fmt::format("vector-reversal:{}", geometry.bits())).map()});
    table.row(request, {shape_text(sides), printed, largest});
  }
  return table;
}

PaperTable control() {
  PaperTable table{
      .title = "Section 4: the time in which PERMUTE decides the routing sequence, O(p^2)",
      .columns = {"p", "permutation", "bits looked at", "over p^2"},
      .remarks = {"Counted while the program is made: how often the algorithm asks whether a bit "
                  "goes left, right, stays or exits. N = 2^p processors."}};
  for (const int p : {4, 8, 16, 32, 60})
    for (const char* name : {"transpose", "bit-reversal", "perfect-shuffle", "bit-shuffle"}) {
      const MeshGeometry geometry(square_mesh(p / 2, Mesh::Wrap::none));
      const Count time = mesh::control_time(geometry, bpc_vector(fmt::format("{}:{}", name, p)));
      table.row({p, name, time,
                 fmt::format("{:.2f}", static_cast<double>(time) / static_cast<double>(p * p))});
    }
  return table;
}

// f(i, j) of section 2.
std::int64_t way(const MeshGeometry& geometry, int i, int j) {
  const std::int64_t a = geometry.distance(i);
  const std::int64_t b = geometry.distance(j);
  return geometry.dimension_of(i) == geometry.dimension_of(j) ? std::abs(a - b) : a + b;
}

// Whether k is on the (i, j) path: between them, or below the one of its dimension.
bool on_path(const MeshGeometry& geometry, int k, int i, int j) {
  if (geometry.dimension_of(i) == geometry.dimension_of(j))
    return std::min(i, j) <= k && k <= std::max(i, j);
  return (geometry.dimension_of(k) == geometry.dimension_of(i) && k <= i) ||
         (geometry.dimension_of(k) == geometry.dimension_of(j) && k <= j);
}

PaperTable theorem_4_1() {
  PaperTable table{
      .title = "Lemma 4.1 and Theorem 4.1: which bits are interchangeable, all maps of a mesh",
      .columns = {"mesh", "what", "cases", "on the paths", "equal cost", "disagree", "bound"},
      .remarks = {"The paper proves 'if' and leaves 'only if' to the reader: here both, by trying "
                  "all. Equal cost: f(i,k) + f(k,j) = f(i,j), and beta(B_ij) + beta(A') = beta(A). "
                  "Maps whose complements are all on bits that exit, as the theorem has them."}};
  for (const std::vector<int>& sides : {std::vector<int>{2, 2}, {1, 3}, {0, 4}}) {
    const MeshGeometry geometry({.sides_log2 = sides});
    const int p = geometry.bits();
    std::array<std::array<int, 4>, 2> counts{};  // cases, paths, costs, disagreements
    const auto count = [&](std::size_t row, bool paths, bool costs) {
      ++counts[row][0];
      counts[row][1] += paths ? 1 : 0;
      counts[row][2] += costs ? 1 : 0;
      counts[row][3] += paths == costs ? 0 : 1;
    };
    for (int i = 0; i < p; ++i)
      for (int j = 0; j < p; ++j)
        for (int k = 0; k < p; ++k)
          if (i != j && j != k && i != k)
            count(0, on_path(geometry, k, i, j),
                  way(geometry, i, j) == way(geometry, i, k) + way(geometry, k, j));
    every_vector(p, [&](const BpcVector& bits) {
      for (int i = 0; i < p; ++i)
        if (bits.negative(i) && mesh::kind_of(geometry, bits, i) != BitKind::exiting) return;
      for (int i = 0; i < p; ++i)
        for (int j = 0; j < i; ++j) {
          BpcVector rest = bits;
          std::swap(rest.target[static_cast<std::size_t>(i)],
                    rest.target[static_cast<std::size_t>(j)]);
          // Across dimensions the interchange takes the complements with it.
          const bool across = geometry.dimension_of(i) != geometry.dimension_of(j);
          rest.inverted[static_cast<std::size_t>(i)] = !across && bits.negative(j);
          rest.inverted[static_cast<std::size_t>(j)] = !across && bits.negative(i);
          const auto exchange = static_cast<Count>(2 * way(geometry, i, j));
          count(
              1, on_path(geometry, i, j, bits.to(j)) && on_path(geometry, j, i, bits.to(i)),
              exchange + mesh::beta_by_bits(geometry, rest) == mesh::beta_by_bits(geometry, bits));
        }
    });
    for (const std::size_t row : {std::size_t{0}, std::size_t{1}})
      table.row({shape_text(sides), row == 0 ? "Lemma 4.1, k on the path" : "Theorem 4.1",
                 counts[row][0], counts[row][1], counts[row][2], counts[row][3], "-"});
  }
  return table;
}

// The distances of 1 to n/2 along a ring, and the largest gap between them, 0 included.
struct RingDistances {
  std::vector<std::int64_t> delta;
  std::int64_t gap = 0;
  std::int64_t printed(std::int64_t side) const {
    return delta.empty() ? 0 : std::min(2 * delta.back(), side - gap);
  }
};
RingDistances ring_distances(const MeshGeometry& geometry, const BitMap& map, int dimension) {
  RingDistances found;
  const auto side = static_cast<std::int64_t>(geometry.side(dimension));
  const auto all = mesh::displacements(geometry, map, dimension);
  FARO_CHECK(all.has_value());
  for (const std::int64_t d : *all) {
    const std::int64_t around = (d + side) % side;
    const std::int64_t near = std::min(around, side - around);
    if (near != 0) found.delta.push_back(near);
  }
  std::sort(found.delta.begin(), found.delta.end());
  found.delta.erase(std::unique(found.delta.begin(), found.delta.end()), found.delta.end());
  std::int64_t last = 0;
  for (const std::int64_t d : found.delta) {
    found.gap = std::max(found.gap, d - last);
    last = d;
  }
  return found;
}

PaperTable theorem_6_1(const Workshop& workshop) {
  PaperTable table{
      .title = "Theorem 6.1 and Example 6.1: gamma by the distances along each ring",
      .columns = {"permutation", "n", "dimension", "farthest, largest gap", "printed", "gamma_k",
                  "gamma", "ours", "bound"},
      .remarks = {"Printed: min(2 delta_j, n - MAXGAP). gamma_k: the fewest routes up and down "
                  "that reach every distance, found by trying all. The transpose has every "
                  "distance, gap 1, so gamma = 2(n-1)."}};
  for (const char* name : {"transpose", "vector-reversal", "perfect-shuffle", "bit-shuffle"})
    for (const int side_log2 : {1, 2, 3}) {
      const Mesh torus = square_mesh(side_log2, Mesh::Wrap::orthogonal);
      const MeshGeometry geometry(torus);
      const BitMap map = bpc_vector(fmt::format("{}:{}", name, 2 * side_log2)).map();
      const Request request = Request::of(torus, MapGoal{.map = map});
      for (const int k : {0, 1}) {
        const RingDistances found = ring_distances(geometry, map, k);
        const auto side = static_cast<std::int64_t>(bit(side_log2));
        const auto all = mesh::displacements(geometry, map, k);
        table.row({name, side, k,
                   fmt::format("{}, {}", found.delta.empty() ? 0 : found.delta.back(), found.gap),
                   found.printed(side), mesh::rides_on_ring(*all, side).total(),
                   k == 0 ? "" : workshop.bound(request), k == 0 ? "" : workshop.ours(request),
                   k == 0 ? "" : workshop.bound(request)});
      }
    }
  for (auto& row : table.rows)
    for (std::string& cell : row)
      if (cell.empty()) cell = "-";
  return table;
}

PaperTable theorem_6_2(const Workshop& workshop) {
  PlannedTable table(workshop,
                     "Theorem 6.2: propagating wraparound, at least gamma - 2(q-1) unit routes",
                     {"permutation", "mesh", "gamma", "printed", ours(), bound()},
                     {"Bound: the least sum of routes up and down that serves every distance with "
                      "carries, whatever the order and the registers. The printed one counts two "
                      "carries for a dimension, which mostly nobody can use."});
  struct Case {
    const char* name;
    std::vector<int> sides;
  };
  for (const Case& c :
       {Case{"transpose", {1, 1}}, Case{"transpose", {2, 2}}, Case{"bit-reversal", {2, 2}},
        Case{"vector-reversal", {2, 2}}, Case{"perfect-shuffle", {2, 2}},
        Case{"bit-reversal", {1, 1, 2}}, Case{"transpose", {3, 3}}, Case{"bit-reversal", {3, 3}}}) {
    Mesh mesh{.sides_log2 = c.sides, .wrap = Mesh::Wrap::orthogonal};
    const int p = MeshGeometry(mesh).bits();
    const MapGoal goal{.map = bpc_vector(fmt::format("{}:{}", c.name, p)).map()};
    const Count gamma = lower_bound(mesh, goal, 1).value;
    const Count less = 2 * (c.sides.size() - 1);
    mesh.wrap = Mesh::Wrap::propagating;
    table.row(Request::of(mesh, goal),
              {c.name, shape_text(c.sides), gamma, gamma > less ? gamma - less : 0});
  }
  return table;
}

// mu(a) of a sequence that is one distance.
std::int64_t mu(std::int64_t distance, std::int64_t side) {
  return std::min(2 * distance, side - distance);
}

PaperTable theorem_6_3() {
  PaperTable table{
      .title = "Theorem 6.3: gamma_1 of bit shuffle by the one distance (n-1)/3, log n even",
      .columns = {"n", "printed", "mu of that distance", "gamma_1 of Theorem 6.4", "gamma_1"},
      .remarks = {"Printed: 2(n-1)/3. Theorem 6.4 alone gives beta_1/2."}};
  for (const int side_log2 : {2, 4, 6}) {
    const MeshGeometry geometry(square_mesh(side_log2, Mesh::Wrap::orthogonal));
    const BpcVector bits = bpc_vector(fmt::format("bit-shuffle:{}", 2 * side_log2));
    const auto side = static_cast<std::int64_t>(bit(side_log2));
    std::array<Count, 2> beta{};
    std::array<Count, 2> gamma{};
    for (const int k : {0, 1}) {
      beta[static_cast<std::size_t>(k)] =
          mesh::beta_by_dimension(geometry, bits)[static_cast<std::size_t>(k)];
      gamma[static_cast<std::size_t>(k)] = mesh::ring_bound(geometry, bits.map(), k).value;
    }
    // The paper's dimension 1 is the one whose bits go a shorter way.
    const std::size_t shorter = beta[0] < beta[1] ? 0 : 1;
    table.row(
        {side, 2 * (side - 1) / 3, mu((side - 1) / 3, side), beta[shorter] / 2, gamma[shorter]});
  }
  return table;
}

// The least gamma_k / beta_k, and who has it.
struct Least {
  Count gamma = 1;
  Count beta = 1;
  std::string vector = "-";
  void see(Count g, Count b, const BpcVector& bits) {
    if (b == 0 || g * beta >= gamma * b) return;
    gamma = g;
    beta = b;
    vector = bits.text();
  }
  std::string text() const {
    return fmt::format("{} / {}, {}", to_string(gamma), to_string(beta), vector);
  }
};

PaperTable theorems_6_4_and_6_5() {
  PaperTable table{
      .title = "Theorems 6.4 and 6.5: the least gamma_k / beta_k of all BPC maps of a machine",
      .columns = {"torus", "maps", "printed without S- L- R-", "least without", "printed", "least"},
      .remarks = {"gamma_k by the distances that occur. So wraparound makes a map at most twice as "
                  "fast, three times with complements; [-0, -1] on a ring of 4 attains a third."}};
  for (const std::vector<int>& sides :
       {std::vector<int>{1}, {2}, {3}, {4}, {1, 1}, {1, 2}, {2, 2}}) {
    const MeshGeometry geometry({.sides_log2 = sides, .wrap = Mesh::Wrap::orthogonal});
    Least plain;
    Least any;
    int maps = 0;
    every_vector(geometry.bits(), [&](const BpcVector& bits) {
      ++maps;
      const std::vector<Count> beta = mesh::beta_by_dimension(geometry, bits);
      for (int k = 0; k < geometry.dimensions(); ++k) {
        const Count gamma = mesh::ring_bound(geometry, bits.map(), k).value;
        bool complements = false;
        for (int i = 0; i < bits.bits(); ++i)
          complements = complements || (bits.negative(i) && geometry.dimension_of(i) == k &&
                                        mesh::kind_of(geometry, bits, i) != BitKind::exiting);
        any.see(gamma, beta[static_cast<std::size_t>(k)], bits);
        if (!complements) plain.see(gamma, beta[static_cast<std::size_t>(k)], bits);
      }
    });
    table.row({shape_text(sides), maps, "1 / 2", plain.text(), "1 / 3", any.text()});
  }
  return table;
}

// Two general ways, which take no notice of what the permutation is.
PaperTable introduction(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Introduction: what BPC routing is compared with, unit routes on n x n",
      {"permutation", "n", "printed Orcutt", planned("Benes network", "mesh-benes"),
       planned("sort", "mesh-sort"), ours(), bound()},
      {"Benes (Thompson): 7n - 8, the switches set beforehand. Sort: a bitonic sort of "
       "the destinations, 14(n - 1) - 8 log n for the data; where the tags have to be "
       "sorted at run time they move too, which doubles it. Of Orcutt's algorithms the "
       "paper says only what they take, 4(n - 1)."});
  for (const char* name : {"perfect-shuffle", "bit-reversal", "transpose"})
    for (const int side_log2 : {2, 3, 4}) {
      const Request request =
          Request::of(square_mesh(side_log2, Mesh::Wrap::none),
                      MapGoal{.map = bpc_vector(fmt::format("{}:{}", name, 2 * side_log2)).map()});
      const bool orcutt = std::string_view(name) != "transpose";
      table.row(request, {name, bit(side_log2), orcutt ? 4 * (bit(side_log2) - 1) : Cell("-")});
    }
  return table;
}

}  // namespace

std::vector<PaperTable> mesh_theorems(const Workshop& workshop) {
  return {table_2(),
          table_3(),
          theorem_2_2(workshop),
          theorem_4_1(),
          control(),
          theorem_6_1(workshop),
          theorem_6_2(workshop),
          theorem_6_3(),
          theorems_6_4_and_6_5(),
          introduction(workshop)};
}

}  // namespace faro::inline v1
