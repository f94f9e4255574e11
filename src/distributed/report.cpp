// What a plan says of itself, for people and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

double share(Count part, Count whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string ExchangePlan::describe() const {
  const ExchangeCost& c = cost();
  const Count all = Count{local_bytes()} << static_cast<unsigned>(rank_bits());
  std::string text = fmt::format(
      "{} ranks, {} bytes each: rho {}, {} partners in {} rounds, {} slices; messages of {} bytes, "
      "{}\n",
      ranks(), local_bytes(), c.rho, c.partners, c.rounds, slices(), block_bytes(),
      words(packs(), unpacks()));
  text += fmt::format(
      "  moved {} bytes, {:.4f} of the data; least {} with fixed ranks, {} with "
      "ranks relabelled; {} ranks keep a message\n",
      to_string(c.ranks.moved_bytes), share(c.ranks.moved_bytes, all),
      to_string(c.ranks.least_bytes), to_string(c.ranks.least_bytes_relabelled), c.keepers);
  if (c.node_bits > 0) {
    text += fmt::format("  between nodes of {} ranks: moved {} bytes, least {} and {}\n",
                        bit(c.node_bits), to_string(c.nodes.moved_bytes),
                        to_string(c.nodes.least_bytes), to_string(c.nodes.least_bytes_relabelled));
  }
  text += fmt::format("  buffer {} bytes of {} allowed; {} passes over a rank's array{}\n",
                      buffer_bytes(), options().buffer_bytes, local_passes(),
                      options().in_place && has_local_map() ? ", one of them the local map" : "");
  return text;
}

std::string ExchangePlan::to_json(const NetworkModel& network) const {
  const ExchangeCost& c = cost();
  Json json;
  json["ranks"] = ranks();
  json["elements"] = json_count(Count{bit(local_bits())} << static_cast<unsigned>(rank_bits()));
  json["element_bytes"] = element_bytes();
  json["rho"] = c.rho;
  json["partners"] = json_count(c.partners);
  json["rounds"] = json_count(c.rounds);
  json["slices"] = json_count(slices());
  json["message_bytes"] = json_count(c.rounds == 0 ? 0 : block_bytes());
  json["moved_bytes"] = json_count(c.ranks.moved_bytes);
  json["least_bytes"] = json_count(c.ranks.least_bytes);
  json["least_bytes_relabelled"] = json_count(c.ranks.least_bytes_relabelled);
  json["most_sent_bytes"] = json_count(c.most_sent_bytes);
  json["keepers"] = json_count(c.keepers);
  json["buffer_bytes"] = json_count(buffer_bytes());
  json["local_passes"] = local_passes();
  json["packs"] = has_exchange() && packs();
  json["unpacks"] = has_exchange() && unpacks();
  Json relabelling;
  Json columns = Json::array();
  const BitMap& on_ranks = this->relabelling();
  for (int i = 0; i < on_ranks.width(); ++i) {
    columns.push_back(fmt::format("{:#x}", on_ranks.column(i)));
  }
  relabelling["columns"] = columns;
  relabelling["complement"] = fmt::format("{:#x}", on_ranks.complement());
  relabelling["identity"] = on_ranks == BitMap::identity(on_ranks.width());
  json["relabelling"] = relabelling;
  Json nodes;
  nodes["ranks_each"] = bit(c.node_bits);
  nodes["moved_bytes"] = json_count(c.nodes.moved_bytes);
  nodes["least_bytes"] = json_count(c.nodes.least_bytes);
  nodes["least_bytes_relabelled"] = json_count(c.nodes.least_bytes_relabelled);
  json["nodes"] = nodes;
  Json time;
  time["startup_seconds"] = network.startup_seconds;
  time["bytes_per_second"] = network.bytes_per_second;
  time["seconds"] = modelled_seconds(c, slices(), network);
  json["model"] = time;
  return json.dump();
}

}  // namespace faro::inline v1
