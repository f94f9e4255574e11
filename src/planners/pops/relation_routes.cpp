#include "planners/pops/relation_routes.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "machines/pops/model.hpp"
#include "search/route.hpp"

namespace faro::inline v1::pops {
namespace {

using search::Place;
using search::Price;
using search::Router;
using search::Way;

class Routing {
 public:
  Routing(const Pops& machine, std::vector<Packet>& data, std::uint32_t slots, std::uint64_t seed)
      : data_(data),
        n_(static_cast<std::uint32_t>(processors(machine))),
        g_(static_cast<std::uint32_t>(machine.groups)),
        d_(static_cast<std::uint32_t>(machine.group_size)),
        slots_(slots),
        random_(seed * 0x9e3779b9U + slots),
        bids_(std::vector<std::uint16_t>(std::size_t{g_} * g_ + 2 * std::size_t{n_}, 1), slots,
              Router::Beside::steps, {.pressure = 50, .times = 105}),
        out_(slots),
        in_(slots),
        least_in_(slots + 1, search::out_of_reach) {}

  bool run(std::uint64_t& work) {
    std::vector<Way> ways(data_.size());
    return bids_.run(
        ways, [this](auto& turn) { random_.mix(turn); },
        [&](std::size_t i, Way& way) {
          if (looked_ > work) {
            work = 0;
            return false;
          }
          work -= looked_;
          looked_ = 0;
          choose(data_[i]);
          way = way_of(data_[i]);
          return true;
        });
  }

 private:
  // The channels: couplers by groups, senders, receivers.
  Place coupler(std::uint32_t from, std::uint32_t to, std::uint32_t slot) const {
    return {slot, from * g_ + to};
  }
  Place sends(Word p, std::uint32_t slot) const {
    return {slot, g_ * g_ + static_cast<std::uint32_t>(p)};
  }
  Place receives(Word p, std::uint32_t slot) const {
    return {slot, g_ * g_ + n_ + static_cast<std::uint32_t>(p)};
  }

  Way way_of(const Packet& p) const {
    const auto from = static_cast<std::uint32_t>(p.from / d_);
    const auto to = static_cast<std::uint32_t>(p.to / d_);
    if (p.relay == no_relay)
      return {sends(p.from, p.first), coupler(from, to, p.first), receives(p.to, p.first)};
    const auto over = static_cast<std::uint32_t>(p.relay / d_);
    return {sends(p.from, p.first),   coupler(from, over, p.first), receives(p.relay, p.first),
            sends(p.relay, p.second), coupler(over, to, p.second),  receives(p.to, p.second)};
  }

  // The cheapest route at the prices of now; ties fall where the search begins, at random.
  void choose(Packet& p) {
    const auto from = static_cast<std::uint32_t>(p.from / d_);
    const auto to = static_cast<std::uint32_t>(p.to / d_);
    Price best = search::out_of_reach;
    p.relay = no_relay;
    const auto turn = static_cast<std::uint32_t>(random_.below(slots_));
    for (std::uint32_t s = 0; s < slots_; ++s) {
      const std::uint32_t t = s + turn < slots_ ? s + turn : s + turn - slots_;
      const Price price = bids_.price(coupler(from, to, t)) + bids_.price(sends(p.from, t)) +
                          bids_.price(receives(p.to, t));
      if (price >= best) continue;
      best = price;
      p.first = t;
    }
    const auto first_group = static_cast<std::uint32_t>(random_.below(g_));
    for (std::uint32_t y = 0; y < g_; ++y)
      over_group(p, (first_group + y) % g_, from, to, turn, best);
    looked_ += 3 * std::uint64_t{slots_};
  }

  void over_group(Packet& p, std::uint32_t over, std::uint32_t from, std::uint32_t to,
                  std::uint32_t turn, Price& best) {
    for (std::uint32_t t = slots_; t-- > 0;) {
      out_[t] = bids_.price(coupler(from, over, t)) + bids_.price(sends(p.from, t));
      in_[t] = bids_.price(coupler(over, to, t)) + bids_.price(receives(p.to, t));
      least_in_[t] = std::min(least_in_[t + 1], in_[t]);
    }
    looked_ += 4 * std::uint64_t{slots_};
    const auto first_local = static_cast<std::uint32_t>(random_.below(d_));
    for (std::uint32_t s = 0; s < slots_; ++s) {
      const std::uint32_t t = s + turn < slots_ ? s + turn : s + turn - slots_;
      if (out_[t] + least_in_[t + 1] >= best) continue;
      for (std::uint32_t u = t + 1; u < slots_; ++u) {
        if (out_[t] + in_[u] >= best) continue;
        looked_ += d_;
        std::uint32_t local = first_local;  // no remainders: this is the innermost of all loops
        for (std::uint32_t l = 0; l < d_; ++l, local = local + 1 == d_ ? 0 : local + 1) {
          const Word relay = Word{over} * d_ + local;
          if (relay == p.from || relay == p.to) continue;
          const Price price =
              out_[t] + in_[u] + bids_.price(receives(relay, t)) + bids_.price(sends(relay, u));
          if (price >= best) continue;
          best = price;
          p.relay = relay;
          p.first = t;
          p.second = u;
        }
      }
    }
  }

  std::vector<Packet>& data_;
  std::uint32_t n_;
  std::uint32_t g_;
  std::uint32_t d_;
  std::uint32_t slots_;
  Random random_;
  Router bids_;
  std::vector<Price> out_;
  std::vector<Price> in_;
  std::vector<Price> least_in_;  // from a slot on
  std::uint64_t looked_ = 0;
};

}  // namespace

std::optional<std::vector<Packet>> negotiated_routes(const Pops& machine, std::vector<Packet> data,
                                                     std::uint32_t slots, std::uint64_t seed,
                                                     std::uint64_t& work) {
  Routing routing(machine, data, slots, seed);
  if (!routing.run(work)) return std::nullopt;
  return data;
}

}  // namespace faro::inline v1::pops
