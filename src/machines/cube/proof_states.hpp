// What slots hold, once for all slots that hold alike.
//
// A million elements that move alike are a million slots through the same few states: what lies in
// slot s is what lies in slot 0 with another element's number. So a state is a partition up to a
// translation, constants that are added to every origin, and what a step's rules make of a state is
// found once and looked up from then on.
//
//   slots 0..K-1 at the start:  one state, "everybody holds its own", translated by the slot
//
// Of a butterfly network rows say an element's index, all of them as rows of a processor, and the
// tags of pieces how many stages it has done.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "machines/pieces.hpp"

namespace faro::inline v1::cube_proof_states {

using SpaceId = std::uint32_t;
using StateId = std::uint32_t;

struct Numbers {
  std::size_t operator()(const std::vector<Word>& numbers) const;
};

// Sets of processors by number, and how they meet.
class Spaces {
 public:
  explicit Spaces(int width) : width_(width) {}

  SpaceId of(const std::vector<Parity>& where);
  SpaceId of(const AffineSpace& space) { return of(space.constraints()); }
  SpaceId point(Word processor);
  const AffineSpace& at(SpaceId id) const { return spaces_[id].space; }
  Count size(SpaceId id) const { return spaces_[id].size; }
  SpaceId shifted(SpaceId id, int across);
  // Some processor that is in both.
  std::optional<Word> common(SpaceId a, SpaceId b, std::uint64_t& work);

  std::size_t stored() const { return spaces_.size(); }
  void forget();

 private:
  struct Known {
    AffineSpace space;
    Count size;
  };
  int width_;
  std::vector<Known> spaces_;
  std::unordered_map<std::vector<Word>, SpaceId, Numbers> known_;
  std::unordered_map<std::uint64_t, SpaceId> shifted_;
  std::unordered_map<std::uint64_t, std::optional<Word>> common_;
};

// Constants of an origin: bit i of a word is added to row i of its slot rows or processor rows.
struct Translation {
  Word slot = 0;
  Word processor = 0;
  friend Translation operator^(Translation a, Translation b) {
    return {a.slot ^ b.slot, a.processor ^ b.processor};
  }
  friend bool operator==(const Translation&, const Translation&) = default;
};

struct Held {
  StateId state = 0;
  Translation by;
};

// One rule's write into a slot: what `source` holds at `where`, over a dimension or inside.
struct Write {
  SpaceId where = 0;
  SpaceId region = 0;  // where it lands
  Word by = 0;
  Held source;
};

class States {
 public:
  static constexpr StateId nothing = 0;

  States(int dimensions, int slot_bits);

  // Everybody's own element of this slot.
  Held own(Word slot) const { return {own_, {slot, 0}}; }
  // What these pieces are, which can be joined no further.
  Held of(std::vector<Piece> pieces);
  const Partition& at(StateId id) const { return states_[id]; }
  // The pieces of what is held.
  Partition all(const Held& held) const;
  // At how many processors of a set a state holds something.
  Count held(StateId state, SpaceId where, Spaces& spaces, std::uint64_t& work);
  // What a slot holds after a step's writes into it.
  Held after(const Held& target, const std::vector<Write>& writes, Spaces& spaces,
             std::uint64_t& work);
  // At how many processors what is held has these origins; `rows` without their constants.
  Count right(const Held& held, const std::vector<Parity>& rows, Translation constants);
  // The origin of what lies at a processor, row by row; nothing where nothing does.
  std::optional<std::vector<unsigned>> origin(const Held& held, Word processor) const;

  std::size_t pieces() const { return pieces_; }  // of all states
  std::size_t stored() const { return states_.size(); }
  // Keeps the states that are `used`, marks by number, and says how they are numbered from now on.
  std::vector<StateId> forget(std::vector<bool> used);

 private:
  StateId intern(Partition partition);
  Translation normalise(std::vector<Piece>& pieces) const;
  void translate(Piece& piece, Translation by) const;

  int slot_bits_;
  StateId own_ = 0;
  std::size_t pieces_ = 0;
  std::vector<Partition> states_;
  std::unordered_map<std::vector<Word>, StateId, Numbers> known_;
  std::unordered_map<std::vector<Word>, Held, Numbers> after_;
  std::unordered_map<std::uint64_t, Count> held_;
  std::unordered_map<std::vector<Word>, Count, Numbers> right_;
};

}  // namespace faro::inline v1::cube_proof_states
