#include "disk/box_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "algebra/residues.hpp"
#include "base/check.hpp"

namespace faro::inline v1::disk {
namespace {

__extension__ typedef unsigned __int128 Product;
__extension__ typedef __int128 Signed;

// Cuts that two regular grids share: first, first + period, ..
struct Progression {
  std::uint64_t first = 0;
  std::uint64_t period = 0;
  std::uint64_t count = 0;
};

Progression shared(const AxisGrid& a, const AxisGrid& b) {
  if (a.count() <= 1 || b.count() <= 1) return {};
  const std::uint64_t g = std::gcd(a.step(), b.step());
  const std::uint64_t s = a.step() / g;
  const std::uint64_t t = b.step() / g;
  const Signed apart = Signed{b.offset()} - Signed{a.offset()};
  if (apart % Signed{g} != 0) return {};
  // offset + step x of a, with x s = apart / g modulo t.
  const Signed wanted = ((apart / Signed{g}) % Signed{t} + Signed{t}) % Signed{t};
  const Product x = t == 1 ? 0 : static_cast<Product>(wanted) * inverse_modulo(s, t) % t;
  Product first = Product{a.offset()} + (Product{a.step()} * x);
  const Product period = Product{a.step()} * t;
  if (first < b.offset()) first += (b.offset() - first + period - 1) / period * period;
  if (first >= a.length()) return {};
  const std::uint64_t begin = static_cast<std::uint64_t>(first);
  const Product count = ((Product{a.length()} - 1 - first) / period) + 1;
  return {begin, count == 1 ? 0 : static_cast<std::uint64_t>(period),
          static_cast<std::uint64_t>(count)};
}

constexpr std::uint64_t blocks_looked_at = 4096;
// Of means of logarithms: beyond, the beginning stands for all.
constexpr std::uint64_t blocks_summed = 200'000;

}  // namespace

AxisGrid AxisGrid::regular(std::uint64_t length, std::uint64_t step, bool reversed) {
  step = std::clamp<std::uint64_t>(step, 1, length);
  return shifted(length, step, reversed ? ((length - 1) % step) + 1 : step);
}

AxisGrid AxisGrid::shifted(std::uint64_t length, std::uint64_t step, std::uint64_t offset) {
  FARO_CHECK(length >= 1 && offset >= 1 && offset <= step);
  AxisGrid grid;
  grid.length_ = length;
  grid.step_ = std::min(step, length);
  grid.offset_ = std::min(offset, length);
  return grid;
}

AxisGrid AxisGrid::listed(std::uint64_t length, std::vector<std::uint64_t> cuts) {
  AxisGrid grid;
  grid.length_ = length;
  grid.offset_ = cuts.empty() ? length : cuts.front();
  grid.step_ = 1;
  std::uint64_t before = 0;
  for (const std::uint64_t cut : cuts) {
    FARO_CHECK(cut > before && cut < length);
    grid.step_ = std::max(grid.step_, cut - before);
    before = cut;
  }
  grid.step_ = std::max(grid.step_, length - before);
  grid.cuts_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(cuts));
  return grid;
}

std::uint64_t AxisGrid::count() const {
  if (cuts_) return cuts_->size() + 1;
  return offset_ >= length_ ? 1 : 1 + ((length_ - offset_ - 1) / step_) + 1;
}

Interval AxisGrid::block(std::uint64_t i) const {
  if (cuts_) return {i == 0 ? 0 : (*cuts_)[i - 1], i == cuts_->size() ? length_ : (*cuts_)[i]};
  const std::uint64_t begin = i == 0 ? 0 : offset_ + ((i - 1) * step_);
  const std::uint64_t most = length_ - begin;
  return {begin, begin + std::min(most, i == 0 ? offset_ : step_)};
}

std::uint64_t AxisGrid::at(std::uint64_t place) const {
  if (cuts_)
    return static_cast<std::uint64_t>(std::upper_bound(cuts_->begin(), cuts_->end(), place) -
                                      cuts_->begin());
  return place < offset_ ? 0 : 1 + ((place - offset_) / step_);
}

bool AxisGrid::is_cut(std::uint64_t place) const {
  if (place == 0 || place >= length_) return false;
  if (cuts_) return std::binary_search(cuts_->begin(), cuts_->end(), place);
  return place >= offset_ && (place - offset_) % step_ == 0;
}

bool operator==(const AxisGrid& a, const AxisGrid& b) {
  if (a.length_ != b.length_ || a.is_listed() != b.is_listed()) return false;
  if (a.is_listed()) return *a.cuts_ == *b.cuts_;
  return a.count() == b.count() && a.offset_ == b.offset_ && (a.count() < 3 || a.step_ == b.step_);
}

