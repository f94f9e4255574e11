#include "disk/passes.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace faro::inline v1::disk {
namespace {

// Coordinates of the adapted basis, as a set of bits.
using Coordinates = Word;

int size_of(Coordinates set) {
  return std::popcount(set);
}

// Coordinates by ascending q.
std::vector<int> by_order(const AdaptedBasis& basis) {
  std::vector<int> at(basis.order.size());
  for (std::size_t i = 0; i < at.size(); ++i)
    at[static_cast<std::size_t>(basis.order[i])] = static_cast<int>(i);
  return at;
}

// Those of `set` in the order of `sequence`, appended.
void append_in_order(const std::vector<int>& sequence, Coordinates set, std::vector<int>& to) {
  for (const int i : sequence)
    if (has_bit(set, i)) to.push_back(i);
}

// The chain of tiles X_1 ... X_k as sets of coordinates: X_1 holds the first reads, X_k the last
// writes, neighbours share at least s_i.
class Chain {
 public:
  Chain(const AdaptedBasis& basis, const PassShape& shape)
      : shape_(shape), destination_(by_order(basis)) {
    for (int i = 0; i < static_cast<int>(basis.order.size()); ++i) source_.push_back(i);
    for (int j = 0; j < shape.last_write; ++j)
      last_ |= bit(destination_[static_cast<std::size_t>(j)]);
    const Coordinates first = low_mask(shape.first_read);
    Coordinates tile = fill(first, last_, destination_);
    tile = fill(tile, ~Word{0}, source_);
    tiles_.push_back(tile);
    Coordinates end = fill(last_, tile & first, source_);
    end = fill(end, tile, source_);
    end = fill(end, ~Word{0}, source_);
    walk_to(end);
    FARO_CHECK((last_ & ~tiles_.back()) == 0);
  }

  const std::vector<Coordinates>& tiles() const { return tiles_; }
  const std::vector<int>& destination() const { return destination_; }
  const std::vector<int>& source() const { return source_; }

 private:
  Coordinates fill(Coordinates set, Coordinates from, const std::vector<int>& sequence) const {
    for (const int i : sequence)
      if (size_of(set) < shape_.tile && has_bit(from, i)) set |= bit(i);
    return set;
  }

  void walk_to(Coordinates end) {
    for (const int kept : shape_.between) {
      const Coordinates now = tiles_.back();
      std::vector<int> out;
      std::vector<int> into;
      append_in_order(source_, now & ~end, out);
      std::reverse(out.begin(), out.end());
      append_in_order(destination_, end & ~now, into);
      const auto exchanges =
          std::min(out.size(), static_cast<std::size_t>(std::max(0, shape_.tile - kept)));
      Coordinates next = now;
      for (std::size_t i = 0; i < exchanges; ++i) next = (next & ~bit(out[i])) | bit(into[i]);
      tiles_.push_back(next);
    }
  }

  const PassShape& shape_;
  std::vector<int> destination_;
  std::vector<int> source_;
  Coordinates last_ = 0;
  std::vector<Coordinates> tiles_;
};

// Where the coordinates stand in the layout between tiles X and Y: what they share at the bottom,
// then the rest of the one whose side is in whole tiles.
BitMatrix layout(const Chain& chain, std::size_t i, PassShape::Whole whole,
                 const BitMatrix& to_coordinates) {
  const Coordinates x = chain.tiles()[i];
  const Coordinates y = chain.tiles()[i + 1];
  const Coordinates side = (whole == PassShape::Whole::write ? x : y) & ~(x & y);
  std::vector<int> sequence;
  append_in_order(chain.source(), x & y, sequence);
  append_in_order(chain.destination(), side, sequence);
  append_in_order(chain.destination(), ~((x & y) | side), sequence);
  BitMatrix places(to_coordinates.rows(), to_coordinates.rows());
  for (std::size_t n = 0; n < sequence.size(); ++n)
    places.set_column(sequence[n], bit(static_cast<int>(n)));
  return then(to_coordinates, places);
}

// How many of e_0, e_1, ... lie in the span from the first on.
int low_bits_inside(const std::vector<Word>& reduced, int width) {
  int count = 0;
  while (count < width && reduce(bit(count), reduced) == 0) ++count;
  return count;
}

}  // namespace

DiskPass tiled_pass(const BitMap& map, std::vector<Word> tile) {
  DiskPass pass;
  pass.map = map;
  pass.read_log2 = low_bits_inside(reduced_basis(tile), map.width());
  std::vector<Word> image = tile;
  for (Word& v : image) v = map.matrix().apply(v);
  pass.write_log2 = low_bits_inside(reduced_basis(image), map.width());
  pass.tile = std::move(tile);
  return pass;
}

AdaptedBasis adapted_basis(const BitMatrix& matrix) {
  const std::optional<BitMatrix> inverse = matrix.inverse();
  FARO_CHECK(inverse.has_value());
  const int width = matrix.columns();
  AdaptedBasis basis;
  basis.vectors.assign(static_cast<std::size_t>(width), 0);
  basis.order.assign(static_cast<std::size_t>(width), 0);
  // The lowest destination bit first: what earlier ones span is taken away by leading bits.
  for (int j = 0; j < width; ++j) {
    Word x = inverse->column(j);
    while (basis.vectors[static_cast<std::size_t>(highest_bit(x))] != 0)
      x ^= basis.vectors[static_cast<std::size_t>(highest_bit(x))];
    const auto i = static_cast<std::size_t>(highest_bit(x));
    basis.vectors[i] = x;
    basis.order[i] = j;
  }
  return basis;
}

