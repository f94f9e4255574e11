// Digit routing.   [faro]
//   applies:  both wraparounds, where an order of the routes is found; any map or destinations up
//             to 2^12 processors, BPC maps with orthogonal wraparound beyond
//   cost:     sum of the distances of the digits that somebody uses, twice those of bits that stay
//             out of the digits; at most sum(n - 1 + 2^l - 1), l such bits on a ring of n
//             (all BPC maps up to 2^4 processors in sum(n - 1); all of 8x8, 4x4x4, 4x16 in one
//             more)
//   bound:    gamma
#include "planners/mesh/torus_digit.hpp"

#include <fmt/format.h>

#include <numeric>
#include <tuple>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/mesh/permute.hpp"
#include "planners/mesh/rides.hpp"
#include "planners/mesh/torus_digit_order.hpp"

namespace faro::inline v1::mesh {
namespace {

// Elements looked at by the search for an order, over all ways to cut the rings: a tenth of a
// second.
constexpr std::uint64_t effort_max = std::uint64_t{1} << 26;

// Bits over which a carry runs.
struct Ring {
  int low = 0;
  int width = 0;
};

std::vector<Ring> rings_of(const MeshGeometry& geometry) {
  if (geometry.wrap() == Mesh::Wrap::propagating) return {{0, geometry.bits()}};
  std::vector<Ring> rings;
  for (int k = 0; k < geometry.dimensions(); ++k)
    if (geometry.side_log2(k) > 0) rings.push_back({geometry.low(k), geometry.side_log2(k)});
  return rings;
}

// How many of the top bits of each ring are digits.
using Cut = std::vector<int>;

// What is routed by digits: elements numbered by some of the address bits.
struct Part {
  AddressBits bits{0};
  std::vector<Word> destinations;
  std::vector<Word> rings;  // the digits of each ring, in the elements' numbers
  MeshProgram rest;         // what the other bits take
};

// The parts of one request, a cut of the rings each.
class Parts {
 public:
  Parts(const MeshGeometry& geometry, std::span<const Word> destinations)
      : geometry_(geometry), rings_(rings_of(geometry)), destinations_(destinations) {}
  Parts(const MeshGeometry& geometry, const BpcVector& bits)
      : geometry_(geometry), rings_(rings_of(geometry)), bits_(&bits) {}

  const std::vector<Ring>& rings() const { return rings_; }

  // Nothing if it has too many elements.
  std::optional<Part> at(const Cut& cut) const {
    Part part{.bits = AddressBits(low_mask(geometry_.bits())),
              .destinations = {},
              .rings = {},
              .rest = MeshProgram(geometry_)};
    if (bits_ == nullptr) {
      part.destinations.assign(destinations_.begin(), destinations_.end());
    } else if (!restrict_to_cycles(part, cut)) {
      return {};
    }
    for (std::size_t r = 0; r < rings_.size(); ++r)
      if (cut[r] > 0) part.rings.push_back(part.bits.gather(digits_of(r, cut[r])));
    return part;
  }

 private:
  Word digits_of(std::size_t ring, int count) const {
    return low_mask(count) << (rings_[ring].low + rings_[ring].width - count);
  }

  // The elements that differ in the cycles of the cut's digits; PERMUTE for the other cycles.
  bool restrict_to_cycles(Part& part, const Cut& cut) const {
    Word mask = 0;
    for (std::size_t r = 0; r < rings_.size(); ++r) mask |= digits_of(r, cut[r]);
    for (Word added = mask; added != 0;) {
      Word next = 0;
      for (; added != 0; added &= added - 1) next |= bit(bits_->to(lowest_bit(added)));
      added = next & ~mask;
      mask |= next;
    }
    part.bits = AddressBits(mask);
    if (part.bits.count() > limits::torus_digit_part_log2_max) return false;
    const BitMap map = bits_->map();
    for (Word m = 0; m < bit(part.bits.count()); ++m)
      part.destinations.push_back(part.bits.gather(map(part.bits.spread(m))));
    BpcVector others = *bits_;
    for (Word inside = mask; inside != 0; inside &= inside - 1) {
      const int b = lowest_bit(inside);
      others.target[static_cast<std::size_t>(b)] = b;
      others.inverted[static_cast<std::size_t>(b)] = false;
    }
    part.rest = permute(geometry_, others, Variant::torus);
    return true;
  }

