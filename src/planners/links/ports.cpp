#include "planners/links/ports.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::links {
namespace {

using search::Price;
using search::Way;

// Prices of links and steps, where a link is dearer for its ends' other dimensions too.

class Ports {
 public:
  Ports(const LinkTable& links, int ports, std::uint32_t steps)
      : n_(links.first[1]),
        beside_(static_cast<Price>(ports - 1)),
        processors_(links.processors()),
        steps_(steps),
        users_(steps * processors_ * n_),
        heat_(users_.size()),
        dimensions_used_(steps * processors_),
        prices_(users_.size()) {
    set_prices();
  }

  const Price* prices() const { return prices_.data(); }
  bool crowded(const Way& way) const;
  void take(const Way& way);
  void leave(const Way& way);
  // The end of a round: whether anything is crowded, which makes it dearer from now on.
  bool remember_crowding();

 private:
  static constexpr Price open_price = 10;  // of a link whose reverse is used
  static constexpr Price closed_price = 40;
  static constexpr Price pressure_first = 100;  // hundredths
  static constexpr Price pressure_growth = 103;
  static constexpr Price pressure_most = 100000;

  std::size_t seat(std::size_t t, std::size_t p, std::size_t d) const {
    return (t * processors_ + p) * n_ + d;
  }
  static std::size_t across(std::size_t p, std::size_t d) { return p ^ (std::size_t{1} << d); }
  bool used(std::size_t t, std::size_t p, std::size_t d) const {
    return users_[seat(t, p, d)] != 0 || users_[seat(t, across(p, d), d)] != 0;
  }
  // Uses of other dimensions at both ends, beyond what their ports allow.
  Price others(std::size_t t, std::size_t p, std::size_t d) const {
    const Price here = used(t, p, d) ? 1 : 0;
    Price beyond = 0;
    for (const std::size_t end : {p, across(p, d)}) {
      const Price beside = Price{dimensions_used_[t * processors_ + end]} - here;
      beyond += std::max(beside, beside_) - beside_;
    }
    return beyond;
  }
  void set_price(std::size_t t, std::size_t p, std::size_t d) {
    const std::size_t reverse = seat(t, across(p, d), d);
    const Price base = users_[reverse] != 0 ? open_price : closed_price;
    const Price crowd = 2 * Price{users_[seat(t, p, d)]} + others(t, p, d);
    const std::size_t lower = p & ~(std::size_t{1} << d);
    prices_[seat(t, p, d)] =
        base * (4 + Price{heat_[seat(t, lower, d)]}) * (100 + pressure_ * crowd) / 100 + 1;
  }
  void set_prices() {
    for (std::size_t t = 0; t < steps_; ++t)
      for (std::size_t p = 0; p < processors_; ++p)
        for (std::size_t d = 0; d < n_; ++d) set_price(t, p, d);
  }
  // After a use of the link from p across d began or ended.
  void set_prices_beside(std::size_t t, std::size_t p, std::size_t d) {
    for (const std::size_t end : {p, across(p, d)})
      for (std::size_t k = 0; k < n_; ++k) {
        set_price(t, end, k);
        set_price(t, across(end, k), k);
      }
  }

  // f(step, processor, dimension).
  template <class F>
  void each_hop(const Way& way, F&& f) const {
    for (const search::Place at : way) f(at.step, at.channel / n_, at.channel % n_);
  }

  std::size_t n_;
  Price beside_;  // dimensions that an end may use with another
  std::size_t processors_;
  std::uint32_t steps_;
  std::vector<std::uint16_t> users_;  // by seat
  std::vector<std::uint32_t> heat_;   // by seat of the lower end
  std::vector<std::uint8_t> dimensions_used_;
  std::vector<Price> prices_;  // by seat: asked far more often than they change
  Price pressure_ = pressure_first;
};

bool Ports::crowded(const Way& way) const {
  bool found = false;
  each_hop(way, [&](std::size_t t, std::size_t p, std::size_t d) {
    found = found || users_[seat(t, p, d)] > 1 || others(t, p, d) > 0;
  });
  return found;
}

void Ports::take(const Way& way) {
  each_hop(way, [&](std::size_t t, std::size_t p, std::size_t d) {
    if (!used(t, p, d)) {
      ++dimensions_used_[t * processors_ + p];
      ++dimensions_used_[t * processors_ + across(p, d)];
    }
    ++users_[seat(t, p, d)];
    set_prices_beside(t, p, d);
  });
}

void Ports::leave(const Way& way) {
  each_hop(way, [&](std::size_t t, std::size_t p, std::size_t d) {
    --users_[seat(t, p, d)];
    if (!used(t, p, d)) {
      --dimensions_used_[t * processors_ + p];
      --dimensions_used_[t * processors_ + across(p, d)];
    }
    set_prices_beside(t, p, d);
  });
}

bool Ports::remember_crowding() {
  bool any = false;
  for (std::size_t t = 0; t < steps_; ++t)
    for (std::size_t p = 0; p < processors_; ++p)
      for (std::size_t d = 0; d < n_; ++d) {
        if ((p >> d & 1U) != 0 || !used(t, p, d)) continue;
        std::uint32_t more = others(t, p, d) > 0 ? 1 : 0;
        for (const std::size_t end : {p, across(p, d)})
          if (users_[seat(t, end, d)] > 1) more += users_[seat(t, end, d)] - 1U;
        heat_[seat(t, p, d)] += more;
        any = any || more != 0;
      }
  pressure_ = std::min(pressure_most, pressure_ * pressure_growth / 100);
  set_prices();
  return any;
}

}  // namespace

bool negotiate_ports(const LinkTable& cube, int ports, std::vector<Packet>& packets,
                     Timetable& times, std::uint32_t steps, PortsEffort effort) {
  TimedWays finder(cube, steps);
  for (int attempt = 0; attempt < effort.attempts; ++attempt) {
    Ports prices(cube, ports, steps);
    Random random(static_cast<std::uint64_t>(attempt));
    std::vector<Way> ways(packets.size());
    const bool found = search::negotiate(
        prices, {.most = effort.rounds}, ways, [&](auto& turn) { random.mix(turn); },
        [&](std::size_t i, Way& way) {
          if (effort.searches == 0) return false;
          --effort.searches;
          return finder.find(prices.prices(), packets[i], way);
        });
    if (!found) continue;
    keep(ways, steps, packets, times);
    return true;
  }
  return false;
}

}  // namespace faro::inline v1::links
