// How one axis is cut, and what two ways of cutting it have in common.
//
//   length 10 in steps of 4:              0 4 8 10        blocks of 4, 4, 2
//   the same, reversed:                   0 2 6 10        blocks of 2, 4, 4
//   with steps of 6 (0 6 10):             meets 0 4 6 8 10, four of them; common cuts inside: none
//
// A regular grid is an offset and a step, so that all that is asked here takes a formula, whatever
// the length; the common cuts are a congruence. Grids of listed cuts (rectilinear ones) are counted
// by their lists. The ends 0 and n are cuts of every grid, so a short last block changes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace faro::inline v1::disk {

struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t length() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

class AxisGrid {
 public:
  AxisGrid() = default;  // of length 1
  // Requires length >= 1; a step beyond it is the whole axis. Reversed, the short block is first.
  static AxisGrid regular(std::uint64_t length, std::uint64_t step, bool reversed = false);
  // The first cut at `offset`, 1 <= offset <= step.
  static AxisGrid shifted(std::uint64_t length, std::uint64_t step, std::uint64_t offset);
  // Requires ascending cuts strictly between 0 and length.
  static AxisGrid listed(std::uint64_t length, std::vector<std::uint64_t> cuts);

  std::uint64_t length() const { return length_; }
  std::uint64_t count() const;
  std::uint64_t step() const { return step_; }  // the longest block, or what it would be
  std::uint64_t offset() const { return offset_; }
  bool is_listed() const { return cuts_ != nullptr; }
  Interval block(std::uint64_t i) const;
  std::uint64_t at(std::uint64_t place) const;
  // Numbers of the blocks that a nonempty interval meets.
  Interval meeting(const Interval& where) const { return {at(where.begin), at(where.end - 1) + 1}; }
  bool is_cut(std::uint64_t place) const;  // strictly inside
  const std::vector<std::uint64_t>& cuts() const { return *cuts_; }

  friend bool operator==(const AxisGrid& a, const AxisGrid& b);

 private:
  std::uint64_t length_ = 1;
  std::uint64_t step_ = 1;
  std::uint64_t offset_ = 1;
  std::shared_ptr<const std::vector<std::uint64_t>> cuts_;
};

// All of grids of equal length.
std::uint64_t common_cuts(const AxisGrid& a, const AxisGrid& b);  // inside
std::uint64_t meets(const AxisGrid& a, const AxisGrid& b);        // pieces between cuts of either
// Every block of a lies in one block of b.
bool is_nested(const AxisGrid& a, const AxisGrid& b);
// The longest stretch without a common cut: what one pass must hold on this axis.
std::uint64_t longest_component(const AxisGrid& a, const AxisGrid& b);
// The sum over blocks of `tile` of the lengths of the blocks of a that meet them.
std::uint64_t cover(const AxisGrid& a, const AxisGrid& tile);
// The most blocks of a that one block of `tile` meets, and the most that those span. Exact up to
// some thousand blocks in a period, else at most one more.
struct MostMet {
  std::uint64_t blocks = 1;
  std::uint64_t span = 1;
};
MostMet most_met(const AxisGrid& a, const AxisGrid& tile);
// The mean over the places of log2 of the length of their block; of their meet.
double mean_log(const AxisGrid& a);
double mean_log(const AxisGrid& a, const AxisGrid& b);

}  // namespace faro::inline v1::disk
