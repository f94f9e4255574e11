// What a goal asks to be moved, counted: how many elements start in these processors and belong in
// those. A map is counted by ranks, whatever its size; a list move by move.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::certificates {

class Demand {
 public:
  // Nothing for a goal that computes or copies, or that does not fit the machine.
  static std::optional<Demand> of(const ScheduleHeader& header);

  // Elements whose processor meets `from` and whose goal's processor meets `to`.
  Count count(std::span<const Parity> from, std::span<const Parity> to) const;
  Count moving() const;

  // The processor where an element belongs; nothing if the goal says nothing of it.
  std::optional<Word> goal_of(Word processor, std::uint64_t slot) const;
  // The same of any one of the processor's elements.
  std::optional<Word> goal_of_any(Word processor) const;
  // The goals of a processor's elements, elements that go together counted together; false if there
  // are more than 2^`log2_max` of them.
  bool spell_out(Word processor, int log2_max,
                 const std::function<void(Word to, Count elements)>& visit) const;
  // Elements that must leave a processor, or come to it.
  Count leaving(Word processor) const { return at(processor, true); }
  Count coming(Word processor) const { return at(processor, false); }

  // Projects a processor to something small by forms over GF(2), bit i of the result being
  // parity(p & forms[i]), and visits every pair that occurs with how many elements it stands for.
  using Visit = std::function<void(Word from, Word to, Count elements)>;
  void project(std::span<const Word> forms, const Visit& visit) const;
  // log2 of how many pairs a map's projection visits.
  int rank_of(std::span<const Word> forms) const {
    return static_cast<int>(pair_space(forms).basis.size());
  }

  // Elements of a map that stay in their processor, of those whose processor is projected to `to`.
  Count staying(std::span<const Word> forms, Word to) const;

  // All pairs of processors of the goal, elements that go together counted together; of at most
  // 2^`log2_max` elements, else false.
  bool spell_out(int log2_max, const Visit& visit) const;
  bool is_list() const { return moves_ != nullptr; }
  // Whether the goal says where in its processor an element ends.
  bool names_places() const { return moves_ != nullptr || memory_bits_ > 0; }

 private:
  Demand() = default;
  int width() const { return map_ == nullptr ? 0 : map_->map.width(); }
  std::vector<Parity> stay_conditions() const;
  struct PairSpace {
    Word first = 0;
    std::vector<Word> basis;
  };
  PairSpace pair_space(std::span<const Word> forms) const;
  Count at(Word processor, bool leaving) const;
  // A condition on the processor that an element starts in, and on the one it belongs in, as one on
  // the element's address.
  Parity at_start(Parity condition) const;
  Parity at_end(Parity condition) const;
  Count size_where(std::span<const Parity> conditions) const;

  const MapGoal* map_ = nullptr;
  const MovesGoal* moves_ = nullptr;
  int memory_bits_ = 0;
  Count each_ = 1;  // elements that each address of the map stands for
};

}  // namespace faro::inline v1::certificates
