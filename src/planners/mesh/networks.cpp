// Networks of exchanges.   [Nassimi, Sahni 1980, section 1]
//   applies:  any permutation, given as a map or as destinations, up to 2^12 processors
//   cost:     Benes 7n - 8, bitonic sort 14(n - 1) - 8 log n unit routes on n x n
//   bound:    two to seven times it
#include "planners/mesh/networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/check.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::mesh {
namespace {

// Address bits, nearest first.
std::vector<int> bits_by_distance(const MeshGeometry& geometry) {
  std::vector<int> bits;
  for (int i = 0; i < geometry.bits(); ++i) bits.push_back(i);
  std::stable_sort(bits.begin(), bits.end(),
                   [&](int a, int b) { return geometry.level(a) < geometry.level(b); });
  return bits;
}

// The bits that the stages go through, in their order.
std::vector<int> benes_order(const MeshGeometry& geometry) {
  std::vector<int> order = bits_by_distance(geometry);
  for (std::size_t i = order.size(); i-- > 1;) order.push_back(order[i - 1]);
  return order;
}
std::vector<int> sort_order(const MeshGeometry& geometry) {
  const std::vector<int> bits = bits_by_distance(geometry);
  std::vector<int> order;
  for (std::size_t sorted = 1; sorted <= bits.size(); ++sorted)
    for (std::size_t j = sorted; j-- > 0;) order.push_back(bits[j]);
  return order;
}

Word with_bit(Word x, int i, bool value) {
  return value ? x | bit(i) : x & ~bit(i);
}

// Where each place's element is.
std::vector<Word> inverse_of(std::span<const Word> places) {
  std::vector<Word> elements(places.size());
  for (Word m = 0; m < places.size(); ++m) elements[places[m]] = m;
  return elements;
}

// Which half each element goes through: elements that share a pair of places across bit i, where
// they are or where they belong, take different ones.
std::vector<bool> halves(std::span<const Word> at, std::span<const Word> to, int i) {
  const std::vector<Word> who_is_at = inverse_of(at);
  const std::vector<Word> who_goes_to = inverse_of(to);
  std::vector<bool> half(at.size());
  std::vector<bool> known(at.size());
  for (Word first = 0; first < at.size(); ++first) {
    const bool stays = has_bit(at[first], i);
    for (Word m = first; !known[m];) {
      const Word partner = who_is_at[at[m] ^ bit(i)];
      half[m] = stays;
      half[partner] = !stays;
      known[m] = known[partner] = true;
      m = who_goes_to[to[partner] ^ bit(i)];
    }
  }
  return half;
}

RidePlan rides_of(const MeshGeometry& geometry, const std::vector<ExchangeStage>& stages) {
  RidePlan plan;
  plan.rides.resize(geometry.processors());
  std::vector<Word> at(plan.rides.size());
  for (Word m = 0; m < at.size(); ++m) at[m] = m;
  for (const ExchangeStage& stage : stages) {
    const int k = geometry.dimension_of(stage.address_bit);
    const std::int64_t distance = geometry.distance(stage.address_bit);
    for (const bool up : {true, false}) {
      plan.routes.push_back({k, up ? distance : -distance});
      for (Word m = 0; m < at.size(); ++m)
        plan.rides[m].push_back(stage.crosses[m] && has_bit(at[m], stage.address_bit) != up);
    }
    for (Word m = 0; m < at.size(); ++m)
      if (stage.crosses[m]) at[m] ^= bit(stage.address_bit);
  }
  return plan;
}

}  // namespace

std::vector<ExchangeStage> benes_stages(const MeshGeometry& geometry,
                                        std::span<const Word> destinations) {
  const std::vector<int> order = benes_order(geometry);
  std::vector<ExchangeStage> stages(order.size());
  std::vector<Word> at(destinations.size());
  for (Word m = 0; m < at.size(); ++m) at[m] = m;
  std::vector<Word> to(destinations.begin(), destinations.end());
  for (std::size_t s = 0; 2 * s + 1 < order.size(); ++s) {
    const int i = order[s];
    const std::vector<bool> half = halves(at, to, i);
    ExchangeStage& opening = stages[s];
    ExchangeStage& closing = stages[order.size() - 1 - s];
    opening.address_bit = closing.address_bit = i;
    for (Word m = 0; m < at.size(); ++m) {
      opening.crosses.push_back(has_bit(at[m], i) != half[m]);
      closing.crosses.push_back(has_bit(to[m], i) != half[m]);
      at[m] = with_bit(at[m], i, half[m]);
      to[m] = with_bit(to[m], i, half[m]);
    }
  }
  if (!order.empty()) {
    ExchangeStage& middle = stages[order.size() / 2];
    middle.address_bit = order[order.size() / 2];
    for (Word m = 0; m < at.size(); ++m) middle.crosses.push_back(at[m] != to[m]);
  }
  return stages;
}

