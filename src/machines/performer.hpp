// A schedule performed on data: the simulated machine. It does what the steps say and checks
// nothing that a verifier checks; run it on schedules that are verified.
//
//   auto performer = make_performer(bytes, sizeof(double));
//   plan.push(*performer);
//   bytes = performer->take_result();
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class Performer : public ScheduleSink {
 public:
  // Element (p, s) of the machine, p·K + s, as element_bytes bytes each. Requires finish().
  virtual std::vector<std::byte> take_result() = 0;
};

// data: (processors · K) elements of element_bytes bytes, element (p, s) at position p·K + s. For
// every machine; elements that nothing moves stay where they are.
std::unique_ptr<Performer> make_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);

}  // namespace faro::inline v1
