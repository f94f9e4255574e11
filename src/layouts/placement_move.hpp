// From one placement to another: what each device keeps, sends and receives, exactly.
//
// x:3 -> x[2:1] | x[0]   to   x:3 -> x[1:0] | x[2]     each of 4 devices keeps 1 of its 2
// elements
//                                                       or none, and receives the rest
//
// Where the source has copies, an element that is on its device already does not move; another
// comes
// from the copy whose device agrees with the destination in the bits that tell the copies apart.
// Nothing is enumerated but the devices: the counts are sizes of affine subspaces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

// In elements; times the bytes of one they are bytes.
struct Traffic {
  Count kept = 0;      // on their device already, all devices together
  Count received = 0;  // the least that the network must deliver, and what it is
  // By device, where there are at most 2^16.
  std::vector<std::uint64_t> kept_by_device;
  std::vector<std::uint64_t> sent_by_device;
  std::vector<std::uint64_t> received_by_device;
};

class PlacementMove {
 public:
  // Throws Error(usage) where the two have different numbers of elements. Of different numbers of
  // devices, those with the same number are the same: 4 of the 8 that follow.
  PlacementMove(Placement from, Placement to);

  const Placement& from() const { return from_; }
  const Placement& to() const { return to_; }
  // Place to place, cut at the devices; nothing where copies are made or dropped, or where the
  // numbers of devices differ.
  std::optional<Notation> map() const;
  // The same, throwing NotExpressible(replicated), or (uneven), with the exact counts.
  Notation map_or_refuse() const;
  Traffic traffic() const;

 private:
  Placement from_;
  Placement to_;
};

}  // namespace faro::inline v1
