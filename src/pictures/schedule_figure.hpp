// Pictures of a schedule: how busy its links are step by step, and the machine at work.
//
//   to_svg(schedule_figure([&](ScheduleSink& sink) { plan.push(sink); }, {}))
//   to_svg(schedule_figure(push, {.what = SchedulePicture::machine, .step = 3}))
#pragma once

#include <cstdint>
#include <functional>

#include "faro/schedules/schedule.hpp"
#include "pictures/figure.hpp"

namespace faro::inline v1 {

// links: a row a dimension, direction or coupler, a column a step, dark where more of the links are
// used; of cubes of any size, of other machines up to 2^22 processors. machine: the processors and
// what travels in one step; steps: every step so, small. Both up to 2^8 processors. places: a row a
// place (processor, slot), a column a step, a line for what moves, and a crossing for each
// butterfly; up to 2^7 places.
enum class SchedulePicture { links, machine, steps, places };

struct SchedulePictureOptions {
  SchedulePicture what = SchedulePicture::links;
  std::uint64_t step = 0;  // of machine: counted from 0
};

// `push` pushes the whole schedule into the sink. Throws Error(limit) for what is too large,
// Error(usage) for a step that there is not.
Figure schedule_figure(const std::function<void(ScheduleSink&)>& push,
                       const SchedulePictureOptions& options);

}  // namespace faro::inline v1
