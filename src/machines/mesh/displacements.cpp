// Displacements along one dimension, and the bounds that follow from them.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/check.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/ring_gap.hpp"

namespace faro::inline v1::mesh {
namespace {

// Work and memory of the exact answers: four million combinations.
constexpr int combinations_log2_max = 22;
// Nodes of the search for far displacements where they are too many to enumerate.
constexpr int search_nodes_max = 20000;

std::vector<std::int64_t> sorted_unique(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// A coordinate before and after, how far apart they are.
struct Trip {
  Word before = 0;
  Word after = 0;
  std::int64_t distance() const {
    return static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
  }
};

template <class Visit>
void for_each_trip(const CoordinatePairs& pairs, Visit&& visit) {
  const auto dimension = static_cast<int>(pairs.basis.size());
  Trip trip{pairs.first_before, pairs.first_after};
  for (Word k = 0;;) {
    visit(trip);
    if (++k == bit(dimension)) break;
    const auto& d = pairs.basis[static_cast<std::size_t>(lowest_bit(k))];  // Gray code order
    trip.before ^= d.before;
    trip.after ^= d.after;
  }
}

std::vector<std::int64_t> enumerate(const CoordinatePairs& pairs) {
  std::vector<std::int64_t> result;
  result.reserve(bit(static_cast<int>(pairs.basis.size())));
  for_each_trip(pairs, [&](const Trip& trip) { result.push_back(trip.distance()); });
  return sorted_unique(std::move(result));
}

// A processor that makes the trip. Requires one that occurs.
Word processor_of(const MeshGeometry& geometry, const BitMap& map, int dimension, Trip trip) {
  std::vector<Parity> there;
  for (int i = 0; i < geometry.side_log2(dimension); ++i) {
    const int b = geometry.low(dimension) + i;
    there.push_back({bit(b), unsigned{has_bit(trip.before, i)}});
    there.push_back(
        {map.matrix().row(b), unsigned{has_bit(trip.after, i) != has_bit(map.complement(), b)}});
  }
  return AffineSpace::where(map.width(), there).first();
}

// A BPC map's displacement is a sum with one of two terms for each bit that touches the dimension.
struct BitDisplacement {
  std::int64_t if_zero = 0;
  std::int64_t if_one = 0;
};

BitDisplacement displacement_of_bit(const MeshGeometry& geometry, const BpcVector& bits, int i,
                                    int dimension) {
  BitDisplacement d;
  if (geometry.dimension_of(bits.to(i)) == dimension)
    (bits.negative(i) ? d.if_zero : d.if_one) += geometry.distance(bits.to(i));
  if (geometry.dimension_of(i) == dimension) d.if_one -= geometry.distance(i);
  return d;
}

// Who goes farthest up and who farthest down.
std::vector<Word> farthest_of(const MeshGeometry& geometry, const BpcVector& bits, int dimension) {
  Word up = 0;
  Word down = 0;
  for (int i = 0; i < bits.bits(); ++i) {
    const auto [if_zero, if_one] = displacement_of_bit(geometry, bits, i, dimension);
    if (if_one > if_zero) up |= bit(i);
    if (if_one < if_zero) down |= bit(i);
  }
  return {up, down};
}

// The largest `way`·(after - before) that a bounded search by digits finds, the top one first.
class FarthestSearch {
 public:
  FarthestSearch(const CoordinatePairs& pairs, int way) : pairs_(pairs), way_(way) {
    for (const auto& d : pairs.basis) by_lead_[place(leading(d, pairs.width))] = &d;
  }

  struct Found {
    std::int64_t distance = 0;
    bool farthest = true;  // the search came to its end
    Trip trip = {};
  };
  Found run() {
    descend(pairs_.width - 1, pairs_.first_before, pairs_.first_after);
    return {std::max<std::int64_t>(0, best_), nodes_ <= search_nodes_max, trip_};
  }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  std::int64_t value(Word before, Word after, int from_digit) const {
    const auto high = ~low_mask(from_digit);
    return way_ *
           (static_cast<std::int64_t>(after & high) - static_cast<std::int64_t>(before & high));
  }

  void descend(int digit, Word before, Word after) {
    if (++nodes_ > search_nodes_max && found_) return;
    if (digit < 0) {
      const std::int64_t v = value(before, after, 0);
      if (!found_ || v > best_) {
        best_ = v;
        trip_ = {before, after};
      }
      found_ = true;
      return;
    }
    // What the lower digits can add at most.
    if (found_ &&
        value(before, after, digit + 1) + static_cast<std::int64_t>(low_mask(digit + 1)) <= best_)
      return;
    struct Choice {
      Word before;
      Word after;
      std::int64_t value;
    };
    std::vector<Choice> choices = {{before, after, 0}};
    for (const int lead : {2 * digit + 1, 2 * digit}) {
      const CoordinatePairs::Direction* d = by_lead_[place(lead)];
      if (d == nullptr) continue;
      const std::size_t count = choices.size();
      for (std::size_t c = 0; c < count; ++c)
        choices.push_back({choices[c].before ^ d->before, choices[c].after ^ d->after, 0});
    }
    for (Choice& c : choices) c.value = value(c.before, c.after, digit);
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.value > b.value; });
    for (const Choice& c : choices) descend(digit - 1, c.before, c.after);
  }