std::uint64_t common_cuts(const AxisGrid& a, const AxisGrid& b) {
  if (!a.is_listed() && !b.is_listed()) return shared(a, b).count;
  const AxisGrid& list = a.is_listed() ? a : b;
  const AxisGrid& other = a.is_listed() ? b : a;
  return static_cast<std::uint64_t>(
      std::count_if(list.cuts().begin(), list.cuts().end(),
                    [&](std::uint64_t cut) { return other.is_cut(cut); }));
}

std::uint64_t meets(const AxisGrid& a, const AxisGrid& b) {
  return a.count() + b.count() - 1 - common_cuts(a, b);
}

bool is_nested(const AxisGrid& a, const AxisGrid& b) {
  return common_cuts(a, b) == b.count() - 1;
}

std::uint64_t longest_component(const AxisGrid& a, const AxisGrid& b) {
  if (!a.is_listed() && !b.is_listed()) {
    const Progression both = shared(a, b);
    if (both.count == 0) return a.length();
    const std::uint64_t last = both.first + ((both.count - 1) * both.period);
    return std::max({both.first, both.period, a.length() - last});
  }
  const AxisGrid& list = a.is_listed() ? a : b;
  const AxisGrid& other = a.is_listed() ? b : a;
  std::uint64_t longest = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t cut : list.cuts()) {
    if (!other.is_cut(cut)) continue;
    longest = std::max(longest, cut - before);
    before = cut;
  }
  return std::max(longest, a.length() - before);
}

std::uint64_t cover(const AxisGrid& a, const AxisGrid& tile) {
  const auto met = [&](std::uint64_t i) { return tile.meeting(a.block(i)).length(); };
  if (a.is_listed()) {
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < a.count(); ++i) total += a.block(i).length() * met(i);
    return total;
  }
  const std::uint64_t last = a.count() - 1;
  std::uint64_t total = a.step() * meets(a, tile);
  total -= (a.step() - a.block(0).length()) * met(0);
  if (last != 0) total -= (a.step() - a.block(last).length()) * met(last);
  return total;
}

MostMet most_met(const AxisGrid& a, const AxisGrid& tile) {
  MostMet most;
  const auto look = [&](std::uint64_t i) {
    const Interval met = a.meeting(tile.block(i));
    most.blocks = std::max(most.blocks, met.length());
    most.span = std::max(most.span, a.block(met.end - 1).end - a.block(met.begin).begin);
  };
  const std::uint64_t count = tile.count();
  // After so many blocks of the tile they begin at the same place of a block of a; before those
  // some meet a first block that may be short.
  std::uint64_t looked = count;
  if (!a.is_listed() && !tile.is_listed())
    looked = std::min(count, tile.at(std::min(a.offset(), a.length() - 1)) + 2 +
                                 (a.step() / std::gcd(a.step(), tile.step())));
  for (std::uint64_t i = 0; i < std::min(looked, blocks_looked_at); ++i) look(i);
  for (std::uint64_t i = count - std::min<std::uint64_t>(count, 3); i < count; ++i) look(i);
  if (looked > blocks_looked_at && !a.is_listed()) {
    most.blocks = std::min(a.count(), ((tile.step() + a.step() - 2) / a.step()) + 1);
    most.span = std::min(a.length(), most.blocks * a.step());
  } else if (looked > blocks_looked_at) {
    for (std::uint64_t i = blocks_looked_at; i < count; ++i) look(i);
  }
  return most;
}

double mean_log(const AxisGrid& a) {
  const auto part = [](std::uint64_t length) {
    return static_cast<double>(length) * std::log2(static_cast<double>(length));
  };
  double total = 0;
  if (a.is_listed()) {
    for (std::uint64_t i = 0; i < a.count(); ++i) total += part(a.block(i).length());
  } else {
    const std::uint64_t count = a.count();
    total = part(a.block(0).length());
    if (count > 1) total += part(a.block(count - 1).length());
    if (count > 2) total += static_cast<double>(count - 2) * part(a.step());
  }
  return total / static_cast<double>(a.length());
}

double mean_log(const AxisGrid& a, const AxisGrid& b) {
  if (is_nested(a, b)) return mean_log(a);
  if (is_nested(b, a)) return mean_log(b);
  double total = 0;
  std::uint64_t place = 0;
  for (std::uint64_t i = 0; place < a.length() && i < blocks_summed; ++i) {
    const std::uint64_t end = std::min(a.block(a.at(place)).end, b.block(b.at(place)).end);
    const auto length = static_cast<double>(end - place);
    total += length * std::log2(length);
    place = end;
  }
  return total / static_cast<double>(place);
}

}  // namespace faro::inline v1::disk
