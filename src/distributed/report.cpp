// What a plan says of itself, for people and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faro/algebra/notation.hpp"
#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1 {
namespace {

using Json = nlohmann::ordered_json;

// Below 2^53 numbers, above decimal strings, as all our formats.
Json json_count(Count count) {
  if (count < (Count{1} << 53U)) return static_cast<std::uint64_t>(count);
  return to_string(count);
}

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

}  // namespace

std::string ExchangePlan::describe(const NetworkModel& network) const {
  const ExchangeCost& c = cost();
  const Count all = Count{local_bytes()} << static_cast<unsigned>(rank_bits());
  const auto least = [](const ExchangeTraffic& t) {
    return fmt::format("least {} with fixed ranks, {} with ranks relabelled",
                       to_string(t.least_bytes), to_string(t.least_bytes_relabelled));
  };
  std::string text = fmt::format("{}\n", to_notation(map(), cut_of(*this)));
  const auto line = [&text](const char* name, const std::string& what) {
    text += fmt::format("  {:<12} {}\n", name, what);
  };
  line("ranks", fmt::format("{} with {} elements of {} bytes each", ranks(), bit(local_bits()),
                            element_bytes()));
  if (!has_exchange()) {
    line("exchange", "none: every element stays on its rank");
  } else {
    const auto plural = [](auto count, const char* what) {
      return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    line("exchange",
         fmt::format("rho {}: a rank sends to {} in {}, {}", c.rho, plural(c.partners, "other"),
                     plural(c.rounds, "round"), plural(slices(), "slice")));
    line("messages", fmt::format("of {} bytes, {}", block_bytes(), words(packs(), unpacks())));
  }
  line("moved", fmt::format("{} bytes, {:.4f} of the data; {}", to_string(c.ranks.moved_bytes),
                            share(c.ranks.moved_bytes, all), least(c.ranks)));
  line("", fmt::format("at most {} bytes by one rank; {} ranks keep a message",
                       to_string(c.most_sent_bytes), c.keepers));
  if (c.node_bits > 0) {
    line("nodes", fmt::format("of {} ranks: {} bytes between them; {}", bit(c.node_bits),
                              to_string(c.nodes.moved_bytes), least(c.nodes)));
  }
  if (relabelling() != BitMap::identity(rank_bits())) {
    line("relabelling",
         fmt::format("rank r has the result of rank {} of r", to_notation(relabelling())));
  }
  line("memory",
       fmt::format("{} bytes of {} allowed; {} over a rank's array{}", buffer_bytes(),
                   options().buffer_bytes,
                   local_passes() == 1 ? "1 pass" : fmt::format("{} passes", local_passes()),
                   options().in_place && has_local_map() ? ", the local map's among them" : ""));
  line("time", fmt::format("{:g} s where a message takes {:g} s and a byte {:g} s: computed, not "
                           "measured",
                           modelled_seconds(c, slices(), network), network.startup_seconds,
                           network.byte_seconds));
  return text;
}

std::string ExchangePlan::to_json(const NetworkModel& network) const {
  const ExchangeCost& c = cost();
  Json json;
  json["format"] = "faro-exchange/1";
  json["map"] = to_notation(map(), cut_of(*this));
  json["ranks"] = json_count(ranks());
  json["elements"] = json_count(bit(local_bits()));
  json["element_bytes"] = json_count(element_bytes());
  json["in_place"] = options().in_place;
  json["relabelled"] = options().ranks == Ranks::relabelled;
  json["rho"] = c.rho;
  json["partners"] = json_count(c.partners);
  json["rounds"] = json_count(c.rounds);
  json["slices"] = json_count(slices());
  json["message_bytes"] = json_count(has_exchange() ? block_bytes() : 0);
  json["moved_bytes"] = json_count(c.ranks.moved_bytes);
  json["least_bytes"] = json_count(c.ranks.least_bytes);
  json["least_bytes_relabelled"] = json_count(c.ranks.least_bytes_relabelled);
  json["most_sent_bytes"] = json_count(c.most_sent_bytes);
  json["keepers"] = json_count(c.keepers);
  json["buffer_bytes"] = json_count(buffer_bytes());
  json["local_passes"] = local_passes();
  json["packs"] = has_exchange() && packs();
  json["unpacks"] = has_exchange() && unpacks();
  const BitMap& on_ranks = relabelling();
  Json columns = Json::array();
  for (int i = 0; i < on_ranks.width(); ++i) {
    columns.push_back(fmt::format("{:#x}", on_ranks.column(i)));
  }
  json["relabelling"] = {{"map", to_notation(on_ranks)},
                         {"columns", columns},
                         {"complement", fmt::format("{:#x}", on_ranks.complement())},
                         {"identity", on_ranks == BitMap::identity(on_ranks.width())}};
  json["nodes"] = {{"nodes", json_count(bit(rank_bits() - c.node_bits))},
                   {"ranks_each", json_count(bit(c.node_bits))},
                   {"moved_bytes", json_count(c.nodes.moved_bytes)},
                   {"least_bytes", json_count(c.nodes.least_bytes)},
                   {"least_bytes_relabelled", json_count(c.nodes.least_bytes_relabelled)}};
  json["time"] = {{"startup_seconds", network.startup_seconds},
                  {"byte_seconds", network.byte_seconds},
                  {"seconds", modelled_seconds(c, slices(), network)}};
  return json.dump();
}

}  // namespace faro::inline v1
