#include "planners/cube/affine/mirror.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/words_less.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1::mirrors {
namespace {

Word placed(Word bits, const std::vector<int>& place) {
  Word moved = 0;
  for (; bits != 0; bits &= bits - 1)
    moved |= bit(place[static_cast<std::size_t>(lowest_bit(bits))]);
  return moved;
}

// A map's processor part: p -> A p + B s + c.
struct Parts {
  std::vector<Word> a;  // columns
  std::vector<Word> b;
  Word c = 0;
};

Parts parts_of(const BitMap& map, int memory_bits) {
  Parts parts;
  for (int i = 0; i < map.width(); ++i)
    (i < memory_bits ? parts.b : parts.a).push_back(map.column(i) >> memory_bits);
  parts.c = map.complement() >> memory_bits;
  return parts;
}

// What the free rearrangements and the translations leave of the parts, under one order of names.
struct Key {
  std::vector<Word> b;  // a reduced basis of its columns' span
  std::vector<Word> a;  // columns modulo b
  Word c = 0;           // modulo b and what translations add
  bool operator<(const Key& other) const {
    if (b != other.b) return WordsLess{}(b, other.b);
    if (a != other.a) return WordsLess{}(a, other.a);
    return c < other.c;
  }
};

Key key_of(const Parts& parts, const std::vector<int>& place) {
  Key key;
  std::vector<Word> moved;
  for (const Word column : parts.b) moved.push_back(placed(column, place));
  key.b = reduced_basis(moved);
  key.a.resize(parts.a.size());
  std::vector<Word> shifts = key.b;
  for (std::size_t i = 0; i < parts.a.size(); ++i) {
    const auto to = static_cast<std::size_t>(place[i]);
    key.a[to] = reduce(placed(parts.a[i], place), key.b);
    shifts.push_back(key.a[to] ^ bit(place[i]));
  }
  key.c = reduce(placed(parts.c, place), reduced_basis(shifts));
  return key;
}

// The least key among all orders, and its order.
std::pair<Key, std::vector<int>> least_key(const Parts& parts) {
  std::vector<int> place(parts.a.size());
  std::iota(place.begin(), place.end(), 0);
  std::optional<std::pair<Key, std::vector<int>>> least;
  do {
    Key key = key_of(parts, place);
    if (!least || key < least->first) least.emplace(std::move(key), place);
  } while (std::next_permutation(place.begin(), place.end()));
  return *least;
}

// A map of the key's processor part. Its memory part tells apart what the processor part does not.
BitMap map_of(const Key& key, int memory_bits) {
  const auto n = static_cast<int>(key.a.size());
  std::vector<Word> columns(static_cast<std::size_t>(memory_bits), 0);
  std::copy(key.b.begin(), key.b.end(), columns.begin());
  columns.insert(columns.end(), key.a.begin(), key.a.end());
  const std::vector<Word> kernel = BitMatrix::from_columns(n, columns).kernel();
  for (Word& column : columns) column <<= memory_bits;
  for (std::size_t j = 0; j < kernel.size(); ++j)
    columns[static_cast<std::size_t>(highest_bit(kernel[j]))] |= bit(static_cast<int>(j));
  return BitMap::from_columns(columns, key.c << memory_bits);
}

// Addresses (p, s) to (p, s') such that the key's map of (names(p), s') is names(q).
BitMap before_of(const Parts& parts, const Key& key, const Renaming& names, int memory_bits) {
  const auto n = static_cast<int>(parts.a.size());
  const auto key_map = [&key](Word p) {
    Word q = key.c;
    for (; p != 0; p &= p - 1) q ^= key.a[static_cast<std::size_t>(lowest_bit(p))];
    return q;
  };
  // What memory must add, in coordinates of the basis: its leading bits.
  const auto wanted = [&](Word difference) {
    Word slot = 0;
    for (std::size_t j = 0; j < key.b.size(); ++j)
      if (has_bit(difference, highest_bit(key.b[j]))) {
        difference ^= key.b[j];
        slot |= bit(static_cast<int>(j));
      }
    FARO_CHECK(difference == 0);
    return slot;
  };
  const Word start = names.translation;
  const Word constant = wanted(placed(parts.c, names.place) ^ names.translation ^ key_map(start));
  std::vector<Word> columns;
  std::vector<Word> span;  // of what the memory bits give
  for (const Word column : parts.b) {
    columns.push_back(wanted(placed(column, names.place)));
    span.push_back(columns.back());
  }
  // The other slot bits: memory bits that the first ones do not tell apart.
  const std::vector<Word> kernel =
      BitMatrix::from_columns(memory_bits, std::span<const Word>(columns)).kernel();
  for (std::size_t j = 0; j < kernel.size(); ++j)
    columns[static_cast<std::size_t>(highest_bit(kernel[j]))] |=
        bit(static_cast<int>(key.b.size() + j));
  for (int i = 0; i < n; ++i) {
    const Word to = bit(names.place[static_cast<std::size_t>(i)]);
    columns.push_back(bit(memory_bits + i) |
                      wanted(placed(parts.a[static_cast<std::size_t>(i)], names.place) ^
                             key_map(to) ^ key_map(0)));
  }
  return BitMap::from_columns(columns, constant);
}

// a such that the key's map is the parts', renamed and translated by a, but for memory.
Word translation_of(const Parts& parts, const Key& key, const std::vector<int>& place) {
  const auto n = static_cast<int>(parts.a.size());
  std::vector<Word> columns;
  for (int i = 0; i < n; ++i) columns.push_back(key.a[static_cast<std::size_t>(i)] ^ bit(i));
  columns.insert(columns.end(), key.b.begin(), key.b.end());
  // n + r columns, r <= n of memory.
  const auto solved = BitMatrix::from_columns(n, columns).solve(placed(parts.c, place) ^ key.c);
  FARO_CHECK(solved.has_value());
  return *solved & low_mask(n);
}

}  // namespace