std::vector<ExchangeStage> sort_stages(const MeshGeometry& geometry,
                                       std::span<const Word> destinations) {
  const std::vector<int> bits = bits_by_distance(geometry);
  const auto rank = [&](Word address) {
    Word r = 0;
    for (std::size_t j = 0; j < bits.size(); ++j)
      if (has_bit(address, bits[j])) r |= bit(static_cast<int>(j));
    return r;
  };
  std::vector<Word> at(destinations.size());
  for (Word m = 0; m < at.size(); ++m) at[m] = m;
  std::vector<ExchangeStage> stages;
  for (std::size_t sorted = 1; sorted <= bits.size(); ++sorted)
    for (std::size_t j = sorted; j-- > 0;) {
      ExchangeStage stage{.address_bit = bits[j], .crosses = std::vector<bool>(at.size())};
      const std::vector<Word> who_is_at = inverse_of(at);
      for (Word low = 0; low < at.size(); ++low) {
        if (has_bit(low, bits[j])) continue;
        const Word a = who_is_at[low];
        const Word b = who_is_at[low | bit(bits[j])];
        const bool ascending = sorted == bits.size() || !has_bit(low, bits[sorted]);
        if ((rank(destinations[a]) < rank(destinations[b])) == ascending) continue;
        stage.crosses[a] = stage.crosses[b] = true;
        std::swap(at[a], at[b]);
      }
      stages.push_back(std::move(stage));
    }
  return stages;
}

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {
namespace {

// A network as a planner: asked only where nothing cheaper applies.
class NetworkPlanner final : public Planner {
 public:
  using Stages = std::vector<mesh::ExchangeStage> (*)(const MeshGeometry&, std::span<const Word>);
  using Order = std::vector<int> (*)(const MeshGeometry&);

  constexpr NetworkPlanner(const About& about, Stages stages, Order order)
      : about_(about), stages_(stages), order_(order) {}

  const About& about() const override { return about_; }
  bool searches() const override { return true; }

  std::optional<std::string> refusal(const Request& request) const override {
    if (auto why = mesh::refusal_of_simd(request)) return why;
    if (MeshGeometry(mesh::mesh_of(request)).bits() > limits::mesh_sweep_log2_max)
      return "more than 2^12 processors";
    return std::nullopt;
  }

  // Its cost, whatever the permutation is.
  Count at_least(const Request& request) const override {
    const MeshGeometry geometry(mesh::mesh_of(request));
    Count units = 0;
    for (const int i : order_(geometry)) units += 2 * static_cast<Count>(geometry.distance(i));
    return units * request.elements();
  }

  Offer offer(const Request& request) const override {
    const MeshGeometry geometry(mesh::mesh_of(request));
    const std::vector<Word> destinations = mesh::destinations_of(request);
    const auto program = std::make_shared<const mesh::MeshProgram>(
        mesh::write_rides(geometry, mesh::AddressBits(low_mask(geometry.bits())), destinations,
                          mesh::rides_of(geometry, stages_(geometry, destinations))));
    Offer made{.estimate = mesh::estimate_of(request, *program, "2g for each exchange across g"),
               .push = [request, program, this](ScheduleSink& sink) {
                 mesh::emit(request, name(), *program, sink);
               }};
    FARO_CHECK(made.estimate.cost.value == at_least(request));
    return made;
  }

 private:
  About about_;
  Stages stages_;
  Order order_;
};

const NetworkPlanner benes({.name = "mesh-benes",
                            .machine = "mesh",
                            .title = "any permutation by the Benes network laid over the mesh",
                            .needs = "at most 2^12 processors; a map or destinations",
                            .cost = "7n - 8 unit routes on n x n",
                            .citation = "Thompson 1978, of Nassimi, Sahni 1980, section 1"},
                           mesh::benes_stages, mesh::benes_order);

const NetworkPlanner sort({.name = "mesh-sort",
                           .machine = "mesh",
                           .title = "any permutation by a bitonic sort of the destinations",
                           .needs = "at most 2^12 processors; a map or destinations",
                           .cost = "14(n - 1) - 8 log n unit routes on n x n",
                           .citation = "Nassimi, Sahni 1979, of Nassimi, Sahni 1980, section 1"},
                          mesh::sort_stages, mesh::sort_order);

}  // namespace

const Planner& mesh_benes = benes;
const Planner& mesh_sort = sort;

}  // namespace faro::inline v1
