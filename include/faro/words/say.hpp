// The one door from words to a map: say(words, sizes).
//
//   say("r c -> c r", {.shape = {{256, 512}}})      the transpose; shape (512, 256)
//   say("(a=2 b) -> b a", {.shape = {{12}}})        axis 0 as 2 x 6; shape (6, 2)
//   say("gray", {.elements = 1024})                 a named map
//   say("numpy:np.roll(a, 1)", {.shape = {{3, 5}}}) words of another system
//   say("cyclic:4|16 => consecutive")               from one layout to another
//
// Shapes. Words name the axes of an array if they have several fields and the array several axes,
// or if fields stand in parentheses left of '->'; the words of numpy and einops always do. Such
// words must fit the array axis by axis, and the result has one axis for every term right of '->'
// (the shape that NumPy or einops give). All other words move the flat index in C order, and the
// shape stays; with `flat` all do.
//
// Sizes. Wherever a product is known, one size of it may be left out: of each axis if axes are
// named, of each side of '|' if the processors are known, otherwise of all fields together.
//
// The first tokens decide which dialect it is; nothing is tried. docs/notation.md is the whole
// definition.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/count.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

// What is known beside the words.
struct Sizes {
  std::optional<std::vector<Word>> shape = {};  // of the array, in its logical order
  std::optional<Count> elements = {};           // where no shape is known
  std::optional<Word> processors = {};
  bool flat = false;    // the words are of the flat index, the shape stays
  bool copies = false;  // elements may have copies
};

struct Said {
  Map map;
  TensorCut cut;
  std::vector<TensorField> fields = {};         // of the source, as the words name them
  std::optional<std::vector<Word>> shape = {};  // of the result, where the array's is known
  bool names_axes = false;
  bool any_shape = false;   // the map is the same, and the shape stays, for every array of so many
                            // elements
  std::string system = {};  // "numpy"; empty: the notation
  Word copies = 1;          // of every element; the map's most significant digits count them

  // Throws Error(usage), naming a length that is no bits.
  Notation as_bits() const;
  // Throws Error(usage) without a cut of kind layout, or if it is not of bits.
  Placement placement() const;
};

// Throws NotationError, NotExpressible or NotAffine.
Said say(std::string_view words, const Sizes& sizes = {});

// The two sides of `A => B`, where a system's words are among them: elements may have copies, and
// the sides other numbers of devices. Nothing for any other text.
struct SaidSides {
  Said from;
  Said to;
};
std::optional<SaidSides> say_sides(std::string_view words, const Sizes& sizes = {});

// The words on axes first .. last of an array, these as an array of their own: the axes that the
// words give stand in their place. The other axes are batches.
struct SayOn {
  std::vector<Word> shape;
  std::size_t first = 0;
  std::size_t last = 0;
  bool flat = false;
};
Said say_on(std::string_view words, const SayOn& on);

}  // namespace faro::inline v1
