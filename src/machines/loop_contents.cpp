// Answers about contents, each found once and looked up from then on.
#include "machines/loop_contents.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "machines/pieces.hpp"

namespace faro::inline v1::loop_proofs {
namespace {

std::uint64_t both(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32U | b;
}

}  // namespace

ContentId Contents::of(SpaceId where, std::vector<Parity> rows) {
  std::vector<Word> key = {where};
  for (const Parity& row : rows) {
    key.push_back(row.mask);
    key.push_back(row.value);
  }
  const auto [known, fresh] =
      known_.emplace(std::move(key), static_cast<ContentId>(contents_.size()));
  if (fresh) contents_.push_back({where, std::move(rows)});
  return known->second;
}

WayId Contents::along(const std::vector<Parity>& to) {
  const auto known = std::find(ways_.begin(), ways_.end(), to);
  const auto number = static_cast<int>(known - ways_.begin());
  if (known == ways_.end()) ways_.push_back(to);
  return flip(width_ + number);
}

SpaceId Contents::landing(SpaceId where, WayId way) {
  if (way == stay) return where;
  const auto dimension = static_cast<int>(way) - 1;
  if (dimension < width_) return spaces_.shifted(where, dimension);
  const std::vector<Parity>& to = ways_[static_cast<std::size_t>(dimension - width_)];
  return spaces_.of(image_of(spaces_.at(where), to).space);
}

std::optional<ContentId> Contents::inside(ContentId id, SpaceId set) {
  const SpaceId whole = where(id);
  if (whole == set) return id;
  const std::uint64_t key = both(id, set);
  if (const auto known = inside_.find(key); known != inside_.end()) return known->second;
  std::optional<ContentId> part;
  const AffineSpace common = spaces_.at(whole).meet(spaces_.at(set));
  if (!common.empty()) part = of(spaces_.of(common), reduced_on(common, rows(id)));
  inside_.emplace(key, part);
  return part;
}

const std::vector<ContentId>& Contents::outside(ContentId id, SpaceId set) {
  const std::uint64_t key = both(id, set);
  if (const auto known = outside_.find(key); known != outside_.end()) return known->second;
  std::vector<ContentId> parts;
  for (const AffineSpace& part : spaces_.at(where(id)).minus(spaces_.at(set)))
    parts.push_back(of(spaces_.of(part), reduced_on(part, rows(id))));
  return outside_.emplace(key, std::move(parts)).first->second;
}

ContentId Contents::carried(ContentId id, WayId way) {
  if (way == stay) return id;
  const std::uint64_t key = both(id, way);
  if (const auto known = carried_.find(key); known != carried_.end()) return known->second;
  const auto dimension = static_cast<int>(way) - 1;
  ContentId there = 0;
  if (dimension < width_) {
    std::vector<Parity> moved = rows(id);
    for (Parity& row : moved) row.value ^= has_bit(row.mask, dimension) ? 1U : 0U;
    const SpaceId region = spaces_.shifted(where(id), dimension);
    moved = reduced_on(spaces_.at(region), moved);
    there = of(region, std::move(moved));
  } else {
    const AffineSpace& from = spaces_.at(where(id));
    auto moved =
        faro::Piece{from, rows(id)}.carried(ways_[static_cast<std::size_t>(dimension - width_)]);
    there = of(spaces_.of(moved.where), std::move(moved.origin));
  }
  carried_.emplace(key, there);
  return there;
}

void Contents::merge(std::vector<Filling>& fillings) {
  std::sort(fillings.begin(), fillings.end(),
            [](const Filling& a, const Filling& b) { return a.what < b.what; });
  if (fillings.size() < 2) return;
  // Fillings with the same numbers have one tag, that of the first of them.
  std::vector<Word> key;
  std::vector<std::size_t> tags;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::size_t> seen;
  for (const Filling& filling : fillings) {
    const auto numbers = std::tuple(filling.first.base, filling.first.slope, filling.stride);
    tags.push_back(seen.emplace(numbers, tags.size()).first->second);
    key.push_back(both(filling.what, static_cast<std::uint32_t>(tags.back())));
  }
  auto known = merged_.find(key);
  if (known == merged_.end()) {
    Partition partition;
    for (std::size_t i = 0; i < fillings.size(); ++i)
      partition.add(
          {spaces_.at(where(fillings[i].what)), rows(fillings[i].what), static_cast<int>(tags[i])});
    partition.merge();
    std::vector<Tagged> whole;
    for (const auto& piece : partition.pieces())
      whole.push_back(
          {of(spaces_.of(piece.where), piece.origin), static_cast<std::size_t>(piece.tag)});
    known = merged_.emplace(std::move(key), std::move(whole)).first;
  }
  if (known->second.size() == fillings.size()) return;
  std::vector<Filling> result;
  for (const Tagged& part : known->second)
    result.push_back({part.what, fillings[part.like].first, fillings[part.like].stride});
  std::sort(result.begin(), result.end(),
            [](const Filling& a, const Filling& b) { return a.what < b.what; });
  fillings = std::move(result);
}

}  // namespace faro::inline v1::loop_proofs
