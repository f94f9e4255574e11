#include "service/packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "faro/base/error.hpp"
#include "planners/cube/shuffle/packets.hpp"
#include "service/asking.hpp"

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
  for (std::uint64_t packets = k; packets > 1;) {
    const std::uint64_t size = (k - 1) / (packets - 1) + 1;
    packets = (k - 1) / size + 1;
    sizes.push_back(size);
  }
  return sizes;
}

// Times are linear in the start-up: where another of the sizes becomes better than `best`.
void add_changes(const std::vector<PacketReport>& tried, PacketReport& best) {
  const auto transfers = [](const PacketReport& r) {
    return static_cast<double>(r.startups) * static_cast<double>(r.prices.packet_elements) *
           r.prices.transfer;
  };
  for (const PacketReport& t : tried) {
    if (t.startups == best.startups) continue;
    const double crossing = (transfers(t) - transfers(best)) /
                            (static_cast<double>(best.startups) - static_cast<double>(t.startups));
    const PacketReport::Change change{.startup = crossing,
                                      .packet_elements = t.prices.packet_elements,
                                      .startups = t.startups,
                                      .planner = t.planner};
    if (t.startups < best.startups && (!best.above || crossing < best.above->startup))
      best.above = change;
    if (t.startups > best.startups && crossing > 0 &&
        (!best.below || crossing > best.below->startup))
      best.below = change;
  }
}

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
  if (!(prices.startup >= 0) || !(prices.transfer >= 0) || std::isinf(prices.startup) ||
      std::isinf(prices.transfer))
    throw Error(ErrorCode::usage, "prices of packets are times of zero or more");
  const auto report_of = [&](std::uint64_t packet) {
    const Request packed = packed_request(request, packet);
    const Asked asked = ask(packed, bound_of(packed), options);
    PacketReport report{.prices = prices,
                        .elements = request.elements(),
                        .planner = std::string(asked.chosen->name())};
    report.prices.packet_elements = packet;
    report.startups = asked.offer.estimate.cost.value;
    report.time = static_cast<double>(report.startups) *
                  (prices.startup + static_cast<double>(packet) * prices.transfer);
    if (!std::isfinite(report.time))
      throw Error(ErrorCode::limit,
                  fmt::format("at these prices packets of {} take longer than a number can say; "
                              "divide both by the same",
                              packet));
    return report;
  };
  std::vector<PacketReport> tried;
  for (const std::uint64_t size : packet_sizes(request)) tried.push_back(report_of(size));
  PacketReport best = tried.front();
  for (const PacketReport& t : tried)
    if (t.time < best.time) best = t;
  PacketReport report = best;
  if (prices.packet_elements != 0) {
    // No packet is larger than what a processor has.
    report = report_of(std::min(prices.packet_elements, request.elements()));
    if (best.time < report.time) {
      report.best_elements = best.prices.packet_elements;
      report.best_time = best.time;
    }
  } else {
    add_changes(tried, report);
  }
  report.time_unpacked = tried.front().time;
  return report;
}

}  // namespace faro::inline v1
