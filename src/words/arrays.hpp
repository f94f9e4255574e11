// Words of the systems that speak of arrays of any lengths. Each takes what stands behind "SYSTEM:"
// to its end.
#pragma once

#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"
#include "layouts/scanner.hpp"
#include "words/forms.hpp"

namespace faro::inline v1::words {

// The names that axes get: i; r c; a b c d ..
std::vector<TensorField> axis_fields(const std::vector<Word>& shape);

Said say_numpy(layouts::Scanner& in, const std::vector<Word>& shape);
Said say_einops(layouts::Scanner& in, const Sizes& sizes);
Said say_zarr(layouts::Scanner& in, const Sizes& sizes);
Said say_jax(layouts::Scanner& in, const Sizes& sizes);

// Of the layouts that only powers of two have. Copies throw NotExpressible(replicated).
Said of_layout(const ForeignLayout& layout, const Sizes& sizes);

// Of an array whose shape is not known: one axis. Throws NotationError(size) without either.
std::vector<Word> known_shape(const Sizes& sizes, const layouts::Scanner& in);

}  // namespace faro::inline v1::words
