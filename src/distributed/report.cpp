#include "distributed/report.hpp"

#include <fmt/format.h>

#include "faro/algebra/notation.hpp"

namespace faro::inline v1 {
namespace {

const char* words(bool packs, bool unpacks) {
  if (packs) return unpacks ? "packed and unpacked" : "packed, received in their place";
  return unpacks ? "sent as they lie, unpacked" : "sent as they lie, received in their place";
}

Cut cut_of(const ExchangePlan& plan) {
  return {.kind = Cut::Kind::both, .processor_bits = plan.rank_bits()};
}

double share(Count part, Count whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add_words(Report& report, const ExchangePlan& plan, const NetworkModel& network) {
  const ExchangeCost& c = plan.cost();
  const Count all = Count{plan.local_bytes()} << static_cast<unsigned>(plan.rank_bits());
  const auto least = [](const ExchangeTraffic& t) {
    return fmt::format("least {} with fixed ranks, {} with ranks relabelled",
                       to_string(t.least_bytes), to_string(t.least_bytes_relabelled));
  };
  report.say("{}\n", to_notation(plan.map(), cut_of(plan)));
  const auto line = [&report](const char* name, const std::string& what) {
    report.say("  {:<12} {}\n", name, what);
  };
  line("ranks", fmt::format("{} with {} elements of {} bytes each", plan.ranks(),
                            bit(plan.local_bits()), plan.element_bytes()));
  if (!plan.has_exchange()) {
    line("exchange", "none: every element stays on its rank");
  } else {
    const auto plural = [](auto count, const char* what) {
      return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    line("exchange",
         fmt::format("rho {}: a rank sends to {} in {}, {}", c.rho, plural(c.partners, "other"),
                     plural(c.rounds, "round"), plural(plan.slices(), "slice")));
    line("messages",
         fmt::format("of {} bytes, {}", plan.block_bytes(), words(plan.packs(), plan.unpacks())));
  }
  line("moved", fmt::format("{} bytes, {:.4f} of the data; {}", to_string(c.ranks.moved_bytes),
                            share(c.ranks.moved_bytes, all), least(c.ranks)));
  line("", fmt::format("at most {} bytes by one rank; {} ranks keep a message",
                       to_string(c.most_sent_bytes), c.keepers));
  if (c.node_bits > 0) {
    line("nodes", fmt::format("of {} ranks: {} bytes between them; {}", bit(c.node_bits),
                              to_string(c.nodes.moved_bytes), least(c.nodes)));
  }
  if (plan.relabelling() != BitMap::identity(plan.rank_bits())) {
    line("relabelling",
         fmt::format("rank r has the result of rank {} of r", to_notation(plan.relabelling())));
  }
  line("memory",
       fmt::format(
           "{} bytes of {} allowed; {} over a rank's array{}", plan.buffer_bytes(),
           plan.options().buffer_bytes,
           plan.local_passes() == 1 ? "1 pass" : fmt::format("{} passes", plan.local_passes()),
           plan.options().in_place && plan.has_local_map() ? ", the local map's among them" : ""));
  line("time", fmt::format("{:g} s where a message takes {:g} s and a byte {:g} s: computed, not "
                           "measured",
                           modelled_seconds(c, plan.slices(), network), network.startup_seconds,
                           network.byte_seconds));
}

}  // namespace

Report report_of(const ExchangePlan& plan, const NetworkModel& network) {
  const ExchangeCost& c = plan.cost();
  Report report;
  add_words(report, plan, network);
  report["format"] = "faro-exchange/1";
  report["map"] = to_notation(plan.map(), cut_of(plan));
  report["ranks"] = Count(plan.ranks());
  report["elements"] = Count(bit(plan.local_bits()));
  report["element_bytes"] = Count(plan.element_bytes());
  report["in_place"] = plan.options().in_place;
  report["relabelled"] = plan.options().ranks == Ranks::relabelled;
  report["rho"] = c.rho;
  report["partners"] = Count(c.partners);
  report["rounds"] = Count(c.rounds);
  report["slices"] = Count(plan.slices());
  report["message_bytes"] = Count(plan.has_exchange() ? plan.block_bytes() : 0);
  report["moved_bytes"] = Count(c.ranks.moved_bytes);
  report["least_bytes"] = Count(c.ranks.least_bytes);
  report["least_bytes_relabelled"] = Count(c.ranks.least_bytes_relabelled);
  report["most_sent_bytes"] = Count(c.most_sent_bytes);
  report["keepers"] = Count(c.keepers);
  report["buffer_bytes"] = Count(plan.buffer_bytes());
  report["local_passes"] = plan.local_passes();
  report["packs"] = plan.has_exchange() && plan.packs();
  report["unpacks"] = plan.has_exchange() && plan.unpacks();
  const BitMap& on_ranks = plan.relabelling();
  Report columns = Report::list();
  for (int i = 0; i < on_ranks.width(); ++i) {
    columns.push_back(fmt::format("{:#x}", on_ranks.column(i)));
  }
  report["relabelling"] = {{"map", to_notation(on_ranks)},
                           {"columns", columns},
                           {"complement", fmt::format("{:#x}", on_ranks.complement())},
                           {"identity", on_ranks == BitMap::identity(on_ranks.width())}};
  report["nodes"] = {{"nodes", Count(bit(plan.rank_bits() - c.node_bits))},
                     {"ranks_each", Count(bit(c.node_bits))},
                     {"moved_bytes", Count(c.nodes.moved_bytes)},
                     {"least_bytes", Count(c.nodes.least_bytes)},
                     {"least_bytes_relabelled", Count(c.nodes.least_bytes_relabelled)}};
  report["time"] = {{"startup_seconds", network.startup_seconds},
                    {"byte_seconds", network.byte_seconds},
                    {"seconds", modelled_seconds(c, plan.slices(), network)}};
  return report;
}

std::string ExchangePlan::describe(const NetworkModel& network) const {
  return report_of(*this, network).words();
}

std::string ExchangePlan::to_json(const NetworkModel& network) const {
  return report_of(*this, network).json();
}

}  // namespace faro::inline v1
