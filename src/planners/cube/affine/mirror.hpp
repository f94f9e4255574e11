// The symmetries of a cube, on maps and on steps. A cube looks the same with its dimensions renamed
// and its processors translated, and a schedule runs backwards; so requests come in orbits whose
// members cost the same, and one of them stands for all.
//
//   p -> A p + B s + c    and    P A P^-1,   A + B F,   B N,   c + (A + 1) a + B f,   the inverse
//
// F, N and f rearrange the memory of a processor, which is free.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1::mirrors {

// p -> renamed(p) ^ translation, bit i of p becoming bit place[i].
struct Renaming {
  std::vector<int> place;
  Word translation = 0;
  static Renaming none(int dimensions);
  // On addresses: memory bits stay.
  BitMap on_addresses(int memory_bits) const;
  Renaming back() const;
};

// The same map with other names: first back to the old ones, then the map, then to the new ones.
BitMap renamed(const BitMap& map, int memory_bits, const Renaming& names);

// Steps for a map become steps for renamed(map); for inverse(map).
void rename(CubeStep& step, const Renaming& names);
void rename(std::vector<CubeStep>& steps, const Renaming& names);
void reverse(std::vector<CubeStep>& steps);

// Steps inside processors: the slot becomes the memory part of map(address). Requires a map that
// leaves the processor bits alone.
std::vector<CubeStep> rearranging(const BitMap& map, int memory_bits);

// The member of the orbit that stands for all, and how a map is got from it: rearrange by `before`
// in every processor, then the representative, then rename back, then rearrange by `after`; all of
// that backwards if `reversed`.
struct Representative {
  BitMap map;
  bool reversed = false;
  BitMap before;   // on addresses, processor bits alone
  Renaming names;  // of the map's processors, to the representative's
  BitMap after;
};
Representative representative(const BitMap& map, int memory_bits);
// Steps for the representative become steps for the map.
std::vector<CubeStep> taken_back(const Representative& whole, std::vector<CubeStep> steps,
                                 int memory_bits);

}  // namespace faro::inline v1::mirrors
