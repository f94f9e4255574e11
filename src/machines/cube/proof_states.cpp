// Partitions and questions are looked up by the numbers that they are made of.
#include "machines/cube/proof_states.hpp"

#include <utility>

#include "faro/base/limits.hpp"

namespace faro::inline v1::cube_proof_states {
namespace {

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32U | b;
}

// What is looked up may be found again; a table is emptied before it grows large.
template <class Table, class Key, class Value>
void remember(Table& table, Key&& key, const Value& value) {
  if (table.size() >= limits::proof_states_max) table.clear();
  table.emplace(std::forward<Key>(key), value);
}

std::vector<Word> numbers_of(const std::vector<Parity>& parities) {
  std::vector<Word> numbers;
  numbers.reserve(2 * parities.size());
  for (const Parity& p : parities) {
    numbers.push_back(p.mask);
    numbers.push_back(p.value);
  }
  return numbers;
}

std::vector<Word> numbers_of(const Partition& partition) {
  std::vector<Word> numbers;
  for (const Piece& piece : partition.pieces()) {
    numbers.push_back(piece.where.constraints().size() | static_cast<Word>(piece.tag) << 32U);
    for (const auto* parities : {&piece.where.constraints(), &piece.origin})
      for (const Parity& p : *parities) {
        numbers.push_back(p.mask);
        numbers.push_back(p.value);
      }
  }
  return numbers;
}

}  // namespace

std::size_t Numbers::operator()(const std::vector<Word>& numbers) const {
  std::uint64_t hash = numbers.size();
  for (const Word n : numbers) {
    hash = (hash ^ n) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

SpaceId Spaces::of(const std::vector<Parity>& where) {
  std::vector<Word> key = numbers_of(where);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const auto id = static_cast<SpaceId>(spaces_.size());
  AffineSpace space = AffineSpace::where(width_, where);
  const Count size = size_of(space);
  spaces_.push_back({std::move(space), size});
  known_.emplace(std::move(key), id);
  return id;
}

SpaceId Spaces::point(Word processor) {
  std::vector<Parity> bits;
  for (int i = width_ - 1; i >= 0; --i) bits.push_back({bit(i), has_bit(processor, i) ? 1U : 0U});
  return of(bits);
}

SpaceId Spaces::shifted(SpaceId id, int across) {
  const std::uint64_t key = pair_of(id, static_cast<std::uint32_t>(across));
  if (const auto known = shifted_.find(key); known != shifted_.end()) return known->second;
  const SpaceId there = of(spaces_[id].space.shifted(bit(across)));
  remember(shifted_, key, there);
  return there;
}

std::optional<Word> Spaces::common(SpaceId a, SpaceId b, std::uint64_t& work) {
  const std::uint64_t key = a < b ? pair_of(a, b) : pair_of(b, a);
  if (const auto known = common_.find(key); known != common_.end()) return known->second;
  ++work;
  const AffineSpace both = spaces_[a].space.meet(spaces_[b].space);
  const auto first = both.empty() ? std::nullopt : std::optional<Word>(both.first());
  remember(common_, key, first);
  return first;
}

void Spaces::forget() {
  spaces_.clear();
  known_.clear();
  shifted_.clear();
  common_.clear();
}

States::States(int dimensions, int slot_bits) : slot_bits_(slot_bits) {
  states_.emplace_back();  // nothing
  known_.emplace(std::vector<Word>{}, nothing);
  std::vector<Parity> origin(static_cast<std::size_t>(slot_bits + dimensions));
  for (int i = 0; i < dimensions; ++i)
    origin[static_cast<std::size_t>(slot_bits + i)].mask = bit(i);
  Partition everybody;
  everybody.add({AffineSpace::everything(dimensions), std::move(origin)});
  own_ = intern(std::move(everybody));
}

StateId States::intern(Partition partition) {
  std::vector<Word> key = numbers_of(partition);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const auto id = static_cast<StateId>(states_.size());
  pieces_ += partition.pieces().size();
  states_.push_back(std::move(partition));
  known_.emplace(std::move(key), id);
  return id;
}

void States::translate(Piece& piece, Translation by) const {
  for (std::size_t i = 0; i < piece.origin.size(); ++i) {
    const int row = static_cast<int>(i);
    const bool flip =
        row < slot_bits_ ? has_bit(by.slot, row) : has_bit(by.processor, row - slot_bits_);
    if (flip) piece.origin[i].value ^= 1U;
  }
}

// Makes the constants of the first piece zeros, and says what they were.
Translation States::normalise(std::vector<Piece>& pieces) const {
  Translation by;
  if (pieces.empty()) return by;
  const std::vector<Parity>& first = pieces.front().origin;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].value == 0) continue;
    const int row = static_cast<int>(i);
    if (row < slot_bits_)
      by.slot |= bit(row);
    else
      by.processor |= bit(row - slot_bits_);
  }
  for (Piece& piece : pieces) translate(piece, by);
  return by;
}

