#include "engine/lane_network.hpp"

#include "base/check.hpp"

namespace faro::inline v1::engine {
namespace {

// The lanes' span S split by where a matrix sends it: `outside` are combinations of lanes whose
// images above the lane bits are independent, `inside` combinations whose image stays in S.
struct Split {
  std::array<Word, lane_bits_max> outside{};
  std::array<Word, lane_bits_max> inside{};
  int outside_count = 0;
  int inside_count = 0;
};

Split split_lanes(const BitMatrix& matrix, int lane_bits) {
  struct Row {
    Word image = 0;
    Word lanes = 0;
  };
  std::array<Row, lane_bits_max> kept{};
  Split split;
  for (int j = 0; j < lane_bits; ++j) {
    Row row{matrix.column(j) >> lane_bits, bit(j)};
    for (int i = 0; i < split.outside_count; ++i) {
      const Row& other = kept[static_cast<std::size_t>(i)];
      if (has_bit(row.image, highest_bit(other.image))) {
        row.image ^= other.image;
        row.lanes ^= other.lanes;
      }
    }
    if (row.image == 0) {
      split.inside[static_cast<std::size_t>(split.inside_count++)] = row.lanes;
      continue;
    }
    split.outside[static_cast<std::size_t>(split.outside_count)] = row.lanes;
    kept[static_cast<std::size_t>(split.outside_count++)] = row;
  }
  return split;
}

}  // namespace

bool LaneNetwork::pre_is_identity() const {
  for (int i = 0; i < lane_bits; ++i) {
    if (pre[static_cast<std::size_t>(i)] != bit(i)) return false;
  }
  for (int i = 0; i < register_bits; ++i) {
    if (lambda[static_cast<std::size_t>(i)] != 0) return false;
  }
  return true;
}

bool LaneNetwork::post_is_identity() const {
  for (int i = 0; i < lane_bits; ++i) {
    if (post[static_cast<std::size_t>(i)] != bit(i)) return false;
  }
  for (int i = 0; i < register_bits; ++i) {
    if (beta[static_cast<std::size_t>(i)] != 0) return false;
  }
  return true;
}

LaneNetwork lane_network(const BitMatrix& a, const BitMatrix& b, int lane_bits) {
  const Word lanes = low_mask(lane_bits);
  LaneNetwork net;
  net.lane_bits = lane_bits;
  const Split from = split_lanes(a, lane_bits);
  const Split to = split_lanes(b, lane_bits);
  net.register_bits = from.outside_count;
  net.common_bits = from.inside_count;
  FARO_CHECK(to.outside_count == net.register_bits);
  const auto m = static_cast<std::size_t>(net.register_bits);
  const auto k = static_cast<std::size_t>(net.common_bits);

  // P: position (s, i) -> lane, s above i.
  for (std::size_t i = 0; i < k; ++i) net.pre[i] = from.inside[i];
  for (std::size_t i = 0; i < m; ++i) {
    net.pre[k + i] = from.outside[i];
    net.to_basis[i] = a.apply(from.outside[i]) & ~lanes;
    net.beta[i] = a.apply(from.outside[i]) & lanes;
  }
  // sigma of a lane word: which s its position has.
  std::array<Word, std::size_t{1} << lane_bits_max> position_of{};
  for (Word p = 0; p <= lanes; ++p) position_of[combine(net.pre, p)] = p;
  for (std::size_t i = 0; i < m; ++i) {
    const Word source = b.apply(to.outside[i]);
    net.from_basis[i] = source & ~lanes;
    net.lambda[i] = position_of[source & lanes] >> k;
    const Word beta = combine(net.beta, net.lambda[i]);
    net.post[k + i] = (a.apply(net.from_basis[i]) & lanes) ^ beta;
  }
  for (std::size_t i = 0; i < k; ++i) net.post[i] = a.apply(from.inside[i]) & lanes;
  return net;
}

}  // namespace faro::inline v1::engine
