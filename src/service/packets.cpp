// The packet size that costs least in seconds: only sizes at which the number of packets changes
// are planned.
#include "planners/cube/shuffle/packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/schedules/cost.hpp"
#include "service/planning.hpp"

namespace faro::inline v1 {
namespace {

bool splits_memory(const Request& request) {
  return request.map().cut && request.map().memory_bits > 0;
}

// The sizes at which the number of packets changes, or that a map with memory bits allows.
std::vector<std::uint64_t> packet_sizes(const Request& request) {
  std::vector<std::uint64_t> sizes = {1};
  if (splits_memory(request)) {
    for (int j = 1; shuffle::packed(request, j); ++j) sizes.push_back(bit(j));
    return sizes;
  }
  const std::uint64_t k = request.elements();
  // A mesh saves its routes' start-ups and loses nothing.
  if (is_simd_mesh(request.machine())) return k == 1 ? sizes : std::vector{std::uint64_t{1}, k};
  for (std::uint64_t packets = k; packets > 1;) {
    const std::uint64_t size = (k - 1) / (packets - 1) + 1;
    packets = (k - 1) / size + 1;
    sizes.push_back(size);
  }
  return sizes;
}

// A size and a planner: its time is startups * startup + rest.
struct Tried {
  PacketReport report;
  double rest = 0;
};

// Times are linear in the start-up: where another of those tried becomes better than `best`.
void add_changes(const std::vector<Tried>& tried, const Tried& best, PacketReport& report) {
  for (const Tried& t : tried) {
    const Count startups = t.report.startups;
    if (startups == best.report.startups) continue;
    const double crossing = (t.rest - best.rest) / (static_cast<double>(best.report.startups) -
                                                    static_cast<double>(startups));
    const PacketReport::Change change{.startup = crossing,
                                      .packet_elements = t.report.prices.packet_elements,
                                      .startups = startups,
                                      .planner = t.report.planner};
    if (startups < best.report.startups && (!report.above || crossing < report.above->startup))
      report.above = change;
    if (startups > best.report.startups && crossing > 0 &&
        (!report.below || crossing > report.below->startup))
      report.below = change;
  }
}

void check_prices(const PacketPrices& prices, const Machine& machine) {
  for (const double price : {prices.startup, prices.transfer, prices.operation})
    if (!(price >= 0) || std::isinf(price))
      throw Error(ErrorCode::usage, "prices of packets are times of zero or more");
  if (prices.operation > 0 && !is_simd_mesh(machine))
    throw Error(ErrorCode::usage,
                "only a mesh that routes one way at a time has register operations to price");
}

class Trials {
 public:
  Trials(const Request& request, const PlanOptions& options)
      : request_(request), options_(options), prices_(options.packets.value()) {
    if (!is_simd_mesh(request.machine())) return;
    for (const Answer& a : answers(request.with_elements(1), options)) {
      CostCounter counter;
      a.offer.push(counter);
      programs_.push_back({std::string(a.planner->name()), counter.cost()});
    }
  }

  // The best planner for packets of this size comes first.
  std::vector<Tried> of(std::uint64_t packet) const {
    std::vector<Tried> all;
    const Request packed = packed_request(request_, packet);
    if (programs_.empty()) {
      const Asked asked = ask(packed, bound_of(packed), options_);
      const Count steps = asked.offer.estimate.cost.value;
      all.push_back(
          tried(packet, asked.chosen->name(), steps,
                static_cast<double>(steps) * static_cast<double>(packet) * prices_.transfer));
      return all;
    }
    for (const auto& [name, cost] : programs_) {
      const double once = static_cast<double>(cost.unit_routes) * prices_.transfer +
                          static_cast<double>(cost.register_ops) * prices_.operation;
      all.push_back(
          tried(packet, name, cost.long_routes * packed.elements(),
                static_cast<double>(packed.elements()) * static_cast<double>(packet) * once));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Tried& a, const Tried& b) { return a.report.time < b.report.time; });
    return all;
  }

 private:
  Tried tried(std::uint64_t packet, std::string_view planner, Count startups, double rest) const {
    PacketReport report{
        .prices = prices_, .elements = request_.elements(), .planner = std::string(planner)};
    report.prices.packet_elements = packet;
    report.startups = startups;
    report.time = static_cast<double>(startups) * prices_.startup + rest;
    if (!std::isfinite(report.time))
      throw Error(ErrorCode::limit,
                  fmt::format("at these prices packets of {} take longer than a number can say; "
                              "divide both by the same",
                              packet));
    return {std::move(report), rest};
  }

  const Request& request_;
  const PlanOptions& options_;
  PacketPrices prices_;
  std::vector<std::pair<std::string, Cost>> programs_;  // of a SIMD mesh
};

}  // namespace

Request packed_request(const Request& request, std::uint64_t packet) {
  if (packet == 1) return request;
  if (!splits_memory(request)) return request.with_elements((request.elements() - 1) / packet + 1);
  auto packed =
      is_power_of_two(packet) ? shuffle::packed(request, log2_exact(packet)) : std::nullopt;
  if (!packed)
    throw Error(ErrorCode::impossible,
                fmt::format("packets of {} elements do not move alike: in a map that names memory "
                            "bits it must be a permutation of bits, and a packet a power of two "
                            "that leaves a memory bit for each one that moves into a processor bit",
                            packet));
  return *packed;
}

PacketReport packet_report(const Request& request, const PlanOptions& options) {
  const PacketPrices prices = options.packets.value();
  if (!request.moves())
    throw Error(ErrorCode::usage, "packets are for data that move; this request computes");
  check_prices(prices, request.machine());
  const Trials trials(request, options);
  std::vector<Tried> tried;
  for (const std::uint64_t size : packet_sizes(request)) {
    std::vector<Tried> more = trials.of(size);
    std::move(more.begin(), more.end(), std::back_inserter(tried));
  }
  Tried best = tried.front();
  for (const Tried& t : tried)
    if (t.report.time < best.report.time) best = t;
  PacketReport report = best.report;
  if (prices.packet_elements != 0) {
    // No packet is larger than what a processor has.
    report = trials.of(std::min(prices.packet_elements, request.elements())).front().report;
    if (best.report.time < report.time) {
      report.best_elements = best.report.prices.packet_elements;
      report.best_time = best.report.time;
    }
  } else {
    add_changes(tried, best, report);
  }
  report.time_unpacked = tried.front().report.time;
  return report;
}

}  // namespace faro::inline v1
