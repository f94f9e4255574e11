#include "planners/mesh/rides.hpp"

#include <array>

#include "base/check.hpp"

namespace faro::inline v1::mesh {
namespace {

// Before each route every processor's rider is brought to Rr and its resters out of it.
class RideWriter {
 public:
  RideWriter(const MeshGeometry& geometry, const AddressBits& bits,
             std::span<const Word> destinations, const RidePlan& plan)
      : geometry_(geometry),
        bits_(bits),
        destinations_(destinations),
        plan_(plan),
        program_(geometry),
        at_(destinations.size()),
        in_(destinations.size(), Rs) {
    for (Word m = 0; m < destinations.size(); ++m) at_[m] = m;
  }

  MeshProgram run() {
    for (std::size_t t = 0; t < plan_.routes.size(); ++t) {
      // A plan may leave a route empty.
      if (t == 0) {
        program_.copy({Rr, Rs});
        for (Word m = 0; m < at_.size(); ++m) in_[m] = plan_.rides[m][0] ? Rr : Rs;
      } else {
        arrange(t);
      }
      const MeshRoute& route = plan_.routes[t];
      by_ += route.by;
      for (Word m = 0; m < at_.size(); ++m)
        if (plan_.rides[m][t]) at_[m] = routed(at_[m], route);
      if (t + 1 < plan_.routes.size() && joins_next(t)) continue;
      program_.route(route.dimension, by_);
      by_ = 0;
    }
    deliver();
    return std::move(program_);
  }

 private:
  Word routed(Word x, const MeshRoute& route) const {
    return bits_.gather(*geometry_.routed(bits_.spread(x), route.dimension, route.by));
  }

  // Route t and the next are one: the same way, with the same riders.
  bool joins_next(std::size_t t) const {
    const MeshRoute& next = plan_.routes[t + 1];
    if (next.dimension != plan_.routes[t].dimension || (next.by > 0) != (by_ > 0)) return false;
    const std::int64_t side = geometry_.side(next.dimension);
    if (by_ + next.by >= side || by_ + next.by <= -side) return false;
    for (Word m = 0; m < at_.size(); ++m)
      if (plan_.rides[m][t] != plan_.rides[m][t + 1]) return false;
    return true;
  }

  struct Held {
    std::array<bool, 3> live{};
    bool rides = false;
    MeshRegister rider = Rr;
  };

  void arrange(std::size_t t) {
    std::vector<Held> held(at_.size());
    for (Word m = 0; m < at_.size(); ++m) {
      Held& here = held[at_[m]];
      FARO_CHECK(!here.live[static_cast<std::size_t>(in_[m])]);
      here.live[static_cast<std::size_t>(in_[m])] = true;
      if (!plan_.rides[m][t]) continue;
      FARO_CHECK(!here.rides);
      here.rides = true;
      here.rider = in_[m];
    }
    // Which register each processor exchanges with Rr: its rider's, or a free one for what arrived.
    std::vector<Wish> with_s(at_.size(), Wish::free);
    std::vector<Wish> with_t(at_.size(), Wish::free);
    for (Word p = 0; p < at_.size(); ++p) {
      const Held& here = held[p];
      const bool anything = here.live[0] || here.live[1] || here.live[2];
      if (!anything) continue;
      MeshRegister with = Rr;
      if (here.rides)
        with = here.rider;
      else if (here.live[0])
        with = here.live[1] ? Rt : Rs;
      with_s[p] = with == Rs ? Wish::wanted : Wish::forbidden;
      with_t[p] = with == Rt ? Wish::wanted : Wish::forbidden;
    }
    // Free processors hold nothing; each of the two covers may touch them.
    for (Word m = 0; m < at_.size(); ++m) {
      const bool s = with_s[at_[m]] == Wish::wanted;
      const bool t_wanted = with_t[at_[m]] == Wish::wanted;
      if (!s && !t_wanted) continue;
      const MeshRegister other = s ? Rs : Rt;
      if (in_[m] == Rr)
        in_[m] = other;
      else if (in_[m] == other)
        in_[m] = Rr;
    }
    for (const TernaryMask& mask : cover(std::move(with_s), bits_)) program_.swap({Rr, Rs}, mask);
    for (const TernaryMask& mask : cover(std::move(with_t), bits_)) program_.swap({Rr, Rt}, mask);
  }

  void deliver() {
    for (const MeshRegister reg : {Rr, Rt}) {
      std::vector<Wish> wishes(at_.size(), Wish::forbidden);
      for (Word m = 0; m < at_.size(); ++m) {
        FARO_CHECK(at_[m] == destinations_[m]);
        if (in_[m] == reg) wishes[at_[m]] = Wish::wanted;
      }
      for (const TernaryMask& mask : cover(std::move(wishes), bits_))
        program_.copy({Rs, reg}, mask);
    }
  }

  const MeshGeometry& geometry_;
  const AddressBits& bits_;
  std::span<const Word> destinations_;
  const RidePlan& plan_;
  MeshProgram program_;
  std::vector<Word> at_;
  std::vector<MeshRegister> in_;
  std::int64_t by_ = 0;
};

}  // namespace

MeshProgram write_rides(const MeshGeometry& geometry, const AddressBits& bits,
                        std::span<const Word> destinations, const RidePlan& plan) {
  FARO_CHECK(destinations.size() == bit(bits.count()));
  return RideWriter(geometry, bits, destinations, plan).run();
}

}  // namespace faro::inline v1::mesh
