// BitMap: immutable, hashable, picklable; what needs NumPy is added in faro/_maps.py.
#include <fmt/format.h>

#include <span>

#include "faro/algebra/classify.hpp"
#include "faro/words/say.hpp"
#include "layouts/field_text.hpp"
#include "layouts/fit.hpp"
#include "module.hpp"
#include "pictures.hpp"

namespace faro::python {
namespace {

using Words = std::vector<std::uint64_t>;

NamedMap of(const BitMap& map) {
  return {map, {}};
}

NamedMap from_text(const std::string& text, std::optional<int> width, std::optional<int> processors,
                   const std::optional<std::vector<std::uint64_t>>& shape) {
  for (const auto& bits : {width, processors})
    if (bits && (*bits < 0 || *bits > word_bits))
      throw Error(ErrorCode::limit, fmt::format("{} bits; an index has 0 to 64", *bits));
  Sizes sizes;
  sizes.shape = shape;
  if (width) sizes.elements = Count{1} << static_cast<unsigned>(*width);
  if (processors && *processors < word_bits) sizes.processors = bit(*processors);
  const Notation notation = say(text, sizes).as_bits();
  return {notation.map, notation.fields};
}

std::string text_of(const NamedMap& m) {
  return to_notation(m.map);
}

NamedMap composed(const NamedMap& first, const NamedMap& second) {
  if (first.map.width() != second.map.width())
    throw Error(ErrorCode::usage, fmt::format("a map of {} bits after one of {}",
                                              second.map.width(), first.map.width()));
  return of(then(first.map, second.map));
}

NamedMap power(const NamedMap& m, std::int64_t k) {
  BitMap base = k < 0 ? m.map.inverse() : m.map;
  auto left =
      k < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(k) : static_cast<std::uint64_t>(k);
  BitMap result = BitMap::identity(m.map.width());
  for (; left != 0; left >>= 1U) {
    if ((left & 1U) != 0) result = then(result, base);
    base = then(base, base);
  }
  return of(result);
}

NamedMap exclusive(const NamedMap& m, std::uint64_t constant) {
  if ((constant & ~low_mask(m.map.width())) != 0)
    throw Error(ErrorCode::usage,
                fmt::format("{:#x} has more than the map's {} bits", constant, m.map.width()));
  return of(BitMap::from_matrix(m.map.matrix(), m.map.complement() ^ constant));
}

NamedMap from_sources(const std::vector<int>& sources, std::uint64_t complement) {
  std::vector<int> places(sources.size(), -1);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k] < 0 || static_cast<std::size_t>(sources[k]) >= sources.size())
      throw Error(ErrorCode::usage, fmt::format("bit {} of {}", sources[k], sources.size()));
    places[static_cast<std::size_t>(sources[k])] = static_cast<int>(k);
  }
  return of(BitMap::from_places(places, complement));
}

nb::tuple columns_of(const NamedMap& m) {
  nb::list columns;
  for (int b = 0; b < m.map.width(); ++b) columns.append(m.map.column(b));
  return nb::tuple(columns);
}

nb::tuple cycles_of(const NamedMap& m) {
  nb::list cycles;
  for (const PositionCycle& cycle : position_cycles(m.map)) {
    nb::list bits;
    for (const int b : cycle.bits) bits.append(b);
    cycles.append(nb::tuple(bits));
  }
  return nb::tuple(cycles);
}

nb::object moved_of(const NamedMap& m) {
  return integer(moved_elements(m.map));
}

std::uint64_t apply(const NamedMap& m, std::uint64_t index) {
  if ((index & ~low_mask(m.map.width())) != 0)
    throw nb::index_error(fmt::format("index {} of 2^{} elements", index, m.map.width()).c_str());
  return m.map(index);
}

// The table as little-endian words, for NumPy.
nb::bytes table_bytes(const NamedMap& m) {
  if (m.map.width() > 30) throw Error(ErrorCode::limit, "a table of more than 2^30 entries");
  Words table(bit(m.map.width()));
  apply_consecutive(m.map, 0, table);
  return nb::bytes(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Word));
}

// `buffer` is a contiguous array of 64-bit numbers.
NamedMap fit_buffer(nb::handle buffer) {
  Py_buffer view;
  if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  const struct Guard {
    Py_buffer* held;
    ~Guard() { PyBuffer_Release(held); }
  } guard{&view};
  return of(fit(std::span(static_cast<const std::uint64_t*>(view.buf),
                          static_cast<std::size_t>(view.len) / sizeof(std::uint64_t))));
}

