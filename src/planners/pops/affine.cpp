// Affine maps on a POPS network by rules.   [Sahni 2000, section 4; the closed form for all affine
// maps is faro's]
//   applies:  a map on processor bits, d and g powers of two
//   cost:     2K slots for d <= g, 2Kd/g for d > g; single hop K·2^(dim U∩K); identity 0
//             (tested: every affine map of up to 4 bits on every split)
//   bound:    2 for d <= g wherever two elements share source and destination group
#include "planners/pops/affine.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {
namespace {

// Adds v to the span kept as a reduced basis; false if it was there.
bool extend(std::vector<Word>& basis, Word v) {
  if (reduce(v, basis) == 0) return false;
  basis.push_back(v);
  basis = reduced_basis(basis);
  return true;
}

// U ∩ K: local vectors whose destination group is that of 0.
std::vector<Word> staying(const BitMap& map, const Pops& machine) {
  const int ld = local_bits(machine);
  return map.matrix().block(ld, group_bits(machine), 0, ld).kernel();
}

std::vector<Parity> rows_of(const BitMap& map) {
  std::vector<Parity> rows;
  for (int b = map.width() - 1; b >= 0; --b)
    rows.push_back({map.matrix().row(b), unsigned{has_bit(map.complement(), b)}});
  return rows;
}

// A basis adapted to U and K: W, then what completes it to U, then C. Columns of coordinates.
struct Adapted {
  BitMatrix coordinates;  // row i: the functional of coordinate i
  int staying = 0;        // dim W
};

Adapted adapted(const BitMap& map, const Pops& machine) {
  const int n = map.width();
  const int ld = local_bits(machine);
  const std::vector<Word> w = staying(map, machine);
  std::vector<Word> columns = w;
  std::vector<Word> in_u = reduced_basis(w);
  std::vector<Word> more_u;
  for (int b = 0; b < ld; ++b)
    if (extend(in_u, bit(b))) more_u.push_back(bit(b));
  std::vector<Word> in_k = reduced_basis(w);
  std::vector<Word> more_k;
  for (const Word v : map.matrix().block(ld, n - ld, 0, n).kernel())
    if (extend(in_k, v)) more_k.push_back(v);
  FARO_CHECK(more_u.size() == more_k.size());
  std::vector<Word> sum = in_u;
  for (const Word v : more_k) extend(sum, v);
  columns.insert(columns.end(), more_u.begin(), more_u.end());
  for (int b = 0; b < n; ++b)
    if (extend(sum, bit(b))) columns.push_back(bit(b));
  for (std::size_t i = 0; i < more_u.size(); ++i) columns.push_back(more_u[i] ^ more_k[i]);
  const auto inverse = BitMatrix::from_columns(n, columns).inverse();
  FARO_CHECK(inverse.has_value());
  return {*inverse, static_cast<int>(w.size())};
}

// Conditions that functionals have the bits of `value`, most significant first.
std::vector<Parity> equal_to(const std::vector<Word>& functionals, Word value) {
  std::vector<Parity> conditions;
  const auto top = static_cast<int>(functionals.size()) - 1;
  for (std::size_t i = 0; i < functionals.size(); ++i)
    conditions.push_back({functionals[i], unsigned{has_bit(value, top - static_cast<int>(i))}});
  return conditions;
}

// The rules of a phase of two hops.
class TwoHops {
 public:
  TwoHops(const BitMap& map, const Pops& machine, const Relays& relays)
      : map_(map), relays_(relays), ld_(local_bits(machine)), n_(map.width()) {
    unused_ = ld_ - static_cast<int>(relays.local.size());
    for (const Word f : relays.group) there_.push_back({f, 0});
    for (int i = 0; i < unused_; ++i) there_.push_back({0, 0});
    for (const Word f : relays.local) there_.push_back({f, 0});
    std::vector<Word> rows = relays.group;
    rows.insert(rows.end(), relays.phase.begin(), relays.phase.end());
    rows.insert(rows.end(), relays.local.begin(), relays.local.end());
    const auto inverse = BitMatrix::from_rows(n_, rows).inverse();
    FARO_CHECK(inverse.has_value());
    from_functionals_ = *inverse;
  }

  PopsRule there(Word phase, Slot from, Slot transit) const {
    return {equal_to(relays_.phase, phase), from, there_, transit};
  }

