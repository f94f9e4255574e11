// How one axis is dealt to parts, by formulas and not by tables.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::uint64_t deal_length_max = bit(62);
constexpr std::uint64_t listed_parts_max = bit(24);

void check_length(std::uint64_t length, std::uint64_t parts) {
  if (length == 0 || parts == 0)
    throw Error(ErrorCode::usage, fmt::format("an axis of {} over {} parts: one or more of both "
                                              "are wanted",
                                              length, parts));
  if (length > deal_length_max || parts > deal_length_max)
    throw Error(ErrorCode::limit,
                fmt::format("an axis of {} over {} parts: at most 2^62 of both", length, parts));
}

}  // namespace

AxisDeal AxisDeal::whole(std::uint64_t length) {
  return cyclic(length, 1, length);
}

AxisDeal AxisDeal::block(std::uint64_t length, std::uint64_t parts) {
  check_length(length, parts);
  return cyclic(length, parts, (length + parts - 1) / parts);
}

AxisDeal AxisDeal::cyclic(std::uint64_t length, std::uint64_t parts, std::uint64_t block,
                          std::uint64_t first) {
  check_length(length, parts);
  if (block == 0) throw Error(ErrorCode::usage, "blocks of 0 elements; one or more are wanted");
  if (first >= parts)
    throw Error(ErrorCode::usage,
                fmt::format("the first block is of part {}; there are {}", first, parts));
  AxisDeal deal;
  deal.length_ = length;
  deal.parts_ = parts;
  deal.block_ = std::min(block, length);
  deal.first_ = first;
  return deal;
}

AxisDeal AxisDeal::listed(std::uint64_t length, const std::vector<std::uint64_t>& sizes) {
  check_length(length, sizes.size());
  std::vector<AxisPiece> pieces;
  std::uint64_t at = 0;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    if (sizes[part] > length - at)
      throw Error(ErrorCode::usage, fmt::format("the sizes of {} parts are more than the length {}",
                                                part + 1, length));
    if (sizes[part] != 0) pieces.push_back({at, at + sizes[part], part, 0});
    at += sizes[part];
  }
  if (at != length)
    throw Error(ErrorCode::usage,
                fmt::format("the sizes of the parts are {} together, the axis has "
                            "{}",
                            at, length));
  return of_pieces(length, sizes.size(), std::move(pieces));
}

AxisDeal AxisDeal::of_pieces(std::uint64_t length, std::uint64_t parts,
                             std::vector<AxisPiece> pieces) {
  check_length(length, parts);
  if (parts > listed_parts_max)
    throw Error(ErrorCode::limit, fmt::format("{} parts in a list; at most 2^24", parts));
  const auto refuse = [&](const AxisPiece& p) {
    throw Error(ErrorCode::usage,
                fmt::format("indices {} to {} of part {}, place {}: pieces are every index of {} "
                            "and every place of every part, once",
                            p.begin, p.end, p.part, p.local, length));
  };
  // Places first: by part and place they are without gaps.
  List list;
  list.by_part = std::move(pieces);
  std::sort(list.by_part.begin(), list.by_part.end(), [](const AxisPiece& a, const AxisPiece& b) {
    return std::pair(a.part, a.local) < std::pair(b.part, b.local);
  });
  list.size.assign(parts, 0);
  for (const AxisPiece& p : list.by_part) {
    if (p.begin >= p.end || p.end > length || p.part >= parts || p.local != list.size[p.part])
      refuse(p);
    list.size[p.part] += p.end - p.begin;
  }
  for (std::size_t part = 0, k = 0; part <= parts; ++part) {
    while (k < list.by_part.size() && list.by_part[k].part < part) ++k;
    list.first.push_back(k);
  }
  list.by_index = list.by_part;
  std::sort(list.by_index.begin(), list.by_index.end(),
            [](const AxisPiece& a, const AxisPiece& b) { return a.begin < b.begin; });
  std::uint64_t at = 0;
  for (const AxisPiece& p : list.by_index) {
    if (p.begin != at) refuse(p);
    at = p.end;
  }
  if (at != length) refuse(list.by_index.empty() ? AxisPiece{} : list.by_index.back());
  AxisDeal deal;
  deal.length_ = length;
  deal.parts_ = parts;
  deal.pieces_ = std::make_shared<const List>(std::move(list));
  return deal;
}

AxisDeal AxisDeal::reversed() const {
  AxisDeal deal = *this;
  deal.reversed_ = !reversed_;
  return deal;
}

AxisDeal AxisDeal::rolled(std::uint64_t roll) const {
  AxisDeal deal = *this;
  if (roll == 0) return deal;
  // n-1 - (x + roll) is n-1-x less roll: what is reversed rolls the other way.
  const std::uint64_t further = reversed_ ? length_ - roll : roll;
  if (!has_pieces()) {
    deal.roll_ = further < length_ - roll_ ? roll_ + further : further - (length_ - roll_);
    return deal;
  }
  std::vector<AxisPiece> rolled;
  for (std::uint64_t i = 0; i < pieces(); ++i) {
    const AxisPiece p = piece(i);
    const std::uint64_t seam = std::clamp(further, p.begin, p.end);
    if (p.begin < seam)
      rolled.push_back(
          {p.begin + (length_ - further), seam + (length_ - further), p.part, p.local});
    if (seam < p.end)
      rolled.push_back({seam - further, p.end - further, p.part, p.local + (seam - p.begin)});
  }
  deal = of_pieces(length_, parts_, std::move(rolled));
  deal.reversed_ = reversed_;
  return deal;
}

