// Digit routing.   [faro]
//   applies:  both wraparounds, up to 2^10 processors, where an order of the routes exists
//   cost:     sum of the distances of the digits that somebody uses, at most sum(n - 1)
#include "faro/planners/torus_digit.hpp"

#include <fmt/format.h>

#include <set>

#include "faro/base/check.hpp"
#include "faro/planners/mesh_cover.hpp"

namespace faro::mesh {
namespace {

constexpr int digit_bits_max = 10;

class DigitRouter {
 public:
  DigitRouter(const MeshGeometry& geometry, std::span<const Word> destinations)
      : geometry_(geometry), p_(geometry.bits()), destinations_(destinations) {
    for (Word m = 0; m < destinations.size(); ++m) digits_.push_back(digits_of(m));
    Word used = 0;
    for (const Word d : digits_) used |= d;
    unused_ = low_mask(p_) & ~used;
  }

  std::optional<MeshProgram> run() {
    if (!extend(unused_, 0)) return {};
    return write();
  }

 private:
  // Bit b is 1 if the element of m rides the route of address bit b.
  Word digits_of(Word m) const {
    if (geometry_.wrap() == Mesh::Wrap::propagating) return (destinations_[m] - m) & low_mask(p_);
    Word digits = 0;
    for (int k = 0; k < geometry_.dimensions(); ++k) {
      const auto delta =
          static_cast<Word>(geometry_.coordinate(destinations_[m], k) - geometry_.coordinate(m, k));
      digits |= (delta & low_mask(geometry_.side_log2(k))) << geometry_.low(k);
    }
    return digits;
  }

  // Where m's element is when the routes in `done` are over.
  Word position(Word m, Word done) const {
    const Word ridden = digits_[m] & done;
    if (geometry_.wrap() == Mesh::Wrap::propagating) return (m + ridden) & low_mask(p_);
    Word at = 0;
    for (int k = 0; k < geometry_.dimensions(); ++k) {
      const Word own = low_mask(geometry_.side_log2(k)) << geometry_.low(k);
      at |= ((m & own) + (ridden & own)) & own;
    }
    return at;
  }

  // At most one rider and one rester a processor.
  bool fits(Word done, int next) const {
    std::vector<std::uint8_t> held(destinations_.size(), 0);
    for (Word m = 0; m < destinations_.size(); ++m) {
      auto& here = held[position(m, done)];
      const std::uint8_t kind = has_bit(digits_[m], next) ? 1 : 2;
      if ((here & kind) != 0) return false;
      here |= kind;
    }
    return true;
  }

  // Depth first; positions depend on the set of routes done alone, so failed sets are remembered.
  bool extend(Word done, int last) {
    if (done == low_mask(p_)) return true;
    if (failed_.contains(done)) return false;
    // Along bit cycles where the map has them: the place of a unit vector's element.
    const Word forward = destinations_[bit(last)] ^ destinations_[0];
    for (int turn = 0; turn <= p_; ++turn) {
      const int b = turn == 0 ? (is_power_of_two(forward) ? log2_exact(forward) : 0) : turn - 1;
      if (has_bit(done, b) || !fits(done, b)) continue;
      order_.push_back(b);
      if (extend(done | bit(b), b)) return true;
      order_.pop_back();
    }
    failed_.insert(done);
    return false;
  }

  enum class Place : std::uint8_t { either, in_s, in_r };

  MeshProgram write() const {
    MeshProgram program(geometry_);
    std::vector<Place> place(destinations_.size(), Place::either);
    Word done = unused_;
    for (const int b : order_) {
      if (done == unused_)
        program.copy({Rr, Rs});
      else
        arrange(program, place, done, b);
      program.route_bit(b, 1);
      for (Word m = 0; m < destinations_.size(); ++m)
        place[m] = has_bit(digits_[m], b) ? Place::in_r : Place::in_s;
      done |= bit(b);
    }
    if (order_.empty()) return program;
    std::vector<Wish> wishes(destinations_.size(), Wish::free);
    for (Word m = 0; m < destinations_.size(); ++m)
      wishes[destinations_[m]] = place[m] == Place::in_r ? Wish::wanted : Wish::forbidden;
    for (const TernaryMask& mask : cover(std::move(wishes), p_)) program.copy({Rs, Rr}, mask);
    return program;
  }

  // Swaps so that riders of route b are in Rr and resters in Rs.
  void arrange(MeshProgram& program, const std::vector<Place>& place, Word done, int b) const {
    std::vector<Wish> wishes(destinations_.size(), Wish::free);
    for (Word m = 0; m < destinations_.size(); ++m) {
      const bool rides = has_bit(digits_[m], b);
      wishes[position(m, done)] =
          rides == (place[m] == Place::in_r) ? Wish::forbidden : Wish::wanted;
    }
    for (const TernaryMask& mask : cover(std::move(wishes), p_)) program.swap({Rr, Rs}, mask);
  }

  const MeshGeometry& geometry_;
  int p_;
  std::span<const Word> destinations_;
  std::vector<Word> digits_;
  Word unused_ = 0;
  std::vector<int> order_;
  std::set<Word> failed_;
};

}  // namespace

std::optional<MeshProgram> route_digits(const MeshGeometry& geometry,
                                        std::span<const Word> destinations) {
  FARO_CHECK(geometry.wrap() != Mesh::Wrap::none && geometry.bits() <= digit_bits_max);
  FARO_CHECK(destinations.size() == geometry.processors());
  if (geometry.bits() == 0) return MeshProgram(geometry);
  return DigitRouter(geometry, destinations).run();
}

}  // namespace faro::mesh

namespace faro {
namespace {

std::optional<mesh::MeshProgram> program_for(const Request& request, const MeshGeometry& geometry) {
  return mesh::route_digits(geometry, mesh::destinations_of(request));
}

std::optional<std::string> refusal(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  const MeshGeometry geometry(mesh::mesh_of(request));
  if (geometry.wrap() == Mesh::Wrap::none) return "the machine has no wraparound";
  if (geometry.bits() > mesh::digit_bits_max) return "more than 2^10 processors";
  if (!program_for(request, geometry)) return "no order of the routes fits two registers";
  return std::nullopt;
}

Estimate estimate(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  return mesh::estimate_of(request, *program_for(request, geometry),
                           request.elements == 1 ? "sum of the distances of the digits used"
                                                 : "K times the distances of the digits used");
}

void build(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, torus_digit.name, *program_for(request, geometry), sink);
}

}  // namespace

const Planner torus_digit = {
    .name = "torus-digit",
    .machine = "torus",
    .title = "one route for each address bit, in an order that two registers can hold",
    .needs = "wraparound, at most 2^10 processors; most permutations of bits have an order",
    .cost = "at most sum(n - 1) unit routes and p long routes",
    .citation = "faro",
    .refusal = refusal,
    .estimate = estimate,
    .build = build,
};

}  // namespace faro
