// What lies at a set of processors, by number: the set, and the rows that say where it began. The
// proof of loops asks the same few questions lap after lap, so each answer is found once.
//
//   everybody holds its own element:  content 0, {everywhere; origin bit i = p_i}
//   carried across dimension 1:       {everywhere; origin bit 1 = p_1 ^ 1, ...}: content 1
//
// Rows are those of the low bits of an element's number and of its processor; the rest of the
// number is an integer that goes on from slot to slot, which a `Filling` has beside its content.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "machines/cube/proof_states.hpp"

namespace faro::inline v1::loop_proofs {

using cube_proof_states::SpaceId;
using cube_proof_states::Spaces;
using ContentId = std::uint32_t;
using WayId = std::uint32_t;

// A number that goes on by `slope` from lap to lap.
struct Linear {
  std::int64_t base = 0;
  std::int64_t slope = 0;
  friend bool operator==(const Linear&, const Linear&) = default;
};

// The same of an element's number, modulo 2^64: numbers are below that, so it tells them apart.
struct Number {
  std::uint64_t base = 0;
  std::uint64_t slope = 0;
  friend bool operator==(const Number&, const Number&) = default;
};

// In slot i of a run the element of number first + stride * i, of the processors of `what`.
struct Filling {
  ContentId what = 0;
  Number first = {};
  std::uint64_t stride = 0;
  friend bool operator==(const Filling&, const Filling&) = default;
};

class Contents {
 public:
  // Processors have so many bits; no moves reach further than limits::proof_states_max answers.
  explicit Contents(int width) : width_(width), spaces_(width) {}

  Spaces& spaces() { return spaces_; }
  ContentId of(SpaceId where, std::vector<Parity> rows);
  SpaceId where(ContentId id) const { return contents_[id].where; }
  const std::vector<Parity>& rows(ContentId id) const { return contents_[id].rows; }
  Count size(ContentId id) const { return spaces_.size(where(id)); }

  // Ways that a rule takes: inside a processor, across a dimension, or to where rows say, most
  // significant bit first, which must not send two to one.
  static constexpr WayId stay = 0;
  WayId flip(int dimension) const { return static_cast<WayId>(1 + dimension); }
  WayId along(const std::vector<Parity>& to);
  SpaceId landing(SpaceId where, WayId way);

  // The part inside a set, nothing if there is none; the parts outside; and all of it, moved.
  std::optional<ContentId> inside(ContentId id, SpaceId set);
  const std::vector<ContentId>& outside(ContentId id, SpaceId set);
  ContentId carried(ContentId id, WayId way);

  // Joins what can be joined; afterwards in the order of contents. Fillings are disjoint.
  void merge(std::vector<Filling>& fillings);

  // What was found, in numbers of answers.
  std::size_t stored() const { return contents_.size() + spaces_.stored() + merged_.size(); }

 private:
  struct Content {
    SpaceId where = 0;
    std::vector<Parity> rows;
  };
  struct Tagged {
    ContentId what = 0;
    std::size_t like = 0;  // has the numbers of this one of the fillings that were merged
  };

  int width_;
  Spaces spaces_;
  std::vector<Content> contents_;
  std::unordered_map<std::vector<Word>, ContentId, cube_proof_states::Numbers> known_;
  std::vector<std::vector<Parity>> ways_;
  std::unordered_map<std::uint64_t, std::optional<ContentId>> inside_;
  std::unordered_map<std::uint64_t, std::vector<ContentId>> outside_;
  std::unordered_map<std::uint64_t, ContentId> carried_;
  std::unordered_map<std::vector<Word>, std::vector<Tagged>, cube_proof_states::Numbers> merged_;
};

}  // namespace faro::inline v1::loop_proofs
