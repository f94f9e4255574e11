// Where the processors of a machine stand in a picture, and its links.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/base/limits.hpp"
#include "faro/schedules/steps.hpp"
#include "pictures/figure.hpp"

namespace faro::inline v1::pictures {

struct Point {
  double x = 0;
  double y = 0;
};

// cube: little cubes of three dimensions, in a grid. mesh: a grid, dimensions above two
// as grids beside each other. POPS: senders at the left, receivers at the right, couplers between.
// A switch: a ring.
struct MachineDrawing {
  double width = 0;
  double height = 0;
  std::vector<Point> senders;                  // by processor
  std::vector<Point> receivers;                // the same points, but on POPS
  std::vector<Point> couplers;                 // POPS: by to_group * groups + from_group
  std::vector<std::pair<Point, Point>> links;  // drawn faintly
};

constexpr double disc_radius = 11;

// Throws Error(limit) above `processors_max`.
MachineDrawing machine_drawing(const Machine& machine,
                               std::uint64_t processors_max = limits::drawn_processors_max);

}  // namespace faro::inline v1::pictures