BitMap Renaming::on_addresses(int memory_bits) const {
  std::vector<int> all(static_cast<std::size_t>(memory_bits));
  std::iota(all.begin(), all.end(), 0);
  for (const int to : place) all.push_back(memory_bits + to);
  return BitMap::from_places(all, translation << memory_bits);
}

Renaming Renaming::none(int dimensions) {
  Renaming same{std::vector<int>(static_cast<std::size_t>(dimensions)), 0};
  std::iota(same.place.begin(), same.place.end(), 0);
  return same;
}

Renaming Renaming::back() const {
  Renaming inverse{std::vector<int>(place.size()), 0};
  for (std::size_t i = 0; i < place.size(); ++i) {
    inverse.place[static_cast<std::size_t>(place[i])] = static_cast<int>(i);
    if (has_bit(translation, place[i])) inverse.translation |= bit(static_cast<int>(i));
  }
  return inverse;
}

BitMap renamed(const BitMap& map, int memory_bits, const Renaming& names) {
  const BitMap to = names.on_addresses(memory_bits);
  return then(then(to.inverse(), map), to);
}

void rename(CubeStep& step, const Renaming& names) {
  for (Rule& rule : step.rules) {
    for (Parity& condition : rule.where) {
      condition.mask = placed(condition.mask, names.place);
      condition.value ^= parity(condition.mask & names.translation);
    }
    if (rule.across != inside) rule.across = names.place[static_cast<std::size_t>(rule.across)];
  }
  for (Move& move : step.moves) {
    move.from_processor = placed(move.from_processor, names.place) ^ names.translation;
    move.to_processor = placed(move.to_processor, names.place) ^ names.translation;
  }
}

void rename(std::vector<CubeStep>& steps, const Renaming& names) {
  for (CubeStep& step : steps) rename(step, names);
}

void reverse(std::vector<CubeStep>& steps) {
  std::reverse(steps.begin(), steps.end());
  for (CubeStep& step : steps) invert(step);
}

std::vector<CubeStep> rearranging(const BitMap& map, int memory_bits) {
  if (memory_bits == 0) return {};
  SplitMap slots;
  std::vector<Word> columns;
  for (int i = 0; i < memory_bits; ++i) columns.push_back(map.column(i));
  slots.slots = BitMap::from_columns(columns, map.complement());
  for (int i = 0; i < memory_bits; ++i) slots.after.push_back(map.matrix().row(i) >> memory_bits);
  RecordingSink kept;
  push_slots(slots, bit(memory_bits), kept);
  return std::move(kept.cube_steps);
}

Representative representative(const BitMap& map, int memory_bits) {
  const Parts forward = parts_of(map, memory_bits);
  const Parts backward = parts_of(map.inverse(), memory_bits);
  auto least = least_key(forward);
  auto other = least_key(backward);
  Representative found;
  found.reversed = other.first < least.first;
  if (found.reversed) least = std::move(other);
  const Parts& parts = found.reversed ? backward : forward;
  const auto& [key, place] = least;
  found.map = map_of(key, memory_bits);
  found.names = {place, translation_of(parts, key, place)};
  found.before = before_of(parts, key, found.names, memory_bits);
  const BitMap names = found.names.on_addresses(memory_bits);
  const BitMap there = then(then(then(found.before, names), found.map), names.inverse());
  found.after = then(there.inverse(), found.reversed ? map.inverse() : map);
  return found;
}

std::vector<CubeStep> taken_back(const Representative& whole, std::vector<CubeStep> steps,
                                 int memory_bits) {
  std::vector<CubeStep> all = rearranging(whole.before, memory_bits);
  rename(steps, whole.names.back());
  std::move(steps.begin(), steps.end(), std::back_inserter(all));
  std::vector<CubeStep> after = rearranging(whole.after, memory_bits);
  std::move(after.begin(), after.end(), std::back_inserter(all));
  if (whole.reversed) reverse(all);
  return all;
}

}  // namespace faro::inline v1::mirrors
