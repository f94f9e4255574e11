#include "disk/in_place.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::disk {
namespace {

// The least space that holds S_B and that the matrix leaves as it is, if a tile can be so large.
std::optional<std::vector<Word>> invariant_tile(const BitMatrix& matrix, int tile_log2,
                                                int run_log2) {
  std::vector<Word> tile;
  std::vector<Word> to_do;
  for (int i = run_log2; i-- > 0;) to_do.push_back(bit(i));
  while (!to_do.empty()) {
    const Word v = to_do.back();
    to_do.pop_back();
    const std::vector<Word> reduced = reduced_basis(tile);
    if (reduce(v, reduced) == 0) continue;
    if (static_cast<int>(tile.size()) == tile_log2) return std::nullopt;
    tile.push_back(v);
    to_do.push_back(matrix.apply(v));
  }
  return tile;
}

bool is_identity(const BitMatrix& matrix) {
  return matrix == BitMatrix::identity(matrix.columns());
}

// The local passes that bring together what one run is to hold, one after another.
class LocalPasses {
 public:
  LocalPasses(const BitMap& map, const AdaptedBasis& basis, int tile_log2, int run_log2)
      : map_(map),
        basis_(basis),
        from_coordinates_(BitMatrix::from_columns(map.width(), basis.vectors)),
        to_coordinates_(*from_coordinates_.inverse()),
        exchanges_(tile_log2 - run_log2),
        held_(low_mask(run_log2)),
        done_(BitMatrix::identity(map.width())) {
    const auto order = [&](int i) { return basis.order[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < map.width(); ++i) {
      if (i < run_log2 && order(i) >= run_log2) out_.push_back(i);
      if (i >= run_log2 && order(i) < run_log2) into_.push_back(i);
    }
    std::sort(into_.begin(), into_.end(), [&](int a, int b) { return order(a) < order(b); });
    std::reverse(out_.begin(), out_.end());
    FARO_CHECK(out_.size() == into_.size() && (out_.empty() || exchanges_ > 0));
  }

  bool is_done() const { return at_ == out_.size(); }
  // What is left of the map.
  BitMatrix rest() const { return then(*done_.inverse(), map_.matrix()); }

  struct Step {
    BitMatrix matrix;
    std::vector<Word> tile;
  };
  Step next() {
    std::vector<Word> columns;
    for (int i = 0; i < map_.width(); ++i) columns.push_back(bit(i));
    Word tile = held_;
    for (int n = 0; n < exchanges_ && at_ < out_.size(); ++n, ++at_) {
      std::swap(columns[static_cast<std::size_t>(out_[at_])],
                columns[static_cast<std::size_t>(into_[at_])]);
      tile |= bit(into_[at_]);
      held_ = (held_ & ~bit(out_[at_])) | bit(into_[at_]);
    }
    Step step;
    for (int i = 0; i < map_.width(); ++i)
      if (has_bit(tile, i))
        step.tile.push_back(done_.apply(basis_.vectors[static_cast<std::size_t>(i)]));
    const BitMatrix exchange = then(
        then(to_coordinates_, BitMatrix::from_columns(map_.width(), columns)), from_coordinates_);
    step.matrix = then(then(*done_.inverse(), exchange), done_);
    done_ = then(exchange, done_);
    return step;
  }

 private:
  const BitMap& map_;
  const AdaptedBasis& basis_;
  BitMatrix from_coordinates_;
  BitMatrix to_coordinates_;
  int exchanges_;
  Word held_;              // coordinates that stand in the runs now
  std::vector<int> out_;   // those that leave the runs
  std::vector<int> into_;  // those that take their place
  std::size_t at_ = 0;
  BitMatrix done_;  // source index -> index after the passes so far
};

}  // namespace

std::vector<DiskPass> factor_in_place(const BitMap& map, const AdaptedBasis& basis, int tile_log2,
                                      int run_log2) {
  LocalPasses local(map, basis, tile_log2, run_log2);
  std::vector<DiskPass> passes;
  for (;;) {
    const BitMatrix rest = local.rest();
    // Nothing is left but the complement, and the last tiles can do that as well.
    if (is_identity(rest) && !passes.empty() &&
        reduce(map.complement(), reduced_basis(passes.back().tile)) == 0) {
      DiskPass& last = passes.back();
      last = tiled_pass(BitMap::from_matrix(last.map.matrix(), map.complement()), last.tile);
      return passes;
    }
    if (const auto tile = invariant_tile(rest, tile_log2, run_log2)) {
      passes.push_back(tiled_pass(BitMap::from_matrix(rest, map.complement()), *tile));
      return passes;
    }
    LocalPasses::Step step = local.next();
    passes.push_back(tiled_pass(BitMap::from_matrix(step.matrix, 0), std::move(step.tile)));
  }
}

std::vector<DiskPass> factor_within_output(const BitMap& map, const AdaptedBasis& basis,
                                           int tile_log2, int run_log2) {
  LocalPasses local(map, basis, tile_log2, run_log2);
  std::vector<LocalPasses::Step> steps;
  while (!local.is_done()) steps.push_back(local.next());
  // A = R L_k ... L_1 with R moving runs = (R L_k R^-1) ... (R L_1 R^-1) R.
  const BitMatrix runs = local.rest();
  const BitMatrix back = *runs.inverse();
  std::vector<DiskPass> passes;
  if (steps.empty()) {
    std::vector<Word> tile;
    for (int i = 0; i < run_log2; ++i) tile.push_back(bit(i));
    return {tiled_pass(map, std::move(tile))};
  }
  for (const LocalPasses::Step& step : steps) {
    BitMatrix matrix = then(then(back, step.matrix), runs);
    std::vector<Word> tile = step.tile;
    if (passes.empty())
      matrix = then(runs, matrix);
    else
      for (Word& v : tile) v = runs.apply(v);
    passes.push_back(tiled_pass(BitMap::from_matrix(matrix, 0), std::move(tile)));
  }
  // The complement, as the local passes will carry it to its place.
  Word complement = map.complement();
  for (std::size_t i = passes.size(); i-- > 1;)
    complement = passes[i].map.matrix().inverse()->apply(complement);
  DiskPass& first = passes.front();
  first = tiled_pass(BitMap::from_matrix(first.map.matrix(), complement), first.tile);
  return passes;
}

MoveOrder::MoveOrder(const Map& successors)
    : successors_(successors),
      tiles_(static_cast<Word>(successors.elements())),
      local_(bytes(successors) == 0) {
  if (!local_) moved_.resize(static_cast<std::size_t>(bytes(successors) / sizeof(Word)));
  restart();
}

std::uint64_t MoveOrder::bytes(const Map& successors) {
  const auto tiles = static_cast<Word>(successors.elements());
  if (successors == Map::identity(tiles)) return 0;
  return (tiles + word_bits - 1) / word_bits * sizeof(Word);
}

void MoveOrder::restart() {
  std::fill(moved_.begin(), moved_.end(), Word{0});
  leader_ = at_ = array_ = 0;
  in_cycle_ = false;
  left_ = tiles_;
}

Word MoveOrder::next() {
  if (left_ == 0) {
    const Word array = array_ + 1;
    restart();
    array_ = array;
  }
  --left_;
  const Word base = array_ * tiles_;
  if (local_) return base + leader_++;
  const auto is_moved = [&](Word i) {
    return has_bit(moved_[i / word_bits], static_cast<int>(i % word_bits));
  };
  if (!in_cycle_) {
    while (is_moved(leader_)) ++leader_;
    at_ = leader_;
  }
  const Word now = at_;
  moved_[now / word_bits] |= bit(static_cast<int>(now % word_bits));
  at_ = successors_(now);
  in_cycle_ = !is_moved(at_);
  return base + now;
}

std::vector<Word> MoveOrder::take(std::uint64_t count) {
  std::vector<Word> tiles;
  tiles.reserve(count);
  while (tiles.size() < count) tiles.push_back(next());
  return tiles;
}

std::uint64_t tiles_of_step(const PassTiles& tiles, std::uint64_t budget_bytes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16U;
  const std::uint64_t array = tiles.tiles_of_array();
  std::uint64_t group = 1;
  while (group * 2 <= std::min(most, array) && tiles.tile_bytes() * group * 2 <= budget_bytes)
    group *= 2;
  return group;
}

}  // namespace faro::inline v1::disk