  // Elements wait only at relays whose unused upper local bits are 0.
  PopsRule home(Word phase, Slot transit, Slot to) const {
    PopsRule rule{{}, transit, {}, to};
    for (int i = 0; i < unused_; ++i) rule.where.push_back({bit(ld_ - 1 - i), 0});
    for (int b = n_ - 1; b >= 0; --b) rule.to.push_back(home_row(b, phase));
    return rule;
  }

 private:
  // Destination bit b as a sum of relay bits: as a sum of functionals first.
  Parity home_row(int b, Word phase) const {
    const Word row = map_.matrix().row(b);
    Parity result{0, unsigned{has_bit(map_.complement(), b)}};
    const auto groups = static_cast<int>(relays_.group.size());
    const auto phases = static_cast<int>(relays_.phase.size());
    const auto locals = static_cast<int>(relays_.local.size());
    for (int f = 0; f < n_; ++f) {
      if (parity(row & from_functionals_.column(f)) == 0) continue;
      if (f < groups)
        result.mask ^= bit(n_ - 1 - f);
      else if (f < groups + phases)
        result.value ^= unsigned{has_bit(phase, phases - 1 - (f - groups))};
      else
        result.mask ^= bit(locals - 1 - (f - groups - phases));
    }
    return result;
  }

  BitMap map_;
  Relays relays_;
  int ld_;
  int n_;
  int unused_ = 0;
  std::vector<Parity> there_;
  BitMatrix from_functionals_;
};

bool moves_nothing(const Request& request) {
  const BitMap map = processor_map(request);
  return map == BitMap::identity(map.width());
}

void push_nothing(const Request& request, std::string_view planner, ScheduleSink& sink) {
  ScheduleHeader header = header_of(request, planner, request.elements());
  header.result = {0};
  sink.begin(header);
  sink.finish();
}

Count phases_of(const Pops& machine) {
  return machine.group_size > machine.groups ? machine.group_size / machine.groups : 1;
}

std::optional<std::string> too_many(Count slots) {
  if (slots <= limits::pops_slots_max) return std::nullopt;
  return fmt::format("{} slots are too many to list; the limit is {}", to_string(slots),
                     limits::pops_slots_max);
}

}  // namespace

std::optional<std::string> no_rules(const Request& request) {
  const auto* machine = std::get_if<Pops>(&request.machine());
  if (machine == nullptr) return "the machine is no POPS network";
  if (!request.destinations().empty()) return "destinations listed one by one have no rules";
  if (!has_address_bits(*machine)) return "rules need d and g powers of two";
  const int memory = request.map().cut ? request.map().memory_bits : 0;
  const BitMap& map = request.map().map;
  if (map.width() - memory != address_bits(*machine))
    return fmt::format("the map has {} processor bits, the machine {}", map.width() - memory,
                       address_bits(*machine));
  const Word low = low_mask(memory);
  for (int i = 0; i < map.width(); ++i)
    if (i < memory ? map.column(i) != bit(i) : (map.column(i) & low) != 0)
      return "the map moves memory bits; a POPS network moves all elements of a processor alike";
  if ((map.complement() & low) != 0)
    return "the map moves memory bits; a POPS network moves all elements of a processor alike";
  return std::nullopt;
}

BitMap processor_map(const Request& request) {
  const int memory = request.map().cut ? request.map().memory_bits : 0;
  if (memory == 0) return request.map().map;
  std::vector<Word> columns;
  for (int i = memory; i < request.map().map.width(); ++i)
    columns.push_back(request.map().map.column(i) >> memory);
  return BitMap::from_columns(columns,
                              memory == word_bits ? 0 : request.map().map.complement() >> memory);
}

Relays affine_relays(const BitMap& map, const Pops& machine) {
  const int ld = local_bits(machine);
  const int lg = group_bits(machine);
  const Adapted basis = adapted(map, machine);
  std::vector<Word> along_u;
  std::vector<Word> along_c;
  for (int i = 0; i < map.width(); ++i)
    (i < ld ? along_u : along_c).push_back(basis.coordinates.row(i));
  Relays relays;
  relays.local = along_c;
  if (ld >= lg) {
    relays.group.assign(along_u.begin(), along_u.begin() + lg);
    relays.phase.assign(along_u.begin() + lg, along_u.end());
  } else {
    relays.group = along_u;
    relays.group.insert(relays.group.end(), along_c.begin(), along_c.begin() + (lg - ld));
    relays.local.erase(relays.local.begin(), relays.local.begin() + (lg - ld));
  }
  return relays;
}

