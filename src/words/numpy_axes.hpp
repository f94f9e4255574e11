// The axes of an array whose elements an expression moves, each a list of digits.
//
// A reshape, or a roll over all axes, may leave digits that its axes would cut: np.roll(a, 1) on
// (3, 5) is a digit of 15. The shape stands all the same, and only who asks for an axis is refused.
#pragma once

#include <vector>

#include "layouts/scanner.hpp"
#include "words/forms.hpp"

namespace faro::inline v1::words {

using Shape = std::vector<Word>;

class MovedAxes {
 public:
  MovedAxes(layouts::Scanner& in, const Shape& shape);

  Forms digits() const;
  Shape shape() const;

 protected:
  using Axis = std::size_t;

  // Throws NotationError(impossible) if they would cut digits.
  std::vector<Forms>& axes();
  // Counted from the last if it is negative.
  Axis axis(std::int64_t index, std::size_t at);
  void reorder(const std::vector<Axis>& order, std::size_t at);
  void reshaped(Forms digits, Shape sides);
  // A side of -1 is what the others leave.
  void reshape_to(const std::vector<std::int64_t>& sides, bool fortran, std::size_t at);
  // Throws NotExpressible(adds).
  Forms rolled_by(const Forms& digits, Word by, Way way) const;
  Forms rolled_by(const Forms& digits, std::int64_t by) const;

 private:
  layouts::Scanner& in_;
  std::vector<Forms> axes_;
  bool is_flat_ = false;  // then these are the digits, and the axes are nobody's yet
  Forms flat_;
  Shape sides_;
};

}  // namespace faro::inline v1::words