Held States::of(std::vector<Piece> pieces) {
  const Translation by = normalise(pieces);
  Partition state;
  for (Piece& piece : pieces) state.add(std::move(piece));
  return {intern(std::move(state)), by};
}

Partition States::all(const Held& held) const {
  Partition result;
  for (Piece piece : states_[held.state].pieces()) {
    translate(piece, held.by);
    result.add(std::move(piece));
  }
  return result;
}

Count States::held(StateId state, SpaceId where, Spaces& spaces, std::uint64_t& work) {
  const std::uint64_t key = pair_of(state, where);
  if (const auto known = held_.find(key); known != held_.end()) return known->second;
  work += states_[state].pieces().size();
  const Count sum = states_[state].covered(spaces.at(where));
  remember(held_, key, sum);
  return sum;
}

Held States::after(const Held& target, const std::vector<Write>& writes, Spaces& spaces,
                   std::uint64_t& work) {
  std::vector<Word> key = {target.state};
  for (const Write& write : writes) {
    const Translation between = write.source.by ^ target.by;
    for (const Word number :
         {Word{write.where}, write.by, Word{write.source.state}, between.slot, between.processor})
      key.push_back(number);
  }
  if (const auto known = after_.find(key); known != after_.end())
    return {known->second.state, known->second.by ^ target.by};
  Partition result = states_[target.state];
  for (const Write& write : writes) {
    work += result.pieces().size();
    result.erase(spaces.at(write.region));
  }
  for (const Write& write : writes) {
    work += states_[write.source.state].pieces().size();
    for (const Piece& piece : states_[write.source.state].inside(spaces.at(write.where))) {
      Piece moved = write.by == 0 ? piece : piece.shifted(write.by);
      translate(moved, write.source.by ^ target.by);
      result.add(std::move(moved));
    }
  }
  work += result.pieces().size();
  result.merge();
  const Held made = of(result.pieces());
  remember(after_, std::move(key), made);
  return {made.state, made.by ^ target.by};
}

Count States::right(const Held& held, const std::vector<Parity>& rows, Translation constants) {
  const Translation between = constants ^ held.by;
  std::vector<Word> key = {held.state, between.slot, between.processor};
  if (const auto known = right_.find(key); known != right_.end()) return known->second;
  Count sum = 0;
  for (const Piece& piece : states_[held.state].pieces()) {
    Piece wanted{piece.where, reduced_on(piece.where, rows)};
    translate(wanted, between);
    AffineSpace same = piece.where;  // where both say the same origin
    for (std::size_t i = 0; i < wanted.origin.size(); ++i)
      if (wanted.origin[i] != piece.origin[i])
        same = same.meet(Parity{wanted.origin[i].mask ^ piece.origin[i].mask,
                                wanted.origin[i].value ^ piece.origin[i].value});
    sum += size_of(same);
  }
  remember(right_, std::move(key), sum);
  return sum;
}

std::optional<std::vector<unsigned>> States::origin(const Held& held, Word processor) const {
  const Piece* piece = states_[held.state].at(processor);
  if (piece == nullptr) return {};
  Piece translated = *piece;
  translate(translated, held.by);
  std::vector<unsigned> bits;
  for (const Parity& row : translated.origin)
    bits.push_back(parity(processor & row.mask) ^ row.value);
  return bits;
}

std::vector<StateId> States::forget(std::vector<bool> used) {
  used[nothing] = used[own_] = true;
  std::vector<StateId> numbers(states_.size(), nothing);
  std::vector<Partition> kept;
  pieces_ = 0;
  known_.clear();
  for (std::size_t id = 0; id < states_.size(); ++id) {
    if (!used[id]) continue;
    numbers[id] = static_cast<StateId>(kept.size());
    pieces_ += states_[id].pieces().size();
    known_.emplace(numbers_of(states_[id]), numbers[id]);
    kept.push_back(std::move(states_[id]));
  }
  states_ = std::move(kept);
  own_ = numbers[own_];
  after_.clear();
  held_.clear();
  right_.clear();
  return numbers;
}

}  // namespace faro::inline v1::cube_proof_states
