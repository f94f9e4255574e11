// Maps whose processor bits depend on memory by a matrix B of full rank n.   [faro]
//   applies:  n <= m, all ports
//   cost:     max(n, K/2), the bound
//
// Destination q = A·p ^ B·s ^ c. Every processor orders its memory by q, with m - n more bits of s
// below; the all-to-all p | q r -> q | p r takes every element to its processor; memory is ordered
// once more. Both orders are free: the map is a mirror of all-to-all but for names.
#include <fmt/format.h>

#include <numeric>

#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1 {
namespace {

// p | q r -> q | p r, q as long as p.
BitMap exchange_of_all(int n, int m) {
  std::vector<int> place(static_cast<std::size_t>(n + m));
  std::iota(place.begin(), place.end(), 0);
  for (int j = 0; j < n; ++j)
    std::swap(place[static_cast<std::size_t>(m + j)], place[static_cast<std::size_t>(m - n + j)]);
  return BitMap::from_places(place);
}

// Slot (q, C·s): C unit rows that complete B.
mirrors::Mirror ordered(const Request& request) {
  const int n = processor_bits(request);
  const int m = request.map().memory_bits;
  const BitMap& map = request.map().map;
  std::vector<Word> forms;
  for (int j = 0; j < n; ++j) forms.push_back(map.matrix().row(m + j) & low_mask(m));
  std::vector<Word> basis = reduced_basis(forms);
  std::vector<Word> rows;
  for (int i = 0; i < m; ++i) {
    if (reduce(bit(i), basis) == 0) continue;
    rows.push_back(bit(i));
    basis.push_back(bit(i));
    basis = reduced_basis(basis);
  }
  rows.insert(rows.end(), forms.begin(), forms.end());
  const BitMatrix order = BitMatrix::from_rows(m, rows);
  std::vector<Word> columns;
  for (int i = 0; i < m; ++i) columns.push_back(order.column(i));
  for (int i = m; i < m + n; ++i) columns.push_back(bit(i) | (map.column(i) >> m) << (m - n));
  return mirrors::Mirror::rearranged(
      request, exchange_of_all(n, m),
      BitMap::from_columns(columns, (map.complement() >> m) << (m - n)));
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  const int n = processor_bits(request);
  const int m = request.map().cut ? request.map().memory_bits : 0;
  if (m < n) return "there are fewer memory bits than processor bits";
  const int rank = request.map().map.matrix().block(m, n, 0, m).rank();
  if (rank < n) return fmt::format("its block of memory bits has rank {} of {}", rank, n);
  return all_to_all.refusal(ordered(request).question());
}

Offer offer(const Request& request) {
  const mirrors::Mirror mirror = ordered(request);
  Offer whole = mirror.taken_back(all_to_all.offer(mirror.question()), affine_full_rank.name(),
                                  affine_full_rank.about().cost);
  whole.expression = "conjugate(all-to-all)";
  return whole;
}

}  // namespace

const PlannerEntry affine_full_rank({
    .name = "affine-full-rank",
    .machine = "cube",
    .title = "memory ordered by destination, all-to-all, memory ordered again",
    .needs = "processor bits that depend on memory by a matrix of full rank, all ports",
    .cost = "max(n, K/2)",
    .refusal = refusal,
    .offer = offer,
});

}  // namespace faro::inline v1
