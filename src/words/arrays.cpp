// einops' patterns, chunk grids and JAX' meshes, on axes of any lengths: what they say is a list of
// digits, some of which name a device or a chunk.
#include "words/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/axis_lists.hpp"
#include "layouts/systems.hpp"
#include "words/fields.hpp"

namespace faro::inline v1::words {
namespace {

using layouts::Scanner;

// An index goes to place | memory.
Said placed(const Forms& place, const Forms& memory, const std::vector<Word>& shape,
            const Sizes& sizes, const Scanner& in) {
  Forms digits = place;
  append(digits, memory);
  Made made = map_of(size_of(digits), digits);
  if (!made.map) in.fail_at(0, made.reason, made.fault);
  Said said;
  said.map = *std::move(made.map);
  said.cut = {Cut::Kind::layout, static_cast<Word>(size_of(place))};
  if (sizes.processors && said.cut.processors != *sizes.processors)
    in.fail_at(0, fmt::format("{} devices, there are {}", said.cut.processors, *sizes.processors),
               NotationFault::cut);
  said.fields = axis_fields(shape);
  said.shape = sizes.shape ? sizes.shape : shape;
  return said;
}

Word product_of(const std::vector<Word>& shape) {
  Word product = 1;
  for (const Word length : shape) product = size_product(product, length, "elements");
  return product;
}

}  // namespace

Said of_layout(const ForeignLayout& layout, const Sizes& sizes) {
  if (layout.replica_bits > 0 && !sizes.copies)
    throw NotExpressible(layout.system, LayoutFault::replicated,
                         fmt::format("every element has {} copies; a map has one place for it",
                                     bit(layout.replica_bits)));
  Said said;
  said.map = Map::from_bits(layout.notation.map);
  said.cut = {layout.notation.cut.kind, bit(layout.notation.cut.processor_bits)};
  for (const Field& field : layout.notation.fields)
    said.fields.push_back({field.name, field.width == word_bits ? 0 : bit(field.width), true});
  said.shape = sizes.shape ? sizes.shape : layout.shape;
  said.copies = bit(layout.replica_bits);
  return said;
}

std::vector<TensorField> axis_fields(const std::vector<Word>& shape) {
  std::vector<Word> names(shape.size(), 1);  // shape_fields names as many axes
  std::vector<TensorField> fields;
  const std::vector<Field> named = shape_fields(names);
  for (std::size_t k = 0; k < named.size(); ++k)
    fields.push_back({named[k].name, shape[k], is_power_of_two(shape[k])});
  return fields;
}

std::vector<Word> known_shape(const Sizes& sizes, const Scanner& in) {
  if (!sizes.shape && !sizes.elements)
    in.fail_at(0, "needs the shape of the array: --shape 16x16, in Python shape=(16, 16)",
               NotationFault::size);
  const std::vector<Word> shape =
      sizes.shape ? *sizes.shape : std::vector<Word>{static_cast<Word>(*sizes.elements)};
  if (*total_of(sizes) > Count{bit(63)})
    in.fail_at(0, "an array of more than 2^63 elements", NotationFault::limit);
  return shape;
}

Said say_einops(Scanner& in, const Sizes& sizes) {
  std::optional<Word> elements;
  if (!sizes.shape && sizes.elements) elements = static_cast<Word>(*sizes.elements);
  const layouts::EinopsWords words =
      read_einops_words(in, sizes.shape.value_or(std::vector<Word>{}), elements);
  std::vector<int> order;
  for (const std::size_t axis : words.moved.order) order.push_back(static_cast<int>(axis));
  Said said;
  said.map = Map::from_axes(words.moved.split, order);
  for (std::size_t k = 0; k < words.names.size(); ++k) {
    const bool nameless = words.names[k].starts_with("...");
    const Word length = words.moved.split[k];
    said.fields.push_back({nameless ? fmt::format("x{}", words.names[k].substr(3)) : words.names[k],
                           length, is_power_of_two(length)});
  }
  if (sizes.shape) said.shape = words.moved.joined;
  said.names_axes = true;
  return said;
}

Said say_zarr(Scanner& in, const Sizes& sizes) {
  const layouts::ZarrWords words = read_zarr_words(in);
  const std::vector<Word> shape = words.shape.empty() ? known_shape(sizes, in) : words.shape;
  if (words.chunks.size() != shape.size())
    in.fail_at(0,
               fmt::format("speaks of {} axes, and the shape is {}", words.chunks.size(),
                           layouts::shape_text(shape)),
               NotationFault::size);
  check_chunks(shape, words.chunks, in);
  Forms place;
  Forms memory;
  Word low = product_of(shape);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    low /= shape[k];
    const Word chunk = words.chunks[k];
    if (shape[k] / chunk > 1) place.push_back(part(low * chunk, shape[k] / chunk));
    if (chunk > 1) memory.push_back(part(low, chunk));
  }
  return placed(place, memory, shape, sizes, in);
}

Said say_jax(Scanner& in, const Sizes& sizes) {
  const layouts::JaxWords words = layouts::read_jax_words(in);
  const auto& [mesh, entries] = words;
  const std::vector<Word> shape = known_shape(sizes, in);
  if (entries.size() > shape.size())
    in.fail_at(0,
               fmt::format("the spec speaks of {} axes, and the shape is {}", entries.size(),
                           layouts::shape_text(shape)),
               NotationFault::size);
  if (!mesh.devices.empty()) return of_layout(sharding_of(words, shape, in), sizes);
  std::vector<std::optional<Form>> cuts(mesh.axes.size());
  Forms memory;
  Word low = product_of(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    low /= shape[d];
    Word left = shape[d];
    Word parts = 1;
    for (const std::size_t axis : d < entries.size() ? entries[d] : std::vector<std::size_t>{}) {
      const Word devices = mesh.axes[axis].size;
      if (cuts[axis])
        in.fail_at(0, fmt::format("mesh axis '{}' cuts twice", mesh.axes[axis].name),
                   NotationFault::name);
      parts = size_product(parts, devices, "devices");
      if (left % devices != 0) layouts::refuse_uneven(d, shape[d], parts, "devices", in);
      left /= devices;
      cuts[axis] = part(low * left, devices);
    }
    if (left > 1) memory.push_back(part(low, left));
  }
  Forms place;
  Word copies = 1;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    if (!cuts[k])
      copies = size_product(copies, mesh.axes[k].size, "devices");
    else if (cuts[k]->length > 1)
      place.push_back(*cuts[k]);
  }
  if (copies > 1 && sizes.copies) return of_layout(sharding_of(words, shape, in), sizes);
  if (copies > 1)
    in.refuse(LayoutFault::replicated,
              fmt::format("every element has {} copies; a map has one place for it", copies));
  return placed(place, memory, shape, sizes, in);
}

}  // namespace faro::inline v1::words
