// What shuffles cost where packets have a start-up, and what was measured, against our plans.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "faro/service/plan.hpp"
#include "machines/cube/shuffle_costs.hpp"
#include "papers/pages.hpp"
#include "papers/shuffle_rows.hpp"

namespace faro::inline v1 {
namespace {

// A line of Table 1: as it is printed, and the planner that is the same algorithm.
struct PacketRow {
  const char* name;
  const char* planner;
  Hypercube::Ports ports;
  double (*printed)(const ShuffleSize&, const PacketTimes&);
  double (*best)(const PacketTimes&);  // packet at s = 6, K = 256; the formula without ceilings
};
constexpr std::array<PacketRow, 4> packet_rows{{
    {"one port", "shuffle-one-port", Hypercube::Ports::one, mixed_one_port_time,
     [](const PacketTimes& times) { return best_packet(128, 0, times); }},
    {"pipelined", "shuffle-pipelined", Hypercube::Ports::all, mixed_pipelined_time,
     [](const PacketTimes& times) { return best_packet(128, 5, times); }},
    {"concurrent, pipelined", "shuffle-concurrent", Hypercube::Ports::all,
     mixed_concurrent_pipelined_time,
     [](const PacketTimes& times) { return best_packet(128, 2, times); }},
    {"concurrent", "shuffle-concurrent", Hypercube::Ports::all, mixed_concurrent_time,
     [](const PacketTimes&) { return std::ceil(256.0 / (2 * 7)); }},
}};

// Steps as a time at these prices; what is no number stays as it is.
std::string priced(const std::string& steps, double packet, const PacketTimes& times) {
  if (steps.find_first_not_of("0123456789") != std::string::npos) return steps;
  return fmt::format("{:.0f}", std::stod(steps) * (packet * times.transfer + times.startup));
}

PaperTable table_1() {
  PaperTable table{
      .title = "Table 1: one mixed shuffle with packets, s = 6, K = 256, t_c = 1",
      .columns = {"algorithm", "B", "tau", "printed", "ours, the same", "ours", "bound",
                  "best B of the printed"},
      .remarks = {"Ours, the same and bound: planned for K/B packets and verified, a step costs "
                  "B t_c + tau. Best B: where the printed formula without its ceilings is least; "
                  "without start-ups there is none to choose. Printed is only that of concurrent "
                  "exchange, K/2(s + 1) rounded up. "
                  "Concurrent with pipelining needs K >= 2B(s + 1), concurrent the contrary."}};
  const Workshop workshop;
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
        table.row({row.name, packet, startup, row.printed(size, times),
                   priced(workshop.ours(request, row.planner), packet, times),
                   priced(workshop.ours(request), packet, times),
                   priced(workshop.bound(request), packet, times),
                   startup == 0 ? "-" : fmt::format("{:.1f}", row.best(times))});
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
      .remarks = {"The printed cases for many elements, K >= 2B(N + 1); planned for K/B packets."}};
  const Workshop workshop;
  for (const int packet_log2 : {0, 3})
    for (const double startup : {0.0, 32.0})
      for (const ChainRow& row : chain_rows) {
        const auto packet = static_cast<double>(bit(packet_log2));
        const Chains chains{.dimensions = 10, .chains = 2, .elements = 256, .packet = packet};
        const PacketTimes times{.startup = startup, .transfer = 1};
        const Request request = shuffle_of(8 - packet_log2, {5, 5}, {}, row.ports);
        table.row({row.name, packet, startup,
                   row.transfers(chains) + row.startups(chains) * startup,
                   priced(workshop.ours(request, row.planner), packet, times),
                   priced(workshop.ours(request), packet, times),
                   priced(workshop.bound(request), packet, times)});
      }
  return table;
}

// Table 3: the transfers, start-ups and best packet of one real shuffle of order s, as printed.
struct RealRow {
  const char* name;
  const char* planner;
  Hypercube::Ports ports;
  int order;
  double (*transfers)(double s, double k, double b);
  double (*startups)(double s, double k, double b);
  double (*best)(double s, double k, double startup);
  const char* memory;
  const char* factor;  // of the transfers over their lower bound
};
constexpr std::array<RealRow, 5> real_rows{{
    {"A1, one port", "real-a1-one-port", Hypercube::Ports::one, 4,
     [](double s, double k, double) { return (s + 1) * k / 2; },
     [](double s, double k, double b) { return (s + 1) * std::ceil(k / (2 * b)); },
     [](double, double k, double) { return k / 2; }, "K", "(1, 1.5]"},
    {"A2, one port", "real-a2-one-port", Hypercube::Ports::one, 4,
     [](double s, double k, double) { return s * k; },
     [](double s, double k, double b) { return s * std::ceil(k / b); },
     [](double, double k, double) { return k; }, "2K", "2"},
    {"A1", "real-a1", Hypercube::Ports::all, 4,
     [](double s, double k, double) { return (s + 1) * std::ceil(k / (2 * s)); },
     [](double s, double k, double b) { return (s + 1) * std::ceil(k / (2 * s * b)); },
     [](double s, double k, double) { return std::ceil(k / (2 * s)); }, "K", "(1, 1.5]"},
    {"A2", "real-a2", Hypercube::Ports::all, 4, [](double, double k, double) { return k; },
     [](double s, double k, double b) { return s * std::ceil(k / (s * b)); },
     [](double s, double k, double) { return std::ceil(k / s); }, "2K", "2"},
    {"A2 squared", "shuffle-sequence", Hypercube::Ports::all, 2,
     [](double, double k, double b) { return k / 2 + b; },
     [](double, double k, double b) { return std::ceil(k / (2 * b)) + 1; },
     [](double, double k, double startup) { return std::sqrt(k * startup / 2); }, "K + B",
     "1 + 2B/K"},
}};

constexpr int real_elements_log2 = 6;

Request real_shuffle(const RealRow& row, int packet_log2) {
  return shuffle_of(real_elements_log2 - packet_log2, {}, {row.order}, row.ports);
}

// The packet of a power of two whose plan takes least time at these prices.
std::string best_planned(const Workshop& workshop, const RealRow& row, double startup) {
  std::string best;
  double least = 0;
  for (int log2 = 0; log2 <= real_elements_log2; ++log2) {
    const std::string steps = workshop.ours(real_shuffle(row, log2), row.planner);
    if (steps.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto packet = static_cast<double>(bit(log2));
    const double time = std::stod(steps) * (packet + startup);
    if (!best.empty() && time >= least) continue;
    least = time;
    best = std::to_string(bit(log2));
  }
  return best;
}

PaperTable table_3_with_packets() {
  PaperTable table{
      .title = "Prices of Table 3: one real shuffle, s = 4 (A2 squared 2), K = 64, t_c = 1",
      .columns = {"algorithm", "B", "tau", "printed", "ours, the same", "ours", "bound",
                  "printed start-ups", "start-ups", "printed Mem", "Mem", "printed best B",
                  "best B of ours", "printed factor", "factor"},
      .remarks = {"Planned for K/B packets and verified, a step costs B t_c + tau; start-ups are "
                  "its steps. Mem: elements in the storage that the plan uses. Best B of ours: of "
                  "the powers of two, planned for each. Factor: the transfers of the same over "
                  "their lower bound, K/2 or sK/2 with one port."}};
  const Workshop workshop;
  for (const int packet_log2 : {0, 2})
    for (const double startup : {0.0, 16.0})
      for (const RealRow& row : real_rows) {
        const auto packet = static_cast<double>(bit(packet_log2));
        const auto s = static_cast<double>(row.order);
        const auto k = static_cast<double>(bit(real_elements_log2));
        const PacketTimes times{.startup = startup, .transfer = 1};
        const Request request = real_shuffle(row, packet_log2);
        const std::string steps = workshop.ours(request, row.planner);
        const std::string slots = workshop.slots(request, row.planner);
        const double least = row.ports == Hypercube::Ports::one ? s * k / 2 : k / 2;
        table.row({row.name, packet, startup,
                   row.transfers(s, k, packet) + row.startups(s, k, packet) * startup,
                   priced(steps, packet, times), priced(workshop.ours(request), packet, times),
                   priced(workshop.bound(request), packet, times), row.startups(s, k, packet),
                   steps, row.memory, priced(slots, packet, {.startup = 0, .transfer = 1}),
                   startup == 0 ? "-" : fmt::format("{:.0f}", row.best(s, k, startup)),
                   best_planned(workshop, row, startup), row.factor,
                   fmt::format("{:.2f}", std::stod(priced(steps, packet, {0, 1})) / least)});
      }
  return table;
}

// Where A1, two packets of K/2, takes less time than A2, one of K, both with one port.
PaperTable figure_11() {
  PaperTable table{
      .title = "Figure 11: from how many elements on A1 is faster than A2, one port",
      .columns = {"dimensions", "tau / t_c", "printed", "steps of A1", "steps of A2", "ours"},
      .remarks = {"Figure 11 has measured times of an iPSC/1 5-cube, 'a few hundred bytes'; they "
                  "are lost in our text of the paper, and so are the machine's prices. Printed is "
                  "the break-even of section 4.2, tau = (s - 1)K t_c/2, solved for K; ours comes "
                  "from verified plans of both.",
                  "The text also says that the better of A1 and A2 took 5 to 10 times less than "
                  "the machine's router, and that A1 of its reference [5] takes exactly s "
                  "start-ups: as many as A2 has steps."}};
  const Workshop workshop;
  for (const int s : {3, 4, 5})
    for (const double ratio : {64.0, 256.0, 1024.0}) {
      const std::string a1 =
          workshop.ours(shuffle_of(1, {}, {s}, Hypercube::Ports::one), "real-a1-one-port");
      const std::string a2 =
          workshop.ours(shuffle_of(0, {}, {s}, Hypercube::Ports::one), "real-a2-one-port");
      // a1 (K/2 + tau) = a2 (K + tau)
      const double crossing =
          ratio * (std::stod(a1) - std::stod(a2)) / (std::stod(a2) - std::stod(a1) / 2);
      table.row({s, ratio, fmt::format("{:.0f}", 2 * ratio / (s - 1)), a1, a2,
                 fmt::format("{:.0f}", crossing)});
    }
  return table;
}

PaperTable section_5() {
  PlannedTable table(
      Workshop(),
      "Section 5: A2 squared on the Connection Machine, 270 + (3.2 + 3.9 b)K microseconds",
      {"2-cycles b", "K", "printed, measured there", "printed exchanges",
       planned("ours, exchanges"), bound()},
      {"All ports at once: the exchanges do not depend on b, so the 3.9 b of the measured "
       "time is what the processors do, not the links.",
       "K/2 + 1 needs 2b <= K/2 + 1: an element is two links from its goal in every "
       "cycle. K = 4, b = 2 prints 3, the bound is 4."});
  const Workshop workshop;
  for (const int cycles : {1, 2, 3})
    for (const int k : {2, 4, 6}) {
      const Request request =
          shuffle_of(k, {}, std::vector<int>(static_cast<std::size_t>(cycles), 2));
      const auto elements = static_cast<double>(bit(k));
      table.row(request,
                {cycles, bit(k), fmt::format("{:.0f} us", 270 + (3.2 + 3.9 * cycles) * elements),
                 bit(k) / 2 + 1});
    }
  return table;
}

PaperTable section_6() {
  PlannedTable table(
      Workshop(), "Section 6: real shuffles by all-to-all twice, 'always inferior', K = 2^s",
      {"dimensions", "K", "all-to-all twice", planned("A1", "real-a1"), ours(), bound()},
      {"All-to-all personalised communication twice: two verified schedules of "
       "i:s | m:s -> m | i."});
  const Workshop workshop;
  for (const int s : {2, 3, 4, 5}) {
    const std::string once = workshop.ours(
        Request::of(fmt::format("i:{0} | m:{0} -> m | i", s), fmt::format("cube:{}", s)),
        "all-to-all");
    table.row(shuffle_of(s, {}, {s}), {s, bit(s), priced(once, 2, {.startup = 0, .transfer = 1})});
  }
  return table;
}

// Between one port and all: the paper has algorithms for these two.
PaperTable several_ports() {
  PlannedTable table(
      Workshop(), "Introduction: communication on several channels of every processor, steps",
      {"chains", "cycles", "K", "channels", ours(), bound()},
      {"A processor uses at most so many of its links in a step: cube:n,k-ports. The "
       "paper's algorithms are for one and for all."});
  struct Case {
    std::vector<int> chains;
    std::vector<int> cycles;
    int slot_bits;
  };
  const Workshop workshop;
  const auto text = [](const std::vector<int>& lengths) {
    return lengths.empty() ? std::string("-") : fmt::format("{}", fmt::join(lengths, " "));
  };
  for (const Case& c :
       {Case{{4}, {}, 4}, Case{{2, 2}, {}, 4}, Case{{}, {4}, 4}, Case{{}, {3}, 5}}) {
    const int n = c.chains.empty() ? c.cycles.front() : 4;
    for (int ports = 1; ports <= n; ++ports) {
      const Request request =
          shuffle_of(c.slot_bits, c.chains, c.cycles,
                     ports == n ? Hypercube::Ports::all : Hypercube::Ports{ports});
      table.row(request, {text(c.chains), text(c.cycles), bit(c.slot_bits), ports});
    }
  }
  return table;
}

}  // namespace

std::vector<PaperTable> shuffle_prices() {
  return {table_1(),   table_2_with_packets(), table_3_with_packets(), section_5(), figure_11(),
          section_6(), several_ports()};
}

}  // namespace faro::inline v1
