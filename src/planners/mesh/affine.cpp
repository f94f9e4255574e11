// Conditional complements around PERMUTE.   [faro; blocks of Nassimi, Sahni 1980]
//   applies:  every affine map on processors, any wraparound
//   cost:     beta(P) + 2·(sum of g over rows of U and V that add something)
//   bound:    distances by dimension
#include "planners/mesh/affine.hpp"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "base/check.hpp"
#include "planners/mesh/permute.hpp"

namespace faro::inline v1::mesh {
namespace {

// Which bits a row may add to its own: those above it or those below.
enum class Adds { above, below };

struct Factors {
  BitMatrix first;   // U
  BitMatrix middle;  // P
  BitMatrix last;    // V
};

// Elimination: each column keeps one pivot; rows that may receive the pivot's row are cleared by
// row operations (V), the rest of the pivot's row by column operations (U). With V adding what is
// above, the pivot is the highest row left, so that all others are below it; U likewise fixes the
// order of the columns.
Factors factor(const BitMatrix& matrix, Adds first, Adds last) {
  const int p = matrix.columns();
  Factors factors{BitMatrix::identity(p), matrix, BitMatrix::identity(p)};
  BitMatrix& m = factors.middle;
  for (int step = 0; step < p; ++step) {
    const int c = first == Adds::above ? step : p - 1 - step;
    const Word column = m.column(c);
    FARO_CHECK(column != 0);
    const int pivot = last == Adds::above ? highest_bit(column) : lowest_bit(column);
    const Word others = column & ~bit(pivot);
    // m = R·m with R adding row `pivot` to the others; last = last·R.
    for (int k = 0; k < p; ++k)
      if (m.at(pivot, k)) m.set_column(k, m.column(k) ^ others);
    Word sum = factors.last.column(pivot);
    for (Word rest = others; rest != 0; rest &= rest - 1)
      sum ^= factors.last.column(lowest_bit(rest));
    factors.last.set_column(pivot, sum);
    // m = m·C with C adding column c to the others that have the pivot's row; first = C·first.
    Word receivers = 0;
    for (int k = 0; k < p; ++k)
      if (k != c && m.at(pivot, k)) receivers |= bit(k);
    for (Word rest = receivers; rest != 0; rest &= rest - 1) {
      const int k = lowest_bit(rest);
      m.set_column(k, m.column(k) ^ m.column(c));
    }
    for (int k = 0; k < p; ++k) {
      const Word f = factors.first.column(k);
      if (parity(f & receivers) != 0) factors.first.set_column(k, f ^ bit(c));
    }
  }
  return factors;
}

class Writer {
 public:
  explicit Writer(const MeshGeometry& geometry) : program_(geometry) {}

  // bit i ^= parity of the other bits of its row, ^ constant; rows that nobody reads any more
  // first.
  void triangular(const BitMatrix& matrix, Adds adds, Word constant) {
    const int p = matrix.columns();
    for (int step = 0; step < p; ++step) {
      const int i = adds == Adds::above ? step : p - 1 - step;
      const Word others = matrix.row(i) & ~bit(i);
      if (others == 0) continue;
      const std::vector<Parity> where = {{others, has_bit(constant, i) ? 0U : 1U}};
      if (program_.geometry().wrap() == Mesh::Wrap::orthogonal)
        torus_complement(program_, i, where);
      else
        complement(program_, i, where);
    }
  }

  void bits(const BpcVector& bits) {
    const bool torus = program_.geometry().wrap() == Mesh::Wrap::orthogonal;
    program_.append(permute(program_.geometry(), bits, torus ? Variant::torus : Variant::plus));
  }

  MeshProgram take() { return std::move(program_); }

 private:
  MeshProgram program_;
};

// Bits whose row of V adds something take their complement there for nothing; the others' go with
// the permutation, chosen so that V makes the whole complement of it.
MeshProgram write(const MeshGeometry& geometry, const BitMap& map, Adds first, Adds last) {
  const Factors factors = factor(map.matrix(), first, last);
  const int p = map.width();
  Word with_permutation = 0;
  Word with_last = 0;
  for (int i = 0; i < p; ++i)
    if (factors.last.row(i) == bit(i)) with_permutation |= map.complement() & bit(i);
  for (int i = 0; i < p; ++i) {
    const Word others = factors.last.row(i) & ~bit(i);
    if (others == 0) continue;
    if (has_bit(map.complement(), i) != (parity(others & with_permutation) != 0))
      with_last |= bit(i);
  }
  Writer writer(geometry);
  writer.triangular(factors.first, first, 0);
  const auto bits = BpcVector::from(BitMap::from_matrix(factors.middle, with_permutation));
  FARO_CHECK(bits.has_value());
  writer.bits(*bits);
  writer.triangular(factors.last, last, with_last);
  return writer.take();
}

}  // namespace

MeshProgram permute_affine(const MeshGeometry& geometry, const BitMap& map) {
  FARO_CHECK(map.width() == geometry.bits());
  std::optional<MeshProgram> best;
  const auto rank = [](const MeshProgram& program) {
    const Cost cost = program.cost();
    return std::tuple(cost.unit_routes, cost.long_routes, cost.register_ops);
  };
  for (const Adds first : {Adds::above, Adds::below})
    for (const Adds last : {Adds::above, Adds::below}) {
      MeshProgram program = write(geometry, map, first, last);
      if (!best || rank(program) < rank(*best)) best = std::move(program);
    }
  return *std::move(best);
}

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {
namespace {

std::optional<std::string> refusal_affine(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  if (!request.destinations().empty()) return "it plans maps, not lists of destinations";
  if (BpcVector::from(*mesh::processor_map(request)))
    return "the map permutes bits; the planners of PERMUTE do that in fewer routes";
  return std::nullopt;
}

mesh::MeshProgram program_for(const Request& request, const MeshGeometry& geometry) {
  return mesh::permute_affine(geometry, *mesh::processor_map(request));
}

Estimate estimate_affine(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  const char* text = "beta(P) + sum of 2g over the rows of U and V";
  return mesh::estimate_of(request, program_for(request, geometry),
                           request.elements() == 1 ? text : fmt::format("K times {}", text));
}

void build_affine(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, mesh_affine.name(), program_for(request, geometry), sink);
}

}  // namespace

const PlannerEntry mesh_affine({
    .name = "mesh-affine",
    .machine = "mesh",
    .title = "any affine map by conditional complements around a bit permutation",
    .needs = "an invertible affine map on processors; masks with parity conditions",
    .cost = "beta(P) + at most 4·sum(n - 1) unit routes",
    .refusal = refusal_affine,
    .estimate = estimate_affine,
    .build = build_affine,
});

}  // namespace faro::inline v1