std::optional<std::pair<AxisDeal, AxisDeal>> AxisDeal::split(std::uint64_t low) const {
  const std::uint64_t high = length_ / low;
  const auto both = [&](const AxisDeal& a, const AxisDeal& b) {
    return reversed_ ? std::pair(a.reversed(), b.reversed()) : std::pair(a, b);
  };
  if (parts_ == 1 && !pieces_) return both(whole(high), whole(low));
  if (pieces_) {
    std::vector<AxisPiece> pieces = pieces_->by_index;
    for (AxisPiece& p : pieces) {
      if (p.begin % low != 0 || p.end % low != 0 || p.local % low != 0) return std::nullopt;
      p = {p.begin / low, p.end / low, p.part, p.local / low};
    }
    return both(of_pieces(high, parts_, std::move(pieces)), whole(low));
  }
  if (block_ % low == 0) return both(cyclic(high, parts_, block_ / low, first_), whole(low));
  if (low % period() == 0) return both(whole(high), cyclic(low, parts_, block_, first_));
  // Blocks of the low part, each row of them of parts_ / row parts.
  const std::uint64_t row = low / block_;
  if (low % block_ != 0 || parts_ % row != 0 || first_ % row != 0) return std::nullopt;
  return both(cyclic(high, parts_ / row, 1, first_ / row), cyclic(low, row, block_));
}

std::uint64_t AxisDeal::size(std::uint64_t part) const {
  if (pieces_) return pieces_->size[part];
  const std::uint64_t turn = (part + parts_ - first_) % parts_;
  const std::uint64_t blocks = length_ / block_;
  const std::uint64_t last = blocks % parts_;
  return (blocks / parts_ * block_) + (turn < last ? block_ : turn == last ? length_ % block_ : 0);
}

std::uint64_t AxisDeal::part_of(std::uint64_t x) const {
  const std::uint64_t y = turned(x);
  return pieces_ ? pieces_->by_index[piece_at(y)].part : (first_ + (y / block_)) % parts_;
}

std::uint64_t AxisDeal::place_of(std::uint64_t x) const {
  const std::uint64_t y = turned(x);
  if (!pieces_) return (y / block_ / parts_ * block_) + (y % block_);
  const AxisPiece& p = pieces_->by_index[piece_at(y)];
  return p.local + (y - p.begin);
}

LocalStretch AxisDeal::local(const Stretch& stretch) const {
  return {place_of(stretch.x),
          stretch.count < 2 ? 0
          : has_pieces()    ? stretch.stride
                            : stretch.stride / parts_,
          reversed_};
}

std::uint64_t AxisDeal::period() const {
  // Beyond the longest axis one period is as good as another.
  return block_ > deal_length_max / parts_ ? deal_length_max : block_ * parts_;
}

std::uint64_t AxisDeal::pieces() const {
  return pieces_ ? pieces_->by_index.size() : ((length_ - 1) / block_) + 1;
}

AxisPiece AxisDeal::piece(std::uint64_t i) const {
  if (pieces_) return pieces_->by_index[i];
  const std::uint64_t begin = i * block_;
  return {begin, begin + std::min(block_, length_ - begin), (first_ + i) % parts_, 0};
}

std::uint64_t AxisDeal::piece_at(std::uint64_t y) const {
  if (!pieces_) return y / block_;
  const auto& list = pieces_->by_index;
  const auto found = std::upper_bound(
      list.begin(), list.end(), y, [](std::uint64_t v, const AxisPiece& p) { return v < p.end; });
  return static_cast<std::uint64_t>(found - list.begin());
}

std::string AxisDeal::text() const {
  std::string result;
  if (is_whole() && !pieces_) {
    result = "whole";
  } else if (!pieces_) {
    if (period() >= length_)
      result = fmt::format("blocks of {}", block_);
    else if (block_ == 1)
      result = "cyclic";
    else
      result = fmt::format("cyclic in blocks of {}", block_);
    if (first_ != 0) result += fmt::format(" from part {}", first_);
  } else {
    result = "parts of ";
    for (std::uint64_t part = 0; part < parts_; ++part) {
      if (part == 8 && parts_ > 9) {
        result += ", ...";
        break;
      }
      result += fmt::format("{}{}", part == 0 ? "" : ", ", size(part));
    }
  }
  if (reversed_) result += ", reversed";
  return roll_ != 0 ? result + fmt::format(", rolled by {}", roll_) : result;
}

bool operator==(const AxisDeal& a, const AxisDeal& b) {
  if (a.length_ != b.length_ || a.parts_ != b.parts_ || a.reversed_ != b.reversed_ ||
      a.roll_ != b.roll_)
    return false;
  if (!a.pieces_ && !b.pieces_) return a.block_ == b.block_ && a.first_ == b.first_;
  if (!a.has_pieces() || !b.has_pieces() || a.pieces() != b.pieces()) return false;
  for (std::uint64_t i = 0; i < a.pieces(); ++i) {
    const AxisPiece p = a.piece(i);
    const AxisPiece q = b.piece(i);
    if (p.begin != q.begin || p.end != q.end || p.part != q.part || p.local != q.local)
      return false;
  }
  return true;
}

}  // namespace faro::inline v1
