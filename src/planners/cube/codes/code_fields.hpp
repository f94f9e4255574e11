// Fields of processor bits whose code is converted between binary and Gray.
//
//   a:3 b:1 c:2 -> ungray(a) b ungray(c)     fields {lo 3, length 3}, {lo 2, length 1}, {lo 0,
//                                            length 2}; Gray to binary
//
// Bit j of ungray(x) is the sum of the bits of x from j up; the top bit stays. A field of length 1
// is an idle dimension.
#pragma once

#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "planners/cube/nodes.hpp"

namespace faro::inline v1 {

struct CodeField {
  int lo = 0;
  int length = 1;
  int top() const { return lo + length - 1; }
  friend bool operator==(const CodeField&, const CodeField&) = default;
};

struct CodeConversion {
  std::vector<CodeField> fields;                  // from the top dimension down; they fill the cube
  Direction direction = Direction::forward;       // forward: Gray to binary, every field
  std::vector<CodeField> working_fields() const;  // those of length 2 and more
};

// Nothing if the map is no conversion of all its fields one way without complements. A map that is
// both (fields of length 2 at most) counts as Gray to binary.
std::optional<CodeConversion> code_conversion(const BitMap& map);

// Bits from..to, none if from > to.
inline Word bits_between(int from, int to) {
  return from > to ? Word{0} : bit_range(from, to);
}

// What every planner of code conversion asks: a cube with these ports, a map whose processors' part
// is a conversion. Nothing if so.
std::optional<std::string> conversion_refusal(const Request& request, Hypercube::Ports ports);
// The same, and exactly one field of at least `length_min` bits that has work to do.
std::optional<std::string> one_field_refusal(const Request& request, int length_min);

// Require that the one above said nothing.
CodeConversion conversion_of(const Request& request);
CodeField field_of(const Request& request);
// The offer of a planner that converts from Gray to binary by this node, or back by its inverse.
Offer conversion_offer(const Request& request, std::string_view planner, Node node,
                       std::string formula, std::optional<PaperCount> paper = {});

}  // namespace faro::inline v1