int overlap(const AdaptedBasis& basis, int read_log2, int write_log2) {
  return static_cast<int>(std::count_if(basis.order.begin(), basis.order.begin() + read_log2,
                                        [&](int q) { return q < write_log2; }));
}

bool feasible(const AdaptedBasis& basis, const PassShape& shape) {
  if (std::max(shape.first_read, shape.last_write) > shape.tile) return false;
  int sum =
      shape.first_read + shape.last_write - overlap(basis, shape.first_read, shape.last_write);
  for (const int s : shape.between) {
    if (s < 0 || s > shape.tile) return false;
    sum += s;
  }
  return sum <= shape.passes() * shape.tile;
}

int fewest_passes(const AdaptedBasis& basis, int tile_log2, int run_log2) {
  return fewest_passes(basis, tile_log2, {run_log2, run_log2, run_log2});
}

int fewest_passes(const AdaptedBasis& basis, int tile_log2, const LeastRuns& runs) {
  if (std::max(runs.read, runs.write) > tile_log2) return -1;
  // What one pass lacks, and what each more brings.
  const int lacks = runs.read + runs.write - overlap(basis, runs.read, runs.write) - tile_log2;
  if (lacks <= 0) return 1;
  const int gain = tile_log2 - runs.between;
  return gain <= 0 ? -1 : 1 + ((lacks + gain - 1) / gain);
}

std::vector<DiskPass> factor(const BitMap& map, const AdaptedBasis& basis, const PassShape& shape) {
  FARO_CHECK(feasible(basis, shape) && shape.tile <= map.width());
  FARO_CHECK(shape.whole.size() == shape.between.size());
  const Chain chain(basis, shape);
  const BitMatrix from_coordinates = BitMatrix::from_columns(map.width(), basis.vectors);
  const BitMatrix to_coordinates = *from_coordinates.inverse();
  std::vector<DiskPass> passes;
  BitMatrix before = BitMatrix::identity(map.width());  // source index -> index in this layout
  for (std::size_t i = 0; i < chain.tiles().size(); ++i) {
    const bool last = i + 1 == chain.tiles().size();
    const BitMatrix after = last ? map.matrix() : layout(chain, i, shape.whole[i], to_coordinates);
    std::vector<Word> tile;
    for (int c = 0; c < map.width(); ++c)
      if (has_bit(chain.tiles()[i], c))
        tile.push_back(before.apply(basis.vectors[static_cast<std::size_t>(c)]));
    const BitMatrix step = then(*before.inverse(), after);
    passes.push_back(
        tiled_pass(BitMap::from_matrix(step, last ? map.complement() : 0), std::move(tile)));
    before = after;
  }
  return passes;
}

namespace {

// The layouts between passes share the slack evenly, since the cost is convex in s; each is whole
// on its cheaper side.
Count share_slack(int slack, int between, const Limits& limits, const RunCosts& costs,
                  PassShape& shape) {
  const auto whole = static_cast<std::size_t>(limits.tile);
  Count cost = 0;
  for (int i = 0; i < between; ++i) {
    const int s = std::min(limits.tile, (slack + i) / between);
    const auto run = static_cast<std::size_t>(s);
    const Count reads_whole = costs.read[whole] + costs.write[run];
    const Count writes_whole = costs.read[run] + costs.write[whole];
    shape.between.push_back(s);
    shape.whole.push_back(reads_whole < writes_whole ? PassShape::Whole::read
                                                     : PassShape::Whole::write);
    cost += std::min(reads_whole, writes_whole);
  }
  return cost;
}

// overlap() for all pairs of runs.
class OverlapTable {
 public:
  OverlapTable(const AdaptedBasis& basis, int tile_log2) {
    for (int r = 0; r <= tile_log2; ++r)
      for (int w = 0; w <= tile_log2; ++w)
        counts_[static_cast<std::size_t>(r)][static_cast<std::size_t>(w)] = overlap(basis, r, w);
  }
  int at(int r, int w) const {
    return counts_[static_cast<std::size_t>(r)][static_cast<std::size_t>(w)];
  }

 private:
  std::array<std::array<int, word_bits + 1>, word_bits + 1> counts_{};
};

}  // namespace

Cheapest cheapest(const AdaptedBasis& basis, const Limits& limits, const RunCosts& costs) {
  const auto width = static_cast<int>(basis.order.size());
  const auto whole = static_cast<std::size_t>(limits.tile);
  const OverlapTable shared(basis, limits.tile);
  const int least_between = limits.runs.between;
  Cheapest best;
  // Every pass reads and writes all; past the number that makes every run a whole tile none helps.
  const int passes_max = 2 * width + 2;
  for (int k = std::max(1, limits.passes); k <= passes_max; ++k) {
    if (limits.passes != 0 && k != limits.passes) break;
    const Count least = static_cast<Count>(k) * (costs.read[whole] + costs.write[whole]);
    if (best.found && least >= best.cost) break;
    for (int r = limits.tile; r >= limits.runs.read; --r) {
      for (int w = limits.tile; w >= limits.runs.write; --w) {
        const int slack = (k * limits.tile) - (r + w - shared.at(r, w));
        if (slack < (k - 1) * least_between) continue;
        PassShape shape{.tile = limits.tile, .first_read = r, .last_write = w};
        const Count ends =
            costs.read[static_cast<std::size_t>(r)] + costs.write[static_cast<std::size_t>(w)];
        const Count cost = ends + share_slack(slack, k - 1, limits, costs, shape);
        if (best.found && cost >= best.cost) continue;
        best = {.found = true, .cost = cost, .shape = std::move(shape)};
      }
    }
  }
  return best;
}

}  // namespace faro::inline v1::disk
