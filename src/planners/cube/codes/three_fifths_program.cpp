// Programs in order, and counted.
#include "planners/cube/codes/three_fifths_program.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/working.hpp"

namespace faro::inline v1::three_fifths {

void sort(Program& program) {
  still_working();
  std::sort(program.entries.begin(), program.entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(a.step, a.source, a.element) < std::tuple(b.step, b.source, b.element);
  });
}

std::uint64_t busy_steps(const Program& program) {
  std::uint64_t busy = 0;
  std::optional<std::uint32_t> last;
  for (const Entry& e : program.entries)
    if (last != e.step) {
      last = e.step;
      ++busy;
    }
  return busy;
}

}  // namespace faro::inline v1::three_fifths
