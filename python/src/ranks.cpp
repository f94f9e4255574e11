// Moves of arrays of any lengths between ranks: what faro.mpi packs and unpacks. No MPI here.
#include <fmt/format.h>

#include "buffer.hpp"
#include "faro/distributed/grid_move.hpp"
#include "layouts/grid_words.hpp"

namespace faro::python {
namespace {

using Lengths = std::vector<std::uint64_t>;

nb::list messages(const std::vector<GridMessage>& list) {
  nb::list result;
  for (const GridMessage& m : list) result.append(nb::make_tuple(m.peer, m.elements, m.pieces));
  return result;
}

// (peer, first element, elements, the first byte in the rank's array or None)
nb::list slices(const std::vector<GridSlice>& list) {
  nb::list result;
  for (const GridSlice& s : list)
    result.append(nb::make_tuple(s.peer, s.first, s.elements, s.place));
  return result;
}

// Of each axis the indices that a rank holds, by their places, as 64-bit numbers.
nb::list local_indices(const std::string& words, const Lengths& shape, std::uint64_t rank) {
  const GridPlacement placement = read_grid_placement(words, shape);
  nb::list result;
  for (std::size_t a = 0; a < placement.axes().size(); ++a) {
    const AxisDeal& deal = placement.axes()[a].deal;
    std::vector<std::uint64_t> held;
    if (rank < placement.ranks()) {
      const std::uint64_t part = placement.part(rank, a);
      held.resize(deal.size(part));
      const AxisDeal whole = AxisDeal::whole(deal.length());
      for (const Stretch& s : meet(deal, part, whole, 0).stretches) {
        const LocalStretch at = deal.local(s);
        for (std::uint64_t k = 0; k < s.count; ++k)
          for (std::uint64_t u = 0; u < s.run; ++u)
            held[at.begin + (k * at.step) + u] = s.x + (k * s.stride) + u;
      }
    }
    result.append(nb::bytes(held.data(), held.size() * sizeof(std::uint64_t)));
  }
  return result;
}

}  // namespace

void bind_ranks(nb::module_& m) {
  m.def("_local_indices", &local_indices);
  nb::class_<GridMove> c(m, "_GridMove");
  c.def(
      "__init__",
      [](GridMove* self, const std::string& words, const Lengths& shape,
         std::uint64_t element_bytes, bool relabel) {
        GridMoveOptions options;
        options.element_bytes = element_bytes;
        options.relabel = relabel ? Relabel::least : Relabel::never;
        new (self) GridMove(grid_move(words, shape, std::move(options)));
      },
      nb::arg("words"), nb::arg("shape"), nb::arg("element_bytes"), nb::arg("relabel"));
  c.def_prop_ro("ranks", [](const GridMove& p) { return p.facts().ranks; });
  c.def_prop_ro("from_ranks", [](const GridMove& p) { return p.from().ranks(); });
  c.def_prop_ro("to_ranks", [](const GridMove& p) { return p.to().ranks(); });
  c.def_prop_ro("bytes", [](const GridMove& p) { return p.facts().bytes; });
  c.def_prop_ro("kept_bytes", [](const GridMove& p) { return p.facts().kept_bytes; });
  c.def_prop_ro("moved_bytes", [](const GridMove& p) { return p.facts().moved_bytes; });
  c.def_prop_ro("most_received_bytes",
                [](const GridMove& p) { return p.facts().most_received_bytes; });
  c.def_prop_ro("kept_bytes_at_most",
                [](const GridMove& p) { return p.facts().kept_bytes_at_most; });
  c.def_prop_ro("relabelled", [](const GridMove& p) { return name_of(p.facts().relabelled); });
  c.def_prop_ro("relabelling", [](const GridMove& p) { return p.relabelling(); });
  c.def_prop_ro("from_order", [](const GridMove& p) { return p.from().memory_order(); });
  c.def_prop_ro("to_order", [](const GridMove& p) { return p.to().memory_order(); });
  c.def("describe", &GridMove::describe);
  c.def("from_shape", &GridMove::from_shape);
  c.def("to_shape", &GridMove::to_shape);
  c.def("sends", [](const GridMove& p, std::uint64_t rank) { return messages(p.sends(rank)); });
  c.def("receives",
        [](const GridMove& p, std::uint64_t rank) { return messages(p.receives(rank)); });
  c.def("slices_sent", [](const GridMove& p, std::uint64_t rank, std::uint64_t elements_max) {
    return slices(p.slices_sent(rank, elements_max));
  });
  c.def("slices_received", [](const GridMove& p, std::uint64_t rank, std::uint64_t elements_max) {
    return slices(p.slices_received(rank, elements_max));
  });
  c.def("pack", [](const GridMove& p, std::uint64_t sender, std::uint64_t receiver,
                   std::uint64_t first, nb::handle x, nb::handle buffer) {
    between_buffers(x, buffer,
                    [&](auto from, auto to) { p.pack(sender, receiver, first, from, to); });
  });
  c.def("unpack", [](const GridMove& p, std::uint64_t sender, std::uint64_t receiver,
                     std::uint64_t first, nb::handle buffer, nb::handle out) {
    between_buffers(buffer, out,
                    [&](auto from, auto to) { p.unpack(sender, receiver, first, from, to); });
  });
  c.def("keep", [](const GridMove& p, std::uint64_t rank, nb::handle x, nb::handle out) {
    between_buffers(x, out, [&](auto from, auto to) { p.keep(rank, from, to); });
  });
}

}  // namespace faro::python
