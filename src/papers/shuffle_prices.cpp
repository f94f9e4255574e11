#include "papers/shuffle_prices.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "faro/service/catalogue.hpp"
#include "machines/cube/shuffle_costs.hpp"
#include "papers/cells.hpp"
#include "papers/shuffle_rows.hpp"

namespace faro::inline v1 {
namespace {

// A line of Table 1: as it is printed, and the planner that is the same algorithm.
struct PacketRow {
  const char* name;
  const char* planner;
  Hypercube::Ports ports;
  double (*printed)(const ShuffleSize&, const PacketTimes&);
  double waits;  // packets that pass before the pipeline is full
};
constexpr std::array<PacketRow, 4> packet_rows{{
    {"one port", "shuffle-one-port", Hypercube::Ports::one, mixed_one_port_time, 0},
    {"pipelined", "shuffle-pipelined", Hypercube::Ports::all, mixed_pipelined_time, 5},
    {"concurrent, pipelined", "shuffle-concurrent", Hypercube::Ports::all,
     mixed_concurrent_pipelined_time, 2},
    {"concurrent", "shuffle-concurrent", Hypercube::Ports::all, mixed_concurrent_time, 1},
}};

// Steps as a time at these prices; what is no number stays as it is.
std::string priced(const std::string& steps, double packet, const PacketTimes& times) {
  if (steps.find_first_not_of("0123456789") != std::string::npos) return steps;
  return fmt::format("{:.0f}", std::stod(steps) * (packet * times.transfer + times.startup));
}

PaperTable table_1() {
  PaperTable table{
      .title = "Table 1: one mixed shuffle with packets, s = 6, K = 256, t_c = 1",
      .columns = {"algorithm", "B", "tau", "printed", "ours, the same", "ours", "bound", "best B"},
      .rows = {},
      .remarks = {"Ours, the same and bound: planned for K/B packets and verified, a step costs "
                  "B t_c + tau. Best B: of the printed formula. "
                  "Concurrent with pipelining needs K >= 2B(s + 1), concurrent the contrary."}};
  const Workshop workshop(catalogue());
  for (const int packet_log2 : {0, 3, 5})
    for (const double startup : {0.0, 32.0})
      for (const PacketRow& row : packet_rows) {
        const auto packet = static_cast<double>(bit(packet_log2));
        const bool fills = 256 >= 2 * packet * 7;
        if (row.printed == mixed_concurrent_pipelined_time && !fills) continue;
        if (row.printed == mixed_concurrent_time && fills) continue;
        const ShuffleSize size{.length = 6, .elements = 256, .packet = packet};
        const PacketTimes times{.startup = startup, .transfer = 1};
        const Request request = shuffle_of(8 - packet_log2, {6}, {}, row.ports);
        table.rows.push_back({row.name, fmt::format("{}", packet), fmt::format("{}", startup),
                              fmt::format("{}", row.printed(size, times)),
                              priced(workshop.ours(request, row.planner), packet, times),
                              priced(workshop.ours(request), packet, times),
                              priced(workshop.bound(request), packet, times),
                              fmt::format("{:.1f}", best_packet(128, row.waits, times))});
      }
  return table;
}

// Table 2, chains of the same order: N dimensions in b chains, K elements in packets of B.
struct Chains {
  double dimensions = 0;
  double chains = 0;
  double elements = 0;
  double packet = 1;
  double packets() const { return std::ceil(elements / (2 * packet)); }
  double order() const { return dimensions / chains; }
};
struct ChainRow {
  const char* name;
  const char* planner;
  Hypercube::Ports ports;
  // Transfers and start-ups as printed.
  double (*transfers)(const Chains&);
  double (*startups)(const Chains&);
};
constexpr std::array<ChainRow, 4> chain_rows{{
    {"one port", "shuffle-one-port", Hypercube::Ports::one,
     [](const Chains& c) { return c.dimensions * c.elements / 2; },
     [](const Chains& c) { return c.dimensions * c.packets(); }},
    {"pipelined AAPC", "shuffle-by-exchange", Hypercube::Ports::all,
     [](const Chains& c) { return (c.packets() + c.dimensions - c.chains) * c.packet; },
     [](const Chains& c) { return c.packets() + c.dimensions - c.chains; }},
    {"pipelined", "shuffle-pipelined", Hypercube::Ports::all,
     [](const Chains& c) { return c.elements / 2 + (c.order() - 1) * c.packet; },
     [](const Chains& c) { return c.packets() + c.order() - 1; }},
    {"concurrent, pipelined", "shuffle-concurrent", Hypercube::Ports::all,
     [](const Chains& c) { return c.elements / 2 + 2 * c.packet; },
     [](const Chains& c) { return c.packets() + 2; }},
}};

PaperTable table_2_with_packets() {
  PaperTable table{
      .title = "Table 2 with packets: two chains of five dimensions, K = 256, t_c = 1",
      .columns = {"algorithm", "B", "tau", "printed", "ours, the same", "ours", "bound"},
      .rows = {},
      .remarks = {"The printed cases for many elements, K >= 2B(N + 1); planned for K/B packets."}};
  const Workshop workshop(catalogue());
  for (const int packet_log2 : {0, 3})
    for (const double startup : {0.0, 32.0})
      for (const ChainRow& row : chain_rows) {
        const auto packet = static_cast<double>(bit(packet_log2));
        const Chains chains{.dimensions = 10, .chains = 2, .elements = 256, .packet = packet};
        const PacketTimes times{.startup = startup, .transfer = 1};
        const Request request = shuffle_of(8 - packet_log2, {5, 5}, {}, row.ports);
        table.rows.push_back(
            {row.name, fmt::format("{}", packet), fmt::format("{}", startup),
             fmt::format("{}", row.transfers(chains) + row.startups(chains) * startup),
             priced(workshop.ours(request, row.planner), packet, times),
             priced(workshop.ours(request), packet, times),
             priced(workshop.bound(request), packet, times)});
      }
  return table;
}

PaperTable section_5() {
  PaperTable table{
      .title = "Section 5: A2 squared on the Connection Machine, 270 + (3.2 + 3.9 b)K microseconds",
      .columns = {"2-cycles b", "K", "printed, measured there", "printed exchanges",
                  "ours, exchanges", "bound"},
      .rows = {},
      .remarks = {
          "All ports at once: the exchanges do not depend on b, so the 3.9 b of the measured "
          "time is what the processors do, not the links.",
          "K/2 + 1 needs 2b <= K/2 + 1: an element is two links from its goal in every "
          "cycle. K = 4, b = 2 prints 3, the bound is 4."}};
  const Workshop workshop(catalogue());
  for (const int cycles : {1, 2, 3})
    for (const int k : {2, 4, 6}) {
      const Request request =
          shuffle_of(k, {}, std::vector<int>(static_cast<std::size_t>(cycles), 2));
      const auto elements = static_cast<double>(bit(k));
      table.rows.push_back({std::to_string(cycles), std::to_string(bit(k)),
                            fmt::format("{:.0f} us", 270 + (3.2 + 3.9 * cycles) * elements),
                            std::to_string(bit(k) / 2 + 1), workshop.ours(request),
                            workshop.bound(request)});
    }
  return table;
}

PaperTable section_6() {
  PaperTable table{
      .title = "Section 6: real shuffles by all-to-all twice, 'always inferior', K = 2^s",
      .columns = {"dimensions", "K", "all-to-all twice", "A1", "ours", "bound"},
      .rows = {},
      .remarks = {"All-to-all personalised communication twice: two verified schedules of "
                  "i:s | m:s -> m | i."}};
  const Workshop workshop(catalogue());
  for (const int s : {2, 3, 4, 5}) {
    const std::string once = workshop.ours(
        Request::of(fmt::format("i:{0} | m:{0} -> m | i", s), fmt::format("cube:{}", s)),
        "all-to-all");
    const Request request = shuffle_of(s, {}, {s});
    table.rows.push_back(
        {std::to_string(s), std::to_string(bit(s)), priced(once, 2, {.startup = 0, .transfer = 1}),
         workshop.ours(request, "real-a1"), workshop.ours(request), workshop.bound(request)});
  }
  return table;
}

}  // namespace

std::vector<PaperTable> shuffle_prices() {
  return {table_1(), table_2_with_packets(), section_5(), section_6()};
}

}  // namespace faro::inline v1