void bind_algebra(nb::class_<NamedMap>& c) {
  c.def(
      "__matmul__", [](const NamedMap& g, const NamedMap& f) { return composed(f, g); },
      nb::is_operator());
  c.def(
      "__rshift__", [](const NamedMap& f, const NamedMap& g) { return composed(f, g); },
      nb::is_operator());
  c.def(
      "__pow__", [](const NamedMap& m, std::int64_t k) { return power(m, k); }, nb::is_operator());
  c.def("__invert__", [](const NamedMap& m) { return exclusive(m, low_mask(m.map.width())); });
  c.def(
      "__xor__", [](const NamedMap& m, std::uint64_t k) { return exclusive(m, k); },
      nb::is_operator());
  c.def("inverse", [](const NamedMap& m) { return of(m.map.inverse()); });
  c.def("beside", [](const NamedMap& high, const NamedMap& low) {
    if (high.map.width() + low.map.width() > word_bits)
      throw Error(ErrorCode::limit, "more than 64 bits together");
    return of(beside(high.map, low.map));
  });
  c.def(
      "__eq__", [](const NamedMap& a, const NamedMap& b) { return a.map == b.map; },
      nb::is_operator());
  c.def("__hash__",
        [](const NamedMap& m) { return static_cast<std::int64_t>(hash_of(m.map) >> 3U); });
}

}  // namespace

NamedMap map_from(nb::handle object, std::optional<int> width,
                  const std::vector<std::uint64_t>& shape) {
  if (nb::isinstance<NamedMap>(object)) {
    const auto& m = nb::cast<const NamedMap&>(object);
    if (width && m.map.width() != *width)
      throw Error(ErrorCode::usage, fmt::format("a map of {} bits for an array of 2^{} elements",
                                                m.map.width(), *width));
    return m;
  }
  if (!nb::isinstance<nb::str>(object))
    throw nb::type_error(
        "a map is a BitMap or its text; axes=(2, 0, 1) moves whole axes, BitMap.fit(table) reads "
        "where each index goes");
  const auto text = nb::cast<std::string>(object);
  Sizes sizes;
  if (!shape.empty())
    sizes.shape = shape;
  else if (width)
    sizes.elements = Count{1} << static_cast<unsigned>(*width);
  const Notation notation = say(text, sizes).as_bits();
  return {notation.map, notation.fields};
}

void bind_maps(nb::module_& m) {
  nb::class_<NamedMap> c(m, "BitMap", nb::dynamic_attr(), nb::is_weak_referenceable());
  c.def(
      "__init__",
      [](NamedMap* self, const std::string& text, std::optional<int> width,
         std::optional<int> processors, std::optional<std::vector<std::uint64_t>> shape) {
        new (self) NamedMap(from_text(text, width, processors, shape));
      },
      nb::arg("text"), nb::kw_only(), nb::arg("width") = nb::none(),
      nb::arg("processors") = nb::none(), nb::arg("shape") = nb::none());
  c.def_static("identity", [](int width) {
    if (width < 0 || width > word_bits)
      throw Error(ErrorCode::limit, fmt::format("{} bits; an index has 0 to 64", width));
    return of(BitMap::identity(width));
  });
  c.def_static(
      "from_columns",
      [](const Words& columns, std::uint64_t complement) {
        if (columns.size() > word_bits) throw Error(ErrorCode::limit, "more than 64 columns");
        return of(BitMap::from_columns(columns, complement));
      },
      nb::arg("columns"), nb::arg("complement") = 0);
  c.def_static(
      "from_places",
      [](const std::vector<int>& places, std::uint64_t complement) {
        return of(BitMap::from_places(places, complement));
      },
      nb::arg("places"), nb::arg("complement") = 0);
  c.def_static("from_sources", from_sources, nb::arg("sources"), nb::arg("complement") = 0);
  c.def_static("_fit", fit_buffer);
  c.def_prop_ro("width", [](const NamedMap& self) { return self.map.width(); });
  c.def_prop_ro("columns", columns_of);
  c.def_prop_ro("complement", [](const NamedMap& self) { return self.map.complement(); });
  c.def_prop_ro("kind",
                [](const NamedMap& self) { return std::string(name_of(classify(self.map))); });
  c.def_prop_ro("cycles", cycles_of);
  c.def_prop_ro("moved", moved_of);
  c.def("_apply", apply);
  c.def("_table_bytes", table_bytes);
  c.def("__str__", text_of);
  c.def("__repr__",
        [](const NamedMap& self) { return fmt::format("BitMap('{}')", text_of(self)); });
  // In the words of its own fields, r:2 c:3 -> c ~r, or in those that the caller gives.
  c.def("_in_fields", [](const NamedMap& self,
                         const std::optional<std::vector<std::pair<std::string, int>>>& given) {
    Notation notation;
    notation.map = self.map;
    notation.fields = self.fields;
    if (given) {
      notation.fields.clear();
      for (const auto& [name, width] : *given) notation.fields.push_back({name, width});
    }
    return layouts::text_with_fields(notation);
  });
  c.def(
      "picture",
      [](const NamedMap& self, const std::string& what, const std::string& format) {
        Notation notation;
        notation.map = self.map;
        notation.fields = self.fields;
        return map_picture(notation, what, format);
      },
      nb::arg("what") = "standard", nb::arg("format") = "svg");
  c.def("__getstate__", [](const NamedMap& self) {
    return nb::make_tuple(columns_of(self), self.map.complement());
  });
  c.def("__setstate__", [](NamedMap& self, const std::pair<Words, std::uint64_t>& state) {
    new (&self) NamedMap(of(BitMap::from_columns(state.first, state.second)));
  });
  c.def("__copy__", [](nb::handle self) { return nb::borrow(self); });
  c.def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); });
  bind_algebra(c);
}

}  // namespace faro::python
