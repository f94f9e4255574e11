// What slots hold, as runs: slots start, start + grid, ... that go on alike. Elements of a
// processor are a billion, runs are a few dozen.
//
//   at the start, K elements:  one run {start 0, grid 1, K slots; slot i holds number 0 + 1 i}
//   slot 0 is moved to K:      {0; number 0} {1, 1, K-1 slots; numbers 1 + i} {K; number 0}
//
// In a pass over many laps, start, count and numbers are linear in the lap, t = 0 at its first. All
// that a step asks is then whether a linear form is below, at or above 0 (is this slot in that
// run?); where the answer is not the same in all laps of the pass, `Split` says from which on. So
// what a pass finds is what performing any of its laps would find.
//
// Of a machine whose moves are listed every processor is a `home`, with runs of its own; else
// there is one home, and runs have fillings: sets of processors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "faro/machines/verifier.hpp"
#include "machines/loop_contents.hpp"

namespace faro::inline v1::loop_proofs {

// The answer is another from this lap of the pass on.
struct Split {
  std::uint64_t lap = 0;
};
// Work, or strides, that the proof does not take on.
struct NoClaim {
  std::string why;
};
struct Breach {
  std::string rule;
  std::string message;
  Violation::Place at;
};

// One rule or move. Slots in lap t are from + from_by * t and to + to_by * t.
struct Item {
  Word home = 0;
  Word home_to = 0;
  SpaceId where = 0;
  SpaceId region = 0;  // where it lands
  WayId way = Contents::stay;
  std::int64_t from = 0;
  std::int64_t from_by = 0;
  std::int64_t to = 0;
  std::int64_t to_by = 0;
  std::size_t entry = 0;  // in its step
};

struct Run {
  Word home = 0;
  std::int64_t grid = 0;  // 0 of a single slot
  Linear start;
  Linear count;
  std::vector<Filling> fillings;  // in the order of contents

  bool single() const { return count == Linear{1, 0}; }
  friend bool operator==(const Run&, const Run&) = default;
};

// A total order by all but positions, then by where runs start.
bool alike(const Run& a, const Run& b);
bool before(const Run& a, const Run& b);

// How machines name what breaks their rules.
struct Names {
  const char* slot_range;
  const char* reads_empty;
  const char* two_writes;
};

class Runs {
 public:
  Runs(Contents& contents, std::uint64_t slots, std::int64_t least, Names names)
      : contents_(contents), slots_(slots), least_(least), grid_(least), names_(names) {}

  const std::vector<Run>& runs() const { return runs_; }
  // Looks them up anew. `modulus` divides all grids, and how far slots go on in a pass.
  void set(std::vector<Run> runs);
  // The runs in the order of `before`.
  std::vector<Run> sorted() const;

  // What follows is said of so many laps after the first one; 0: of one lap, numbers only.
  void over(std::uint64_t laps) { laps_ = laps; }
  int sign(Linear x) const;

  // Performs a step as of lap `lap` and on. All slots of the laps of a pass are in range.
  void perform(const std::vector<Item>& items, std::uint64_t lap);
  // Joins runs that go on in one another.
  void tidy();

  // Numbers only. Runs in residues of a grid, which is then that of new ones; residues that go on
  // alike joined to the least grid again, which then is.
  void regrid(std::int64_t grid);
  void coalesce();
  // The least common multiple with the grids of all runs; nothing above `most`.
  std::optional<std::int64_t> common_grid(std::int64_t grid, std::int64_t most) const;

  void spend(std::uint64_t work);

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Write {
    std::size_t run = none;
    Linear to;
    std::vector<Filling> fillings;
  };
  Linear position(std::int64_t slot, std::int64_t by, std::uint64_t lap, const Item& item) const;
  std::optional<Linear> place(const Run& run, Linear slot) const;
  std::size_t alone(Word home, Linear slot);
  std::size_t added(Run run);
  std::uint64_t key(Word home, Linear slot) const;
  std::vector<Filling> read(const Item& item, std::size_t run, Linear from);
  void check_writes(const std::vector<Item>& items, const std::vector<Write>& writes);

  Contents& contents_;
  std::uint64_t slots_;
  std::int64_t least_;
  std::int64_t grid_;
  Names names_;
  std::uint64_t laps_ = 0;
  std::int64_t modulus_ = 1;
  std::vector<Run> runs_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_residue_;
  std::uint64_t work_ = 0;
};

// The part of a run from `index` on, of so many slots.
Run part(const Run& run, Linear index, Linear count);

}  // namespace faro::inline v1::loop_proofs
