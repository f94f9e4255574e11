#include "machines/mesh/pieces.hpp"

namespace faro::inline v1 {
namespace {

// A piece on its way through the adder: bits below `next` are done.
struct Partial {
  AffineSpace where;
  int next = 0;
  unsigned carry = 0;
  Word flipped = 0;
};

struct Addend {
  int low = 0;
  int width = 0;
  Word amount = 0;         // modulo 2^width
  bool must_stay = false;  // falls off the end otherwise
  unsigned carry_wanted = 0;
};

void add(const Piece& piece, const Addend& addend, Partition& result) {
  std::vector<Partial> open = {{piece.where, 0, 0, 0}};
  while (!open.empty()) {
    Partial part = std::move(open.back());
    open.pop_back();
    bool split = false;
    for (; part.next < addend.width; ++part.next) {
      const unsigned digit = has_bit(addend.amount, part.next) ? 1 : 0;
      const Word address_bit = bit(addend.low + part.next);
      if ((digit ^ part.carry) != 0) part.flipped |= address_bit;
      if (digit == part.carry) continue;
      // One of digit and carry is 1: the next carry is the address bit itself.
      const Parity known = part.where.reduced({address_bit, 0});
      if (known.mask == 0) {
        part.carry = known.value;
        continue;
      }
      for (const unsigned value : {0U, 1U})
        open.push_back(
            {part.where.meet(Parity{address_bit, value}), part.next + 1, value, part.flipped});
      split = true;
      break;
    }
    if (split || (addend.must_stay && part.carry != addend.carry_wanted)) continue;
    result.add(piece.on(part.where).shifted(part.flipped));
  }
}

}  // namespace

Partition routed(const MeshGeometry& geometry, const Partition& pieces, int dimension,
                 std::int64_t by) {
  Addend addend;
  if (geometry.wrap() == Mesh::Wrap::propagating) {
    addend.width = geometry.bits();
    addend.amount = static_cast<Word>(by) << geometry.low(dimension);
  } else {
    addend.low = geometry.low(dimension);
    addend.width = geometry.side_log2(dimension);
    addend.amount = static_cast<Word>(by);
    addend.must_stay = geometry.wrap() == Mesh::Wrap::none;
    // Adding a negative number modulo 2^width stays inside exactly if a carry leaves at the top.
    addend.carry_wanted = by < 0 ? 1 : 0;
  }
  addend.amount &= low_mask(addend.width);
  Partition result;
  for (const Piece& piece : pieces.pieces()) add(piece, addend, result);
  result.merge();
  return result;
}

}  // namespace faro::inline v1
