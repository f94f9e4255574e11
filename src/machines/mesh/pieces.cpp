#include "machines/mesh/pieces.hpp"

#include <map>

#include "base/words_less.hpp"

namespace faro::inline v1 {
namespace {

void reduce_source(MeshPiece& piece) {
  for (Parity& form : piece.source) form = piece.where.reduced(form);
}

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

void add(const MeshPiece& piece, const Addend& addend, MeshPieces& result) {
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
    MeshPiece moved{part.where.shifted(part.flipped), piece.source};
    for (Parity& form : moved.source) form.value ^= parity(form.mask & part.flipped);
    reduce_source(moved);
    result.push_back(std::move(moved));
  }
}

// The linear parts of a piece: pieces that may be joined agree in it.
std::vector<Word> shape_of(const MeshPiece& piece) {
  std::vector<Word> shape;
  shape.reserve(piece.where.constraints().size() + piece.source.size());
  for (const Parity& c : piece.where.constraints()) shape.push_back(c.mask);
  for (const Parity& form : piece.source) shape.push_back(form.mask);
  return shape;
}

Word coset_of(const MeshPiece& piece) {
  Word coset = 0;
  int i = 0;
  for (const Parity& c : piece.where.constraints()) coset |= Word{c.value} << i++;
  return coset;
}

// a and b differ in the value of constraint c only: where a's source is x and b's is x ^ 1, the
// parity of c's mask tells them apart.
MeshPiece joined(const MeshPiece& a, const MeshPiece& b, std::size_t c) {
  const Parity told = a.where.constraints()[c];
  MeshPiece result{*a.where.merged(b.where), a.source};
  for (std::size_t i = 0; i < result.source.size(); ++i) {
    if (a.source[i].value == b.source[i].value) continue;
    result.source[i].mask ^= told.mask;
    result.source[i].value ^= told.value;
  }
  reduce_source(result);
  return result;
}

// One sweep over the pieces of one shape; true if anything was joined.
bool join_once(MeshPieces& pieces) {
  std::map<std::vector<Word>, std::map<Word, std::size_t>, WordsLess> groups;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    groups[shape_of(pieces[i])].emplace(coset_of(pieces[i]), i);
  MeshPieces result;
  bool any = false;
  for (auto& [shape, cosets] : groups) {
    while (!cosets.empty()) {
      const auto [coset, index] = *cosets.begin();
      cosets.erase(cosets.begin());
      const MeshPiece& piece = pieces[index];
      bool found = false;
      for (std::size_t c = 0; c < piece.where.constraints().size() && !found; ++c) {
        const auto other = cosets.find(coset ^ bit(static_cast<int>(c)));
        if (other == cosets.end()) continue;
        result.push_back(joined(piece, pieces[other->second], c));
        cosets.erase(other);
        found = true;
      }
      any |= found;
      if (!found) result.push_back(piece);
    }
  }
  pieces = std::move(result);
  return any;
}

// The bits that every address of a subspace has alike, as far as constraints on single bits say it.
TernaryMask fixed_bits(const AffineSpace& space) {
  TernaryMask fixed;
  for (const Parity& c : space.constraints()) {
    if ((c.mask & (c.mask - 1)) != 0) continue;
    fixed.care |= c.mask;
    if (c.value != 0) fixed.value |= c.mask;
  }
  return fixed;
}

// Tells most pieces that have nothing in common with a subspace, cheaper than an intersection.
class Sieve {
 public:
  explicit Sieve(const AffineSpace& space) : fixed_(fixed_bits(space)) {}
  bool apart(const AffineSpace& where) const {
    const TernaryMask other = fixed_bits(where);
    return ((fixed_.value ^ other.value) & fixed_.care & other.care) != 0;
  }

 private:
  TernaryMask fixed_;
};

}  // namespace

MeshPieces inside_of(const MeshPieces& pieces, const AffineSpace& space) {
  MeshPieces result;
  const Sieve sieve(space);
  for (const MeshPiece& piece : pieces) {
    if (sieve.apart(piece.where)) continue;
    MeshPiece part{piece.where.meet(space), piece.source};
    if (part.where.empty()) continue;
    reduce_source(part);
    result.push_back(std::move(part));
  }
  return result;
}

MeshPieces outside_of(MeshPieces pieces, const AffineSpace& space) {
  MeshPieces result;
  result.reserve(pieces.size());
  const Sieve sieve(space);
  for (MeshPiece& piece : pieces) {
    if (sieve.apart(piece.where) || piece.where.disjoint(space)) {
      result.push_back(std::move(piece));
      continue;
    }
    for (const AffineSpace& part : piece.where.minus(space)) {
      result.push_back({part, piece.source});
      reduce_source(result.back());
    }
  }
  return result;
}

MeshPieces routed(const MeshGeometry& geometry, const MeshPieces& pieces, int dimension,
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
  MeshPieces result;
  for (const MeshPiece& piece : pieces) add(piece, addend, result);
  merge(result);
  return result;
}

void merge(MeshPieces& pieces) {
  while (pieces.size() > 1 && join_once(pieces)) {
  }
}

}  // namespace faro::inline v1
