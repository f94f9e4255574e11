#include "faro/schedules/map_goal.hpp"

#include <fmt/format.h>

#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {

MapGoal map_goal_from(std::string_view text, const Machine& machine,
                      std::optional<std::uint64_t> elements) {
  const std::optional<int> bits = address_bits(machine);
  if (!bits)
    throw Error(ErrorCode::impossible,
                fmt::format("a map moves bits of the processor number, and this machine's {} "
                            "processors are no power of two; list destinations instead",
                            to_string(processors(machine))));
  KnownSizes known;
  known.processor = *bits;
  if (elements && is_power_of_two(*elements) && *bits + log2_exact(*elements) <= word_bits)
    known.total = *bits + log2_exact(*elements);
  const Notation notation = parse_notation(text, known);
  if (notation.cut.kind == Cut::Kind::layout)
    throw Error(ErrorCode::usage,
                "a layout says where elements are and moves nothing; write X => Y, from one layout "
                "to another");
  if (notation.cut.kind == Cut::Kind::none) return {notation.map, false, 0};
  const int memory = notation.map.width() - notation.cut.processor_bits;
  if (elements && *elements != bit(memory))
    throw Error(ErrorCode::usage, fmt::format("the map has {} memory bits, 2^{} elements a "
                                              "processor, not {}",
                                              memory, memory, *elements));
  return {notation.map, true, memory};
}

}  // namespace faro::inline v1
