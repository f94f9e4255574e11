// The two rows of switches in the table of machines: ranks:P, and fat trees of them.
#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "machines/kinds.hpp"
#include "machines/ranks/model.hpp"
#include "machines/text_reader.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::inline v1 {
namespace {

int bits_of(const Machine& machine) {
  return std::get<Crossbar>(machine).bits;
}

Machine read(MachineText& text) {
  const Crossbar ranks{.bits = text.size_log2("a number of processors that is a power of two")};
  if (!text.done()) text.fail("the end");
  return ranks;
}

Machine from_json(const json::Value& value, const json::Unknown& unknown) {
  json::only(value, {"kind", "processors"}, "machine", unknown);
  const std::uint64_t size =
      json::required(value, "processors", "machine").number("machine.processors", "machine");
  if (!is_power_of_two(size))
    throw json::Breach{"machine", fmt::format("machine.processors: {}, no power of two", size)};
  return Crossbar{.bits = log2_exact(size)};
}

// Sides as shapes have them, from the whole tree to the processors of a lowest switch.
Machine tree_of(const std::vector<int>& sides_log2) {
  Crossbar tree;
  for (auto side = sides_log2.rbegin(); side != sides_log2.rend(); ++side) {
    if (tree.bits > 0) tree.tiers.insert(tree.tiers.begin(), {tree.bits, tree.bits});
    tree.bits += *side;
  }
  return tree;
}

std::vector<int> sides_of(const Crossbar& tree) {
  std::vector<int> sides;
  int above = tree.bits;
  for (const Crossbar::Tier& tier : tree.tiers) {
    sides.push_back(above - tier.processors_log2);
    above = tier.processors_log2;
  }
  sides.push_back(above);
  return sides;
}

std::vector<int> links_up(const Crossbar& tree) {
  std::vector<int> up;
  for (const Crossbar::Tier& tier : tree.tiers) up.push_back(tier.up_log2);
  return up;
}

Machine read_tree(MachineText& text) {
  constexpr std::string_view side = "a side that is a power of two, 2 or more,";
  std::vector<int> sides;
  int bits = 0;
  do {
    sides.push_back(text.size_log2(side));
    if (sides.back() == 0) text.fail(side);
    bits += sides.back();
    if (bits > limits::machine_bits_max) text.too_large();
  } while (text.take("x"));
  if (sides.size() < 2) text.fail("'x' and a side, as in 4x8: a tree has two or more,");
  Machine machine = tree_of(sides);
  auto& tiers = std::get<Crossbar>(machine).tiers;
  if (text.take(",up=")) {
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      if (i > 0 && !text.take("x"))
        text.fail(
            fmt::format("'x' and the links upward of the next smaller switches ({} numbers "
                        "for {} sides)",
                        tiers.size(), sides.size()));
      const std::string wanted =
          fmt::format("links upward of a switch with {} processors, a power of two up to that,",
                      size_text(bit(tiers[i].processors_log2)));
      tiers[i].up_log2 = text.size_log2(wanted);
      if (tiers[i].up_log2 > tiers[i].processors_log2) text.fail(wanted);
    }
  }
  if (!text.done()) text.fail("'x' and a side, as in 4x8, ',up=' and links upward, or the end");
  return machine;
}

// `where` is "machine." and the key.
std::vector<int> sizes_from(const json::Value& value, const char* where) {
  std::vector<int> sizes;
  const json::Value list =
      json::required(value, where + std::string_view("machine.").size(), "machine");
  for (const json::Value& entry : list.array(where)) {
    const std::uint64_t size = entry.number(where, "machine");
    if (!is_power_of_two(size))
      throw json::Breach{"machine", fmt::format("{}: {}, no power of two", where, size)};
    sizes.push_back(log2_exact(size));
    if (sizes.size() > static_cast<std::size_t>(limits::machine_bits_max))
      throw json::Breach{"machine",
                         fmt::format("{}: more than {} entries", where, limits::machine_bits_max)};
  }
  return sizes;
}

