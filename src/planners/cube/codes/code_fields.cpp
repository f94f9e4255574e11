// Fields are read off the rows from the top bit down: a row of one bit begins a field, and those
// below it must be rows of one direction.
#include "planners/cube/codes/code_fields.hpp"

#include <fmt/format.h>

#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

// Fields by rows: in a field, row j is {j} joined with row j+1 (Gray to binary) or {j, j+1} (back).
std::optional<std::vector<CodeField>> fields_of(const BitMap& map, Direction direction) {
  std::vector<CodeField> fields;
  int top = -1;
  for (int j = map.width() - 1; j >= 0; --j) {
    const Word row = map.matrix().row(j);
    if (row == bit(j)) {
      top = j;
      fields.push_back({.lo = j, .length = 1});
      continue;
    }
    if (top < 0) return {};
    const Word wanted = direction == Direction::forward ? bit_range(j, top) : bit_range(j, j + 1);
    if (row != wanted) return {};
    fields.back() = {.lo = j, .length = top - j + 1};
  }
  return fields;
}

}  // namespace

std::optional<CodeConversion> code_conversion(const BitMap& map) {
  if (map.complement() != 0) return {};
  for (const Direction direction : {Direction::forward, Direction::inverse})
    if (auto fields = fields_of(map, direction))
      return CodeConversion{std::move(*fields), direction};
  return {};
}

std::vector<CodeField> CodeConversion::working_fields() const {
  std::vector<CodeField> working;
  for (const CodeField& f : fields)
    if (f.length >= 2) working.push_back(f);
  return working;
}

std::optional<std::string> conversion_refusal(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request, ports)) return why;
  const auto split = split_map(request);
  if (!split || !code_conversion(split->processors))
    return "the map is not a conversion between Gray and binary code of fields of processor bits";
  return {};
}

std::optional<std::string> one_field_refusal(const Request& request, int length_min) {
  if (auto why = conversion_refusal(request, Hypercube::Ports::all)) return why;
  const auto working = conversion_of(request).working_fields();
  if (working.size() != 1)
    return fmt::format("it converts one field of two bits or more; the map has {}", working.size());
  if (working[0].length < length_min)
    return fmt::format("its field has {} bits or more; this one has {}", length_min,
                       working[0].length);
  return {};
}

CodeConversion conversion_of(const Request& request) {
  return *code_conversion(split_map(request)->processors);
}

CodeField field_of(const Request& request) {
  return conversion_of(request).working_fields()[0];
}

Offer conversion_offer(const Request& request, std::string_view planner, Node node,
                       std::string formula, std::optional<PaperCount> paper) {
  return offer_of(request, planner, directed(std::move(node), conversion_of(request).direction),
                  std::move(formula), std::move(paper));
}

}  // namespace faro::inline v1
