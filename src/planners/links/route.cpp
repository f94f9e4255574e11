// Planners for the mesh with all links.   [dimension order: Dally, Seitz 1987; negotiation:
// McMurchie, Ebeling 1995; the rest: faro]
//   cost:     as found; max(distance, load of the busiest link) and a little more
//   bound:    distance, cuts, congestion (machines/links/bounds.hpp)
#include "planners/links/route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/check.hpp"
#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/links/bounds.hpp"
#include "machines/mesh/geometry.hpp"
#include "planners/header.hpp"
#include "planners/links/search.hpp"

namespace faro::inline v1 {
namespace {

using links::DimensionOrder;
using links::LinkTable;
using links::Packet;
using links::rounds_for;
using links::Timetable;

// Orders of more dimensions than this are not all mixed: 24 already spread well.
constexpr int mixed_dimensions_max = 4;

// Efforts, each about a quarter of a second at most on a machine of today: searches of cheapest
// ways cost processors, rounds of times cost packets and steps.
constexpr std::uint64_t balance_work = std::uint64_t{1} << 20U;
constexpr int balance_rounds_max = 15;
constexpr std::uint64_t improve_work = std::uint64_t{1} << 23U;
constexpr int improve_rounds_max = 100;
constexpr std::uint64_t seats_work = std::uint64_t{1} << 27U;

enum class Ties { upward, by_processor, by_element };

// Ways and times, and what the storing in between needs.
class Job {
 public:
  explicit Job(const Request& request)
      : request_(request), geometry_(std::get<Mesh>(request.machine())), links_(geometry_) {
    for (const Move& move : links::moves_of(request))
      if (move.from_processor != move.to_processor) packets_.push_back({move, {}});
  }

  const Timetable& times() const { return times_; }

  // The best of ascending and descending order, where of two ways round a ring that are equally
  // short all take the upper one, or processors alternate, or elements do.
  void dimension_order() {
    std::vector<int> ascending(static_cast<std::size_t>(geometry_.dimensions()));
    std::iota(ascending.begin(), ascending.end(), 0);
    const std::vector<int> descending(ascending.rbegin(), ascending.rend());
    for (const auto& order : {ascending, descending})
      for (const Ties ties : {Ties::upward, Ties::by_processor, Ties::by_element}) {
        std::vector<Packet> packets = packets_;
        for (Packet& packet : packets) {
          still_working();
          const Word source = packet.move.from_processor;
          const bool upward =
              ties == Ties::upward ||
              (ties == Ties::by_processor ? parity(source) == 0 : packet.move.from_slot % 2 == 0);
          packet.way = links::way_by_order(geometry_, links_, source, packet.move.to_processor,
                                           {order, upward});
        }
        keep(std::move(packets), {});
      }
  }

  void mixed_orders() {
    std::vector<int> order;
    for (int k = 0; k < geometry_.dimensions(); ++k)
      if (geometry_.side_log2(k) > 0) order.push_back(k);
    std::vector<DimensionOrder> orders;
    const auto mixed =
        order.begin() +
        std::min<std::ptrdiff_t>(mixed_dimensions_max, static_cast<std::ptrdiff_t>(order.size()));
    do orders.push_back({order, true});
    while (std::next_permutation(order.begin(), mixed));
    std::vector<Packet> packets = packets_;
    for (Packet& packet : packets) {
      still_working();
      // Neighbours begin with different orders, so that one element a processor is mixed too.
      const Word turn = packet.move.from_slot + parity(packet.move.from_processor);
      DimensionOrder own = orders[turn % orders.size()];
      own.upward = (turn / orders.size()) % 2 == 0;
      packet.way = links::way_by_order(geometry_, links_, packet.move.from_processor,
                                       packet.move.to_processor, own);
    }
    keep(std::move(packets), {});
  }

  void congestion() {
    dimension_order();
    mixed_orders();
    const std::uint64_t processors = geometry_.processors();
    const std::uint64_t count = std::max<std::uint64_t>(packets_.size(), 1);
    const auto enough = static_cast<std::uint32_t>(quick_bound());
    Random random(1987);
    std::vector<Packet> packets = packets_;
    links::balance(
        links_, packets,
        rounds_for({.work = balance_work, .each = processors * count, .most = balance_rounds_max}),
        random);
    for (auto* candidate : {&packets, &packets_}) {
      std::vector<Packet> tried = *candidate;
      Timetable times = links::improve(
          links_, tried,
          rounds_for(
              {.work = improve_work, .each = count * times_.steps, .most = improve_rounds_max}),
          enough, random);
      keep(std::move(tried), std::move(times));
    }
    while (times_.steps > enough) {
      const std::uint64_t search = links_.size() * times_.steps;
      if (!links::negotiate_seats(links_, packets_, times_, times_.steps - 1, seats_work / search))
        break;
    }
  }