void push_two_hops(const Request& request, const Relays& relays, std::string_view planner,
                   ScheduleSink& sink) {
  if (moves_nothing(request)) {
    push_nothing(request, planner, sink);
    return;
  }
  const auto k = static_cast<Slot>(request.elements());
  const TwoHops hops(processor_map(request), machine_of(request), relays);
  ScheduleHeader header = header_of(request, planner, 2 * request.elements() + 1);
  header.result = {k};
  sink.begin(header);
  PopsSlot slot;
  for (Slot s = 0; s < k; ++s)
    for (Word phase = 0; phase < bit(static_cast<int>(relays.phase.size())); ++phase) {
      slot.rules = {hops.there(phase, s, 2 * k)};
      sink.step(slot);
      slot.rules = {hops.home(phase, 2 * k, k + s)};
      sink.step(slot);
    }
  sink.finish();
}

std::optional<std::string> no_two_hops(const Request& request) {
  if (auto why = no_rules(request)) return why;
  return too_many(2 * phases_of(machine_of(request)) * request.elements());
}

Count two_hop_slots(const Request& request) {
  if (moves_nothing(request)) return 0;
  return 2 * phases_of(machine_of(request)) * request.elements();
}

Count single_hop_slots(const Request& request) {
  if (moves_nothing(request)) return 0;
  const std::size_t w = staying(processor_map(request), machine_of(request)).size();
  return (Count{1} << static_cast<unsigned>(w)) * request.elements();
}

std::optional<std::string> no_single_hop(const Request& request) {
  if (auto why = no_rules(request)) return why;
  return too_many(single_hop_slots(request));
}

void push_single_hop(const Request& request, std::string_view planner, ScheduleSink& sink) {
  if (moves_nothing(request)) {
    push_nothing(request, planner, sink);
    return;
  }
  const BitMap map = processor_map(request);
  const Adapted basis = adapted(map, machine_of(request));
  std::vector<Word> apart;
  for (int i = 0; i < basis.staying; ++i) apart.push_back(basis.coordinates.row(i));
  const auto k = static_cast<Slot>(request.elements());
  ScheduleHeader header = header_of(request, planner, 2 * request.elements());
  header.result = {k};
  sink.begin(header);
  PopsSlot slot;
  for (Slot s = 0; s < k; ++s)
    for (Word t = 0; t < bit(basis.staying); ++t) {
      slot.rules = {PopsRule{equal_to(apart, t), s, rows_of(map), k + s}};
      sink.step(slot);
    }
  sink.finish();
}

namespace {

constexpr const char* map_needs = "a map on processor bits; d and g powers of two";

Formula affine_cost(const Request& request) {
  const Count slots = two_hop_slots(request);
  if (slots == 0) return {0, "0: nothing moves"};
  return {slots, machine_of(request).group_size <= machine_of(request).groups ? "2K" : "2Kd/g"};
}

Estimate affine_estimate(const Request& request) {
  return {affine_cost(request), std::nullopt};
}

void affine_build(const Request& request, ScheduleSink& sink) {
  push_two_hops(request, affine_relays(processor_map(request), machine_of(request)), "pops-affine",
                sink);
}

Estimate single_hop_estimate(const Request& request) {
  const Count slots = single_hop_slots(request);
  return {{slots, slots == 0 ? "0: nothing moves" : "K·2^(local bits that stay local)"},
          std::nullopt};
}

void single_hop_build(const Request& request, ScheduleSink& sink) {
  push_single_hop(request, "pops-affine-single-hop", sink);
}

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_affine({
    "pops-affine",
    "pops",
    "two hops for every affine map, by linear algebra",
    pops::map_needs,
    "2K slots for d <= g, 2Kd/g for d > g",
    "faro; generalizes Sahni 2000, section 4.3",
    pops::no_two_hops,
    pops::affine_estimate,
    pops::affine_build,
});

const PlannerEntry pops_affine_single_hop({
    "pops-affine-single-hop",
    "pops",
    "every element straight home, one rule a slot",
    pops::map_needs,
    "K·2^w slots, w = dimension of the local vectors whose destination group is one",
    "Gravenstreter, Melhem 1998, as in Sahni 2000, section 3",
    pops::no_single_hop,
    pops::single_hop_estimate,
    pops::single_hop_build,
});

}  // namespace faro::inline v1