  const CoordinatePairs& pairs_;
  int way_;
  std::array<const CoordinatePairs::Direction*, 2 * word_bits> by_lead_{};
  std::int64_t best_ = 0;
  Trip trip_;
  bool found_ = false;
  int nodes_ = 0;
};

// What a BPC map's displacements are sums of, modulo the side: `first` and any of the terms.
struct RingTerms {
  Word first = 0;
  std::vector<Word> terms;
};

RingTerms ring_terms(const MeshGeometry& geometry, const BpcVector& bits, int dimension) {
  RingTerms sums;
  const Word mask = low_mask(geometry.side_log2(dimension));
  for (int i = 0; i < bits.bits(); ++i) {
    const auto [if_zero, if_one] = displacement_of_bit(geometry, bits, i, dimension);
    sums.first = (sums.first + static_cast<Word>(if_zero)) & mask;
    const Word term = static_cast<Word>(if_one - if_zero) & mask;
    if (term != 0) sums.terms.push_back(term);
  }
  return sums;
}

bool complements_inside(const MeshGeometry& geometry, const BpcVector& bits, int dimension) {
  for (int i = 0; i < bits.bits(); ++i)
    if (bits.negative(i) && geometry.dimension_of(i) == dimension &&
        kind_of(geometry, bits, i) != BitKind::exiting)
      return true;
  return false;
}

}  // namespace

std::optional<std::vector<std::int64_t>> displacements(const MeshGeometry& geometry,
                                                       const BitMap& map, int dimension) {
  const CoordinatePairs pairs = pairs_of(geometry, map, dimension);
  if (static_cast<int>(pairs.basis.size()) > combinations_log2_max) return {};
  return enumerate(pairs);
}

Rides rides_on_line(std::span<const std::int64_t> displacements) {
  Rides rides;
  for (const std::int64_t d : displacements) {
    rides.plus = std::max(rides.plus, d);
    rides.minus = std::max(rides.minus, -d);
  }
  return rides;
}

Rides rides_on_ring(std::span<const std::int64_t> displacements, std::int64_t side) {
  std::vector<std::int64_t> residues = {0};
  for (const std::int64_t d : displacements) residues.push_back(((d % side) + side) % side);
  residues = sorted_unique(std::move(residues));
  // Residues up to number c ride upward, the others downward.
  Rides best{residues.back(), 0};
  for (std::size_t c = 0; c + 1 < residues.size(); ++c) {
    const Rides rides{residues[c], side - residues[c + 1]};
    if (rides.total() < best.total()) best = rides;
  }
  return best;
}

DimensionBound line_bound(const MeshGeometry& geometry, const BitMap& map, int dimension) {
  if (const auto bits = BpcVector::from(map))
    return {beta_by_dimension(geometry, *bits)[static_cast<std::size_t>(dimension)], true,
            farthest_of(geometry, *bits, dimension)};
  const CoordinatePairs pairs = pairs_of(geometry, map, dimension);
  auto up = FarthestSearch(pairs, 1).run();
  auto down = FarthestSearch(pairs, -1).run();
  bool exact = up.farthest && down.farthest;
  if (!exact && static_cast<int>(pairs.basis.size()) <= combinations_log2_max) {
    for_each_trip(pairs, [&](const Trip& trip) {
      if (trip.distance() > up.distance) up = {trip.distance(), true, trip};
      if (-trip.distance() > down.distance) down = {-trip.distance(), true, trip};
    });
    exact = true;
  }
  return {static_cast<Count>(up.distance + down.distance), exact,
          std::vector<Word>{processor_of(geometry, map, dimension, up.trip),
                            processor_of(geometry, map, dimension, down.trip)}};
}

DimensionBound ring_bound(const MeshGeometry& geometry, const BitMap& map, int dimension) {
  const int width = geometry.side_log2(dimension);
  const auto side = static_cast<Count>(geometry.side(dimension));
  const auto bits = BpcVector::from(map);
  if (bits && width <= residues_log2_max) {
    const RingTerms sums = ring_terms(geometry, *bits, dimension);
    return {side - gap_by_residues(width, sums.first, sums.terms), true, {}};
  }
  const CoordinatePairs pairs = pairs_of(geometry, map, dimension);
  if (bits) {
    const RingTerms sums = ring_terms(geometry, *bits, dimension);
    const std::uint64_t most = gap_at_most(width, sums.terms);
    if (gap_at_least(width, sums.first, sums.terms) == most) return {side - most, true, {}};
    if (const auto gap = gap_by_digits(pairs)) return {side - *gap, true, {}};
    // Theorems 6.4 and 6.5.
    const Count beta = beta_by_dimension(geometry, *bits)[static_cast<std::size_t>(dimension)];
    const Count part = ceil_div(beta, complements_inside(geometry, *bits, dimension) ? 3 : 2);
    return {std::max(part, side - most), false, {}};
  }
  if (const auto gap = gap_by_digits(pairs)) return {side - *gap, true, {}};
  if (static_cast<int>(pairs.basis.size()) <= combinations_log2_max)
    return {static_cast<Count>(rides_on_ring(enumerate(pairs), geometry.side(dimension)).total()),
            true,
            {}};
  // One element that has to go d up or side - d down.
  Count best = 0;
  for (const int way : {1, -1}) {
    const auto far = static_cast<Count>(FarthestSearch(pairs, way).run().distance);
    best = std::max(best, std::min(far, side - far));
  }
  return {best, false, {}};
}

}  // namespace faro::inline v1::mesh
