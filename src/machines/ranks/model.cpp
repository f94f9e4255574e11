// In the star every rank is a group of its own; cost and bound of the header are not those of the
// star.
#include "machines/ranks/model.hpp"

namespace faro::inline v1::ranks {

ScheduleHeader as_star(const ScheduleHeader& header) {
  ScheduleHeader star = header;
  star.machine = Pops{.group_size = 1, .groups = bit(std::get<Crossbar>(header.machine).bits)};
  star.cost.reset();
  star.bound.reset();
  return star;
}

}  // namespace faro::inline v1::ranks