  const MeshGeometry& geometry_;
  std::vector<Ring> rings_;
  std::span<const Word> destinations_;
  const BpcVector* bits_ = nullptr;
};

// A route up takes 1 from 0 to 1 or a digit on; a bit that stays out of the digits has one down
// too.
Count units_of(const MeshGeometry& geometry, const Part& part, const DigitOrder& order) {
  Count units = part.rest.cost().unit_routes;
  for (Word used = order.used(); used != 0; used &= used - 1) {
    const int b = lowest_bit(used);
    const auto distance =
        static_cast<Count>(geometry.distance(highest_bit(part.bits.spread(bit(b)))));
    units += order.carries(b) ? distance : 2 * distance;
  }
  return units;
}

// Cuts in the order of their cost, with equal cost those with more digits first.
struct Attempt {
  Count units = 0;
  int undigested = 0;
  Cut cut;
  friend bool operator<(const Attempt& a, const Attempt& b) {
    return std::tie(a.units, a.undigested, a.cut) < std::tie(b.units, b.undigested, b.cut);
  }
};

class DigitPlanner {
 public:
  DigitPlanner(const MeshGeometry& geometry, Parts parts)
      : geometry_(geometry), parts_(std::move(parts)) {}

  // All cuts, the cheapest that has an order.
  std::optional<MeshProgram> among_all() {
    Cut cut(parts_.rings().size(), 0);
    for (;;) {
      add(cut);
      std::size_t r = 0;
      while (r < cut.size() && cut[r] == parts_.rings()[r].width) cut[r++] = 0;
      if (r == cut.size()) break;
      ++cut[r];
    }
    return first(false);
  }

  // Digits are added where they save most, as long as elements are few enough; then cuts with
  // fewer.
  std::optional<MeshProgram> from_longest() {
    Cut cut(parts_.rings().size(), 0);
    for (;;) {
      std::optional<Attempt> best;
      for (std::size_t r = 0; r < cut.size(); ++r) {
        if (cut[r] == parts_.rings()[r].width) continue;
        ++cut[r];
        const auto longer = attempt(cut);
        --cut[r];
        if (longer && (!best || *longer < *best)) best = longer;
      }
      if (!best) break;
      cut = best->cut;
    }
    add(cut);
    return first(true);
  }

 private:
  std::optional<Attempt> attempt(const Cut& cut) const {
    const auto part = parts_.at(cut);
    if (!part) return {};
    const DigitOrder order(part->destinations, part->rings);
    return Attempt{units_of(geometry_, *part, order), -std::accumulate(cut.begin(), cut.end(), 0),
                   cut};
  }

  void add(const Cut& cut) {
    if (std::accumulate(cut.begin(), cut.end(), 0) == 0 && geometry_.bits() > 0) return;
    if (!seen_.insert(cut).second) return;
    if (const auto found = attempt(cut)) open_.insert(*found);
  }

  std::optional<MeshProgram> first(bool shorter_too) {
    std::uint64_t effort = effort_max;
    while (!open_.empty() && effort > 0) {
      Cut cut = open_.extract(open_.begin()).value().cut;
      const Part part = *parts_.at(cut);
      DigitOrder order(part.destinations, part.rings);
      if (const auto bits = order.find(effort)) return written(part, order, *bits);
      for (std::size_t r = 0; shorter_too && r < cut.size(); ++r) {
        if (cut[r] == 0) continue;
        --cut[r];
        add(cut);
        ++cut[r];
      }
    }
    return {};
  }

