// The layouts of other systems, read and written in their own words.
//
//   read_foreign("xla:{devices=[2,1,4]<=[4,2]T(1,0)}", {.shape = {16, 16, 16}})
//       a:4 b:4 c:4 -> c[3:2] a[3] | a[2:0] b c[1:0]
//   read_foreign("einops:(a b) c -> c (b a), a=2", {.shape = {4, 2}})      a:2 c:1 -> c a[0] a[1]
//   write_foreign("jax", layout)                       mesh x=4 y=2, P('y', 'x')
//
// SYSTEM:WORDS stands wherever a map is asked for (faro/words/say.hpp), and `=>` joins placements
// of any two systems. docs/layouts.md says what each system's words mean. What is no affine map
// throws NotExpressible or NotAffine; words that are none throw NotationError with their column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

// What the words leave out. A width says a shape of one axis.
struct ForeignSizes {
  std::vector<std::uint64_t> shape;
  std::optional<int> width;
  std::optional<std::uint64_t> devices;  // for words that do not count them: {replicated}
};

struct ForeignLayout {
  std::string system;  // its name in this library; empty: the notation
  Notation notation;   // replica bits first; cut {layout, device bits} for a placement
  int replica_bits = 0;
  std::vector<std::uint64_t> shape;  // of the array; empty where the words name none
  // Requires a cut of kind layout.
  Placement placement() const;
};

// "SYSTEM:" with a system of this table; "NAME:4" stays the named map of 4 bits.
bool is_foreign(std::string_view text);
ForeignLayout read_foreign(std::string_view text, const ForeignSizes& sizes = {});

// The words of `system` for a layout, or NotExpressible. read_foreign gives the layout back.
std::string write_foreign(std::string_view system, const ForeignLayout& layout);

struct ForeignSystem {
  const char* name;
  const char* title;
  const char* example;        // words that read_foreign takes
  const char* example_shape;  // "16x16x16"; empty: the words say it
  bool writes;
};
std::vector<ForeignSystem> foreign_systems();

// "16x16x16" or "16,16,16"; throws Error(usage).
std::vector<std::uint64_t> shape_from(std::string_view text);

}  // namespace faro::inline v1
