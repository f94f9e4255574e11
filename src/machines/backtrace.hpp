// Where what lies somewhere at the end began, found from the end back: what a place ends with is
// what the last move into it read, before that move's step, and so on to the beginning. For proofs
// of listed moves: no place's contents are followed, so nothing here is done as replay does it.
//
//   step 0: 0 -> 1, 1 -> 0;  step 1: 1 -> 2       place 2 at the end: 1 before step 1, 0 before
//                                                 step 0: it began at 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace faro::inline v1 {

class Backtrace {
 public:
  using Place = std::uint32_t;
  static constexpr Place nowhere = ~Place{0};

  Backtrace() = default;
  explicit Backtrace(std::size_t places);

  // Something lies there at the beginning.
  void begins(Place place) { full_[place] = begun_[place] = true; }
  // Something lies there before the step whose moves are being told.
  bool holds(Place place) const { return full_[place]; }
  // All reads of a step come before its writes. False, and nothing done, if the step wrote `to`
  // before. Requires that `from` holds something.
  bool move(Place from, Place to);
  void end_step();

  std::size_t moves() const { return moves_.size(); }

  // For each end the place where what lies there began; `nowhere` if nothing does.
  std::vector<Place> starts_of(std::span<const Place> ends) const;

 private:
  struct Listed {
    Place from;
    Place to;
  };
  std::vector<bool> begun_;
  std::vector<bool> full_;
  std::vector<std::uint32_t> written_;  // the last step that wrote it, counted from 1
  std::vector<Listed> moves_;
  std::vector<std::size_t> first_of_step_ = {0};
};

}  // namespace faro::inline v1
