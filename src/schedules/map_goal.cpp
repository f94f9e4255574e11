#include "schedules/map_goal.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "layouts/foreign.hpp"

namespace faro::inline v1 {
namespace {

int processor_bits(const Machine& machine) {
  if (const std::optional<int> bits = address_bits(machine)) return *bits;
  throw Error(ErrorCode::impossible,
              fmt::format("a map moves bits of the processor number, and this machine's {} "
                          "processors are no power of two; list destinations instead",
                          to_string(processors(machine))));
}

}  // namespace

Sizes sizes_on(std::string_view words, const Machine& machine,
               std::optional<std::uint64_t> elements,
               const std::optional<std::vector<Word>>& shape) {
  const int bits = processor_bits(machine);
  Sizes sizes;
  sizes.shape = shape;
  if (shape) return sizes;
  if (bits < word_bits) sizes.processors = bit(bits);
  // The words of a system say their sizes themselves.
  if (!elements || *elements == 0 || is_foreign(words)) return sizes;
  const Count total = Count{*elements} << static_cast<unsigned>(bits);
  if (total <= Count{1} << static_cast<unsigned>(word_bits)) sizes.elements = total;
  return sizes;
}

MapGoal goal_of(const Said& said, const Machine& machine, std::optional<std::uint64_t> elements) {
  const int bits = processor_bits(machine);
  if (said.cut.kind == Cut::Kind::layout)
    throw Error(ErrorCode::usage,
                "a layout says where elements are and moves nothing; write X => Y, from one layout "
                "to another");
  const Notation notation = said.as_bits();
  const int width = notation.map.width();
  const bool cut = notation.cut.kind == Cut::Kind::both;
  if (!cut && width <= bits) return {notation.map, false, 0};
  const int memory = width - (cut ? notation.cut.processor_bits : bits);
  if (elements && *elements != bit(memory))
    throw Error(ErrorCode::usage, fmt::format("the map has {} memory bits, 2^{} elements a "
                                              "processor, not {}",
                                              memory, memory, *elements));
  return {notation.map, true, memory};
}

MapGoal map_goal_from(std::string_view words, const Machine& machine,
                      std::optional<std::uint64_t> elements) {
  return goal_of(say(words, sizes_on(words, machine, elements)), machine, elements);
}

}  // namespace faro::inline v1