Machine tree_from_json(const json::Value& value, const json::Unknown& unknown) {
  json::only(value, {"kind", "shape", "up"}, "machine", unknown);
  const std::vector<int> sides = sizes_from(value, "machine.shape");
  const std::vector<int> up = sizes_from(value, "machine.up");
  if (sides.size() < 2 || up.size() + 1 != sides.size())
    throw json::Breach{"machine",
                       fmt::format("machine.shape, machine.up: {} sides and {} numbers of links; "
                                   "two sides or more are wanted, and a number for each but one",
                                   sides.size(), up.size())};
  int bits = 0;
  for (const int side : sides) {
    bits += side;
    if (side == 0 || bits > limits::machine_bits_max)
      throw json::Breach{"machine", fmt::format("machine.shape: sides of 2 or more, and at most "
                                                "2^{} processors",
                                                limits::machine_bits_max)};
  }
  Machine machine = tree_of(sides);
  auto& tiers = std::get<Crossbar>(machine).tiers;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (up[i] > tiers[i].processors_log2)
      throw json::Breach{"machine", fmt::format("machine.up: {} links for {} processors",
                                                bit(up[i]), bit(tiers[i].processors_log2))};
    tiers[i].up_log2 = up[i];
  }
  return machine;
}

constexpr MachineKind::Word words[] = {{"ranks", "ranks:8", read}};
constexpr MachineKind::Word tree_words[] = {{"fat-tree", "fat-tree:4x8,up=2", read_tree}};
constexpr CostPart cost[] = {cost_part::steps};

bool is_switch(const Machine& machine, bool tree) {
  const auto* ranks = std::get_if<Crossbar>(&machine);
  return ranks != nullptr && ranks->tiers.empty() != tree;
}

}  // namespace

MachineKind ranks_kind() {
  return {
      .is = [](const Machine& m) { return is_switch(m, false); },
      .processors = [](const Machine& m) { return Count{1} << bits_of(m); },
      .address_bits = [](const Machine& m) { return std::optional(bits_of(m)); },
      .words = words,
      .text = [](const Machine& m) { return "ranks:" + size_text(bit(bits_of(m))); },
      .json_name = "ranks",
      .json = [](const Machine& m) { return ",\"processors\":" + json_number(bit(bits_of(m))); },
      .from_json = from_json,
      .tag = 3,
      .absorb = [](const Machine& m,
                   const MachineKind::Absorb& absorb) { absorb(bit(bits_of(m))); },
      .steps = MachineKind::Steps::slots,
      .cost = cost,
      .sends_inside_cost = false,
      .replay = moving<ranks_replay>,
      .proof = moving<ranks_proof>,
      .map_bound = map_bound_of<Crossbar>,
      .list_bound = list_bound_of<Crossbar>,
  };
}

MachineKind tree_kind() {
  MachineKind kind = ranks_kind();
  kind.is = [](const Machine& m) { return is_switch(m, true); };
  kind.words = tree_words;
  kind.text = [](const Machine& m) {
    const auto& tree = std::get<Crossbar>(m);
    return fmt::format("fat-tree:{},up={}", listed(sides_of(tree), "x", size_text),
                       listed(links_up(tree), "x", size_text));
  };
  kind.json_name = "fat-tree";
  kind.json = [](const Machine& m) {
    const auto& tree = std::get<Crossbar>(m);
    const auto number = [](std::uint64_t size) { return json_number(size); };
    return fmt::format(",\"shape\":[{}],\"up\":[{}]", listed(sides_of(tree), ",", number),
                       listed(links_up(tree), ",", number));
  };
  kind.from_json = tree_from_json;
  kind.tag = 4;
  kind.absorb = [](const Machine& m, const MachineKind::Absorb& absorb) {
    const auto& tree = std::get<Crossbar>(m);
    absorb(static_cast<std::uint64_t>(tree.bits));
    absorb(tree.tiers.size());
    for (const Crossbar::Tier& tier : tree.tiers) {
      absorb(static_cast<std::uint64_t>(tier.processors_log2));
      absorb(static_cast<std::uint64_t>(tier.up_log2));
    }
  };
  return kind;
}

}  // namespace faro::inline v1