  MeshProgram written(const Part& part, const DigitOrder& order,
                      const std::vector<int>& bits) const {
    RidePlan plan;
    plan.rides.resize(part.destinations.size());
    for (const int b : bits) {
      const int address_bit = lowest_bit(part.bits.spread(bit(b)));
      const int k = geometry_.dimension_of(address_bit);
      const std::int64_t distance = geometry_.distance(address_bit);
      const bool one_way = order.carries(b);
      plan.routes.push_back({k, distance});
      if (!one_way) plan.routes.push_back({k, -distance});
      for (Word m = 0; m < plan.rides.size(); ++m) {
        const bool rides = order.rides(m, b);
        plan.rides[m].push_back(rides && (one_way || !has_bit(m, b)));
        if (!one_way) plan.rides[m].push_back(rides && has_bit(m, b));
      }
    }
    MeshProgram program = part.rest;
    if (!plan.routes.empty())
      program.append(write_rides(geometry_, part.bits, part.destinations, plan));
    return program;
  }

  const MeshGeometry& geometry_;
  Parts parts_;
  std::set<Attempt> open_;
  std::set<Cut> seen_;
};

}  // namespace

std::optional<MeshProgram> route_digits(const MeshGeometry& geometry,
                                        std::span<const Word> destinations) {
  FARO_CHECK(geometry.wrap() != Mesh::Wrap::none &&
             geometry.bits() <= limits::torus_digit_log2_max);
  FARO_CHECK(destinations.size() == geometry.processors());
  return DigitPlanner(geometry, Parts(geometry, destinations)).among_all();
}

std::optional<MeshProgram> route_digits_by_parts(const MeshGeometry& geometry,
                                                 const BpcVector& bits) {
  FARO_CHECK(geometry.wrap() == Mesh::Wrap::orthogonal && bits.bits() == geometry.bits());
  return DigitPlanner(geometry, Parts(geometry, bits)).from_longest();
}

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {
namespace {

std::optional<mesh::MeshProgram> digits_for(const Request& request, const MeshGeometry& geometry) {
  if (geometry.bits() <= limits::torus_digit_log2_max)
    return mesh::route_digits(geometry, mesh::destinations_of(request));
  return mesh::route_digits_by_parts(geometry, *BpcVector::from(*mesh::processor_map(request)));
}

std::optional<std::string> refusal_torus_digit(const Request& request) {
  if (const auto why = mesh::refusal_of_simd(request)) return why;
  const MeshGeometry geometry(mesh::mesh_of(request));
  if (geometry.wrap() == Mesh::Wrap::none) return "the machine has no wraparound";
  if (geometry.bits() > limits::torus_digit_log2_max) {
    if (geometry.wrap() != Mesh::Wrap::orthogonal)
      return "more than 2^12 processors with propagating wraparound";
    if (mesh::refusal_of_bpc(request))
      return "more than 2^12 processors, and no permutation of bits";
  }
  if (!digits_for(request, geometry)) return "no order of the routes was found";
  return std::nullopt;
}

Estimate estimate_torus_digit(const Request& request) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  return mesh::estimate_of(request, *digits_for(request, geometry),
                           request.elements() == 1 ? "sum of the distances of the digits used"
                                                   : "K times the distances of the digits used");
}

void build_torus_digit(const Request& request, ScheduleSink& sink) {
  const MeshGeometry geometry(mesh::mesh_of(request));
  mesh::emit(request, torus_digit.name(), *digits_for(request, geometry), sink);
}

}  // namespace

const PlannerEntry torus_digit({
    .name = "torus-digit",
    .machine = "torus",
    .title = "one route for each address bit, in an order that the registers can hold",
    .needs = "wraparound; up to 2^12 processors anything with an order, beyond BPC maps",
    .cost =
        "sum(n - 1) unit routes at most where all bits are digits, 2^l - 1 more with l that are "
        "not",
    .refusal = refusal_torus_digit,
    .estimate = estimate_torus_digit,
    .build = build_torus_digit,
});

}  // namespace faro::inline v1