  void emit(std::string_view planner, ScheduleSink& sink) const {
    const links::ListedSteps listed =
        links::listed(request_, links_, packets_, times_, links::OwnSlots::at_home);
    sink.begin(header_of(request_, planner, listed.slots));
    for (const CubeStep& step : listed.steps)
      if (!step.moves.empty()) sink.step(step);
    sink.finish();
  }

 private:
  // The first candidate, or a better one.
  void keep(std::vector<Packet> packets, Timetable times) {
    if (times.starts.empty()) times = links::first_come(links_, packets, {});
    if (!times_.starts.empty() && times.steps >= times_.steps) return;
    packets_ = std::move(packets);
    times_ = std::move(times);
  }

  Count quick_bound() const {
    std::vector<Shipment> traffic;
    for (const Packet& packet : packets_)
      traffic.push_back({packet.move.from_processor, packet.move.to_processor, 1});
    return std::max(distance_bound(geometry_, traffic).value, cut_bound(geometry_, traffic).value);
  }

  Request request_;
  MeshGeometry geometry_;
  LinkTable links_;
  std::vector<Packet> packets_;
  Timetable times_;
};

std::optional<std::string> too_many_crossings(const Request& request,
                                              const MeshGeometry& geometry) {
  Count farthest = 0;
  for (int k = 0; k < geometry.dimensions(); ++k)
    farthest += static_cast<Count>(geometry.side(k) - 1);
  constexpr Count most = Count{1} << limits::links_crossings_log2_max;
  if (farthest * geometry.processors() * request.elements() <= most) return {};
  Count crossings = 0;
  for (const Move& move : links::moves_of(request))
    crossings += static_cast<Count>(geometry.hops(move.from_processor, move.to_processor));
  if (crossings <= most) return {};
  return fmt::format(
      "its elements cross {} links in all, and what is listed move by move crosses at most 2^{}",
      to_string(crossings), limits::links_crossings_log2_max);
}

std::optional<std::string> refusal_up_to(const Request& request, int elements_log2_max) {
  const auto* mesh = std::get_if<Mesh>(&request.machine());
  if (mesh == nullptr || mesh->links != Mesh::Links::all)
    return "the machine is no mesh with all links";
  if (mesh->wrap == Mesh::Wrap::propagating)
    return "all links do not go with propagating wraparound";
  const MeshGeometry geometry(*mesh);
  const int memory_bits = request.map().cut ? request.map().memory_bits : 0;
  if (request.destinations().empty() && request.map().map.width() != geometry.bits() + memory_bits)
    return "the map's bits are not the machine's";
  if (geometry.bits() > elements_log2_max ||
      request.elements() > (bit(elements_log2_max) >> geometry.bits()))
    return fmt::format("more than 2^{} elements", elements_log2_max);
  return too_many_crossings(request, geometry);
}

template <int elements_log2_max>
std::optional<std::string> refusal(const Request& request) {
  return refusal_up_to(request, elements_log2_max);
}

template <void (Job::*route)(), const PlannerEntry* planner>
Offer offer(const Request& request) {
  const auto routed = std::make_shared<Job>(request);
  ((*routed).*route)();
  return {.estimate = {.cost = {routed->times().steps, "as found"}},
          .push = [routed](ScheduleSink& sink) { routed->emit(planner->name(), sink); }};
}

}  // namespace

const PlannerEntry links_dimension_order({
    .name = "links-dimension-order",
    .machine = "mesh all links",
    .title = "one coordinate after the other, farthest first",
    .needs = "any map or destinations, at most 2^20 elements over 2^25 links",
    .cost = "as found: the busiest link of this order, or the distance",
    .citation = "Dally, Seitz 1987",
    .refusal = refusal<limits::links_elements_log2_max>,
    .offer = offer<&Job::dimension_order, &links_dimension_order>,
});

const PlannerEntry links_mixed_orders({
    .name = "links-mixed-orders",
    .machine = "mesh all links",
    .title = "the elements of a processor take the coordinates in different orders",
    .needs = "any map or destinations, at most 2^20 elements over 2^25 links",
    .cost = "as found",
    .refusal = refusal<limits::links_elements_log2_max>,
    .offer = offer<&Job::mixed_orders, &links_mixed_orders>,
});

const PlannerEntry links_congestion({
    .name = "links-congestion",
    .machine = "mesh all links",
    .title = "ways spread over the links, then ways and times negotiated for fewer steps",
    .needs = "any map or destinations, at most 2^14 elements",
    .cost = "as found, never more than the other two",
    .citation = "faro, after McMurchie, Ebeling 1995",
    .refusal = refusal<limits::links_negotiated_log2_max>,
    .offer = offer<&Job::congestion, &links_congestion>,
    .searches = true,
    .finds_by_luck = true,
});

}  // namespace faro::inline v1
