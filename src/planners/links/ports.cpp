#include "planners/links/ports.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::links {
namespace {

using search::Price;

class Ports {
 public:
  Ports(const LinkTable& links, int ports, std::vector<Packet>& packets, std::uint32_t steps,
        std::uint64_t seed)
      : n_(links.first[1]),
        beside_(static_cast<Price>(ports - 1)),
        processors_(links.processors()),
        steps_(steps),
        packets_(packets),
        starts_(packets.size()),
        users_(steps * processors_ * n_),
        heat_(users_.size()),
        dimensions_used_(steps * processors_),
        prices_(users_.size()),
        ways_(links, steps),
        random_(seed) {
    set_prices();
  }

  bool run(int rounds, std::uint64_t& searches);
  std::vector<std::vector<std::uint32_t>> take_starts() { return std::move(starts_); }

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

  // Of packet i: f(step, processor, dimension).
  template <class F>
  void each_hop(std::size_t i, F&& f) const {
    for (std::size_t h = 0; h < starts_[i].size(); ++h)
      f(starts_[i][h], packets_[i].way[h] / n_, packets_[i].way[h] % n_);
  }
  bool crowded(std::size_t i) const;
  void take(std::size_t i);
  void leave(std::size_t i);
  bool remember_crowding();

  std::size_t n_;
  Price beside_;  // dimensions that an end may use with another
  std::size_t processors_;
  std::uint32_t steps_;
  std::vector<Packet>& packets_;
  std::vector<std::vector<std::uint32_t>> starts_;
  std::vector<std::uint16_t> users_;  // by seat
  std::vector<std::uint32_t> heat_;   // by seat of the lower end
  std::vector<std::uint8_t> dimensions_used_;
  std::vector<Price> prices_;  // by seat: asked far more often than they change
  TimedWays ways_;
  Price pressure_ = pressure_first;
  Random random_;
};

bool Ports::crowded(std::size_t i) const {
  bool found = starts_[i].empty();
  each_hop(i, [&](std::size_t t, std::size_t p, std::size_t d) {
    found = found || users_[seat(t, p, d)] > 1 || others(t, p, d) > 0;
  });
  return found;
}

void Ports::take(std::size_t i) {
  each_hop(i, [&](std::size_t t, std::size_t p, std::size_t d) {
    if (!used(t, p, d)) {
      ++dimensions_used_[t * processors_ + p];
      ++dimensions_used_[t * processors_ + across(p, d)];
    }
    ++users_[seat(t, p, d)];
    set_prices_beside(t, p, d);
  });
}

void Ports::leave(std::size_t i) {
  each_hop(i, [&](std::size_t t, std::size_t p, std::size_t d) {
    --users_[seat(t, p, d)];
    if (!used(t, p, d)) {
      --dimensions_used_[t * processors_ + p];
      --dimensions_used_[t * processors_ + across(p, d)];
    }
    set_prices_beside(t, p, d);
  });
}

// The end of a round: whether anything is crowded, which makes it dearer from now on.
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

bool Ports::run(int rounds, std::uint64_t& searches) {
  std::vector<std::size_t> turn(packets_.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  for (int round = 0; round < rounds; ++round) {
    random_.mix(turn);
    for (const std::size_t i : turn) {
      if (!crowded(i)) continue;
      if (searches == 0) return false;
      --searches;
      leave(i);
      if (!ways_.find(prices_.data(), packets_[i], starts_[i])) return false;
      take(i);
    }
    if (!remember_crowding()) return true;
  }
  return false;
}

}  // namespace

bool negotiate_ports(const LinkTable& cube, int ports, std::vector<Packet>& packets,
                     Timetable& times, std::uint32_t steps, PortsEffort effort) {
  for (int attempt = 0; attempt < effort.attempts; ++attempt) {
    std::vector<Packet> moved = packets;
    for (Packet& packet : moved) packet.way.clear();
    Ports seats(cube, ports, moved, steps, static_cast<std::uint64_t>(attempt));
    if (!seats.run(effort.rounds, effort.searches)) continue;
    packets = std::move(moved);
    times = {seats.take_starts(), steps};
    return true;
  }
  return false;
}

}  // namespace faro::inline v1::links
