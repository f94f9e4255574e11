// This stands for the linear program of the best flow: prices instead of multipliers, whole packets
// instead of fractions that would have to be rounded.
#include "planners/cube/lists/list_paths.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/working.hpp"

namespace faro::inline v1::links {
namespace {

class Loads {
 public:
  explicit Loads(std::size_t links) : load_(links) {}

  void add(const std::vector<Link>& way) {
    for (const Link link : way) ++load_[link];
  }
  void remove(const std::vector<Link>& way) {
    for (const Link link : way) --load_[link];
  }
  std::uint32_t of(Link link) const { return load_[link]; }
  std::uint32_t busiest() const { return *std::max_element(load_.begin(), load_.end()); }

  // Prices are the sixth powers of the load, one packet more, on a scale where `usual` is 64: links
  // beyond the usual load are avoided at nearly any price.
  void set_usual(std::uint64_t usual) {
    constexpr std::uint64_t scale = 64;
    constexpr std::uint64_t relative_max = 512;  // its sixth power, 32 times, fits a word
    const std::uint64_t most = busiest() + 4096;
    price_.clear();
    for (std::uint64_t load = 0; load <= most; ++load) {
      const std::uint64_t x =
          std::min(relative_max, scale * (load + 1) / std::max<std::uint64_t>(usual, 1));
      price_.push_back(1 + x * x * x * x * x * x);
    }
  }
  std::uint64_t price(Link link) const {
    return price_[std::min<std::size_t>(load_[link], price_.size() - 1)];
  }

 private:
  std::vector<std::uint32_t> load_;
  std::vector<std::uint64_t> price_;
};

struct Way {
  std::vector<Link> links;
  std::uint64_t price = 0;
};

// Cheapest ways through the subcube of the dimensions that must be crossed.
class Finder {
 public:
  Finder(int dimensions, const Loads& loads) : n_(dimensions), loads_(loads) {}

  Way cheapest(Word from, Word to, Detours detours) {
    Way best = inside_subcube(from, to);
    if (detours == Detours::none || from == to) return best;
    for (int e = 0; e < n_; ++e) {
      if (has_bit(from ^ to, e)) continue;
      const Link out = link(from, e);
      const Link back = link(to ^ bit(e), e);
      const std::uint64_t ends = loads_.price(out) + loads_.price(back);
      if (ends >= best.price) continue;
      Way around = inside_subcube(from ^ bit(e), to ^ bit(e));
      if (ends + around.price >= best.price) continue;
      best.price = ends + around.price;
      best.links.assign(1, out);
      best.links.insert(best.links.end(), around.links.begin(), around.links.end());
      best.links.push_back(back);
    }
    return best;
  }

  // For search::BoxWays.
  Link channel(Word from, std::size_t i) const { return link(from, dimensions_[i]); }
  std::uint64_t price(Link link) const { return loads_.price(link); }
  Word across(Word from, std::size_t i) const { return from ^ bit(dimensions_[i]); }

 private:
  Link link(Word from, int d) const {
    return static_cast<Link>(from * static_cast<Word>(n_) + static_cast<Word>(d));
  }

  // Every order of the dimensions that differ.
  Way inside_subcube(Word from, Word to) {
    dimensions_.clear();
    for (Word rest = from ^ to; rest != 0; rest &= rest - 1)
      dimensions_.push_back(lowest_bit(rest));
    Way way;
    way.price =
        finder_.find(std::vector<std::size_t>(dimensions_.size(), 1), from, *this, way.links);
    return way;
  }

  int n_;
  const Loads& loads_;
  std::vector<int> dimensions_;
  search::BoxWays finder_;
};

}  // namespace

std::vector<Link> ascending_way(int dimensions, Word from, Word to) {
  std::vector<Link> way;
  for (Word rest = from ^ to; rest != 0; rest &= rest - 1) {
    const int d = lowest_bit(rest);
    way.push_back(static_cast<Link>(from * static_cast<Word>(dimensions) + static_cast<Word>(d)));
    from ^= bit(d);
  }
  return way;
}

void balance_on_cube(int dimensions, std::vector<Packet>& packets, Detours detours) {
  const std::size_t links = static_cast<std::size_t>(dimensions) << dimensions;
  Loads loads(links);
  Finder finder(dimensions, loads);
  const auto reroute = [&](Packet& packet, Detours over) {
    still_working();
    loads.remove(packet.way);
    packet.way = finder.cheapest(packet.move.from_processor, packet.move.to_processor, over).links;
    loads.add(packet.way);
  };
  std::uint64_t hops = 0;
  for (Packet& packet : packets) {
    packet.way.clear();
    hops += static_cast<std::uint64_t>(
        std::popcount(packet.move.from_processor ^ packet.move.to_processor));
  }
  loads.set_usual(hops / links + 1);
  constexpr int sweeps = 2;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Packet& packet : packets) reroute(packet, Detours::none);
  // Then those on the busiest links, until nothing falls any more.
  constexpr int rounds_max = 24;
  constexpr int patience = 4;
  std::uint32_t least = loads.busiest();
  int without_success = 0;
  for (int round = 0; round < rounds_max && without_success < patience; ++round) {
    const std::uint32_t busiest = loads.busiest();
    loads.set_usual(busiest);
    for (Packet& packet : packets)
      if (std::any_of(packet.way.begin(), packet.way.end(),
                      [&](Link link) { return loads.of(link) + 1 >= busiest; }))
        reroute(packet, detours);
    ++without_success;
    if (loads.busiest() >= least) continue;
    least = loads.busiest();
    without_success = 0;
  }
}

}  // namespace faro::inline v1::links
