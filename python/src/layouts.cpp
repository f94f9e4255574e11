// Placements, moves, and the words of other systems.
#include <fmt/format.h>

#include "faro/words/say.hpp"
#include "layouts/field_text.hpp"
#include "layouts/placement_move.hpp"
#include "module.hpp"
#include "pictures.hpp"

namespace faro::python {
namespace {

using Shape = std::vector<std::uint64_t>;

Placement read_placement(const std::string& text, const std::optional<Shape>& shape,
                         std::optional<std::uint64_t> devices) {
  if (!is_foreign(text)) return say(text, {.shape = shape}).placement();
  ForeignLayout layout = read_foreign(text, {shape.value_or(Shape{}), {}, devices});
  if (layout.shape.empty() && shape) layout.shape = *shape;
  return layout.placement();
}

std::uint64_t checked(std::uint64_t value, int bits, const char* what) {
  if ((value & ~low_mask(bits)) != 0)
    throw nb::index_error(fmt::format("{} {} of 2^{}", what, value, bits).c_str());
  return value;
}

// In the words of the notation with one field, as faro explain prints maps.
std::string canonical(const Placement& p) {
  return p.replica_bits() > 0 ? p.text()
                              : to_notation(p.map(), {Cut::Kind::layout, p.device_bits()});
}

void bind_placement(nb::module_& m) {
  nb::class_<Placement> c(m, "Placement", nb::dynamic_attr(), nb::is_weak_referenceable());
  c.def(
      "__init__",
      [](Placement* self, const std::string& text, std::optional<Shape> shape,
         std::optional<std::uint64_t> devices) {
        new (self) Placement(read_placement(text, shape, devices));
      },
      nb::arg("text"), nb::kw_only(), nb::arg("shape") = nb::none(),
      nb::arg("devices") = nb::none());
  c.def_static("_of",
               [](const NamedMap& map, int device_bits, int replica_bits, const Shape& shape) {
                 return Placement(map.map, device_bits, replica_bits, shape);
               });
  c.def_prop_ro("map", [](const Placement& p) {
    const Notation notation = p.notation();
    return NamedMap{notation.map, notation.fields};
  });
  c.def_prop_ro("shape", [](const Placement& p) {
    nb::list sides;
    for (const std::uint64_t side : p.shape()) sides.append(side);
    return nb::tuple(sides);
  });
  c.def_prop_ro("devices", [](const Placement& p) { return bit(p.device_bits()); });
  c.def_prop_ro("replicas", [](const Placement& p) { return bit(p.replica_bits()); });
  c.def_prop_ro("memory", [](const Placement& p) { return bit(p.memory_bits()); });
  c.def("_device", [](const Placement& p, std::uint64_t index, std::uint64_t replica) {
    return p.device(checked(index, p.index_bits(), "index"),
                    checked(replica, p.replica_bits(), "copy"));
  });
  c.def("_memory", [](const Placement& p, std::uint64_t index) {
    return p.memory(checked(index, p.index_bits(), "index"));
  });
  c.def("_indices", [](const Placement& p, std::uint64_t device) {
    checked(device, p.device_bits(), "device");
    if (p.memory_bits() > 30) throw Error(ErrorCode::limit, "more than 2^30 elements to list");
    std::vector<std::uint64_t> indices;
    for (Word at = 0; at < bit(p.memory_bits()); ++at) indices.push_back(p.index_at(device, at));
    return nb::bytes(reinterpret_cast<const char*>(indices.data()),
                     indices.size() * sizeof(std::uint64_t));
  });
  c.def("_words", [](const Placement& p, const std::string& system) {
    ForeignLayout layout;
    layout.notation = p.notation();
    layout.replica_bits = p.replica_bits();
    layout.shape = p.shape();
    return write_foreign(system, layout);
  });
  c.def(
      "picture",
      [](const Placement& p, const std::string& what, const std::string& format) {
        return map_picture(p.notation(), what, format);
      },
      nb::arg("what") = "standard", nb::arg("format") = "svg");
  c.def("__str__", canonical);
  c.def("__repr__", [](const Placement& p) {
    return fmt::format("Placement('{}', shape=({}{}))", p.text(), fmt::join(p.shape(), ", "),
                       p.shape().size() == 1 ? "," : "");
  });
  c.def(
      "__eq__", [](const Placement& a, const Placement& b) { return a == b; }, nb::is_operator());
  c.def("__hash__", [](const Placement& p) {
    return static_cast<std::int64_t>(hash_of(p.map()) >> 3U) + p.device_bits();
  });
  c.def("__getstate__", [](const Placement& p) {
    return nb::make_tuple(NamedMap{p.map(), {}}, p.device_bits(), p.replica_bits(), p.shape());
  });
  c.def("__setstate__", [](Placement& self, nb::tuple state) {
    new (&self) Placement(nb::cast<NamedMap>(state[0]).map, nb::cast<int>(state[1]),
                          nb::cast<int>(state[2]), nb::cast<Shape>(state[3]));
  });
  c.def(
      "__rshift__",
      [](const Placement& from, const Placement& to) { return PlacementMove(from, to); },
      nb::is_operator());
}

void bind_move(nb::module_& m) {
  nb::class_<PlacementMove> c(m, "Move", nb::dynamic_attr());
  c.def_prop_ro("source", [](const PlacementMove& move) { return move.from(); });
  c.def_prop_ro("target", [](const PlacementMove& move) { return move.to(); });
  c.def_prop_ro("map", [](const PlacementMove& move) -> std::optional<NamedMap> {
    if (const auto notation = move.map()) return NamedMap{notation->map, notation->fields};
    return {};
  });
  c.def("text", [](const PlacementMove& move) {
    const Notation notation = move.map_or_refuse();
    return to_notation(notation.map, notation.cut);
  });
  c.def("_traffic", [](const PlacementMove& move) {
    const Traffic t = move.traffic();
    return nb::make_tuple(integer(t.kept), integer(t.received), t.kept_by_device, t.sent_by_device,
                          t.received_by_device);
  });
  c.def("__repr__", [](const PlacementMove& move) {
    return fmt::format("Move('{}' => '{}')", move.from().text(), move.to().text());
  });
}

}  // namespace

nb::object integer(Count count) {
  if (count <= UINT64_MAX) return nb::int_(static_cast<std::uint64_t>(count));
  return nb::module_::import_("builtins").attr("int")(to_string(count));
}

void bind_layouts(nb::module_& m) {
  bind_placement(m);
  bind_move(m);
  m.def("systems", [] {
    nb::list rows;
    for (const ForeignSystem& s : foreign_systems())
      rows.append(nb::make_tuple(s.name, s.title, s.example, s.example_shape, s.writes));
    return rows;
  });
  m.def("write_map",
        [](const NamedMap& map, const std::string& system, const std::optional<Shape>& shape) {
          ForeignLayout layout;
          layout.notation.map = map.map;
          layout.notation.fields = map.fields;
          layout.shape = shape.value_or(Shape{});
          return write_foreign(system, layout);
        });
}

}  // namespace faro::python
