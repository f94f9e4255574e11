#include "places/rank_lengths.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1::places {
namespace {

// Elements of the schedule are elements of the array where whole processors move; else units.
bool counts_elements(const RankDigits& digits) {
  return digits.moves_whole_ranks() && digits.local_elements() <= limits::cube_elements_max;
}

}  // namespace

std::uint64_t RankLengths::unit_elements() const {
  return counts_elements(digits) ? 1 : digits.unit;
}

Report RankLengths::report() const {
  Report report;
  report.row("map", text, "{}\n", text);
  report["unit_elements"] = unit_elements();
  report["slices"] = digits.slices;
  report["before"] = to_notation(digits.before);
  report["after"] = to_notation(digits.after);
  if (!counts_elements(digits))
    report.add_words(plan_line(
        "unit",
        fmt::format("{} elements that move as one{}", digits.unit,
                    digits.slices == 1
                        ? ""
                        : fmt::format(", {} slices of them, one after another", digits.slices))));
  if (digits.has_before())
    report.add_words(plan_line("before", "in each processor " + to_notation(digits.before)));
  if (digits.has_after())
    report.add_words(plan_line("after", "in each processor " + to_notation(digits.after)));
  return report;
}

std::optional<RankLengths> rank_lengths(const Said& said, const std::string& machine,
                                        std::optional<std::uint64_t> elements) {
  if (said.map.bits() != nullptr) return std::nullopt;
  if (said.cut.kind == Cut::Kind::layout)
    throw Error(ErrorCode::usage,
                "this is a layout, which says where data is; a plan moves data from one layout to "
                "another: 'LAYOUT => LAYOUT'");
  const Machine on = machine_from(machine);
  const Count count = processors(on);
  if (!address_bits(on))
    throw Error(ErrorCode::impossible,
                fmt::format("{}: between processors bits are moved, and {} processors are no power "
                            "of two",
                            machine, to_string(count)));
  if (said.cut.kind == Cut::Kind::both && count != said.cut.processors)
    throw Error(ErrorCode::usage, fmt::format("the map is cut at {} processors, {} has {}",
                                              said.cut.processors, machine, to_string(count)));
  if (count > said.map.elements())
    throw Error(ErrorCode::impossible,
                fmt::format("{} elements do not fill {}", to_string(said.map.elements()), machine));
  RankLengths result{.text = to_notation(said.map, said.cut),
                     .digits = rank_digits(said.map, static_cast<Word>(count))};
  if (elements && *elements != result.digits.local_elements())
    throw Error(ErrorCode::usage,
                fmt::format("--elements {}: the map has {} in each processor; leave it out",
                            *elements, result.digits.local_elements()));
  return result;
}

Request request_of(const RankLengths& lengths, const std::string& machine) {
  const RankDigits& digits = lengths.digits;
  const Machine on = machine_from(machine);
  if (digits.moves_whole_ranks())
    return Request::of(on, MapGoal{.map = digits.of_ranks()},
                       counts_elements(digits) ? digits.local_elements() : 1);
  return Request::of(on,
                     MapGoal{.map = digits.bits, .cut = true, .memory_bits = digits.local_bits()});
}

}  // namespace faro::inline v1::places
